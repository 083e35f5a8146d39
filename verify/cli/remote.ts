import type { Outcome } from "../check.ts";
import { checkRemote, type RemoteSummary } from "../remote.ts";
import type { ReportProgress, Verification } from "./verification.ts";

/** About how many requests a run makes, for its progress. */
const REQUESTS = 850;

interface RemoteOptions {
  /** The base address, with the version segment and without a trailing slash. */
  readonly base: string;
  readonly key: string;
  readonly progress: ReportProgress;
  readonly signal: AbortSignal;
}

/** Verifies a service that is already running. The animals that the run adds there carry a prefix of its own. */
export function verifyRemote({ base, key, progress, signal }: RemoteOptions): Verification {
  const prefix = `animal-store verify ${crypto.randomUUID().slice(0, 8)} `;
  let total = 0;
  const onRequest = () => progress("contract", "requests", Math.min(1, ++total / REQUESTS), total);
  let summary: RemoteSummary | undefined;
  async function* outcomes(): AsyncGenerator<Outcome> {
    summary = yield* checkRemote({ base, key, prefix, signal, onRequest });
  }
  return {
    subject: `the service at ${base}`,
    seed: undefined,
    duration: "about 20 seconds",
    outcomes: outcomes(),
    repeatCommand: () => `animal-store verify --url ${base} --key $KEY`,
    left: () =>
      summary === undefined || summary.animals === 0
        ? ["It added no animals there."]
        : [
            `It added ${summary.animals} animals there, whose names begin with ${JSON.stringify(prefix)}` +
              (summary.orders > 0 ? `, and ${summary.orders} orders for them.` : "."),
          ],
    end: async () => {},
  };
}
