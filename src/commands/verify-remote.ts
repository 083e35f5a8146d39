import type { Outcome } from "../../verify/check.ts";
import { NoAnswer } from "../../verify/client.ts";
import { checkRemote, KeyRefused, type RemoteSummary } from "../../verify/remote.ts";
import { CommandFailure } from "../cli/errors.ts";
import type { Meter } from "./verify-meter.ts";
import type { Proof } from "./verify-report.ts";

/** For the progress: about so many requests are made. */
const REQUESTS = 250;

interface RemoteOptions {
  readonly base: string;
  readonly key: string;
  readonly meter: Meter;
  readonly signal: AbortSignal;
}

/** A proof of a service that runs already, which leaves animals there that it marks as its own. */
export function proofOfRemote({ base, key, meter, signal }: RemoteOptions): Proof {
  const prefix = `animal-store verify ${crypto.randomUUID().slice(0, 8)} `;
  let total = 0;
  const asked = () => meter.update("contract", "requests", Math.min(1, ++total / REQUESTS), total);
  let summary: RemoteSummary | undefined;
  async function* outcomes(): AsyncGenerator<Outcome> {
    try {
      summary = yield* checkRemote({ base, key, prefix, signal, asked });
    } catch (error) {
      if (error instanceof KeyRefused) throw new CommandFailure(`${base}: ${error.message}`);
      if (error instanceof NoAnswer) throw new CommandFailure(`${base}: no response: ${error.message}`);
      throw error;
    }
  }
  return {
    subject: `the service at ${base}`,
    seed: undefined,
    about: "about 15 seconds",
    outcomes: outcomes(),
    again: () => `animal-store verify --url ${base} --key $KEY`,
    left: () =>
      summary === undefined || summary.animals === 0
        ? ["It added no animals there."]
        : [`It added ${summary.animals} animals there, whose names begin with ${JSON.stringify(prefix)}.`],
    end: async () => {},
  };
}
