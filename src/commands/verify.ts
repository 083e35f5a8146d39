import type { Outcome, Verdict } from "../../verify/check.ts";
import { CommandFailure } from "../cli/errors.ts";
import { Output } from "../cli/output.ts";
import { stopSignal } from "../cli/stop-signal.ts";
import { Meter } from "./verify-meter.ts";
import { proofOfOwn } from "./verify-own.ts";
import { proofOfRemote } from "./verify-remote.ts";
import { forPrograms, type Proof, tellBeginning, tellEnd, tellOutcome } from "./verify-report.ts";

const SEED_MAX = 2 ** 32;
const MINUTES_MAX = 10_000;

const WORDS: Readonly<Record<Verdict, string>> = {
  passed: "passed",
  failed: "failed",
  inconclusive: "was inconclusive",
  skipped: "was skipped",
};

interface Options {
  readonly database?: string;
  readonly minutes?: string;
  readonly seed?: string;
  readonly only?: string;
  readonly url?: string;
  readonly key?: string;
  readonly json?: boolean;
}

/** `animal-store verify`: puts the promises to the proof, on instances of its own or on a service that runs. */
export async function verify(options: Options): Promise<void> {
  const { json = false } = options;
  const output = new Output({ ...options });
  const began = performance.now();
  const interrupted = new AbortController();
  const { signal } = interrupted;
  void stopSignal(process, performance.now.bind(performance), () => process.exit(130)).then(() =>
    interrupted.abort(),
  );
  using meter = new Meter();
  const proof = await open(options, meter, signal);
  const outcomes: Outcome[] = [];
  const say = async (text: string) => {
    meter.clear();
    if (!json) await output.print(text);
  };
  const work = async () => {
    await say(tellBeginning(proof));
    for await (const outcome of proof.outcomes) {
      outcomes.push(outcome);
      await say(tellOutcome(outcome, proof));
    }
  };
  try {
    await Promise.race([work(), whenAborted(signal)]);
  } catch (error) {
    if (signal.aborted)
      throw new CommandFailure(
        `interrupted. ${outcomes.length === 1 ? "1 check was" : `${outcomes.length} checks were`} finished; everything made for the others is removed.`,
        130,
        { cause: error },
      );
    throw failureOf(error);
  } finally {
    meter.clear();
    await proof.end();
  }
  const seconds = (performance.now() - began) / 1000;
  if (json) await output.print(forPrograms(proof, outcomes, seconds));
  else await output.print(tellEnd(proof, outcomes, seconds));
  const named = (verdict: Verdict) =>
    outcomes.filter((outcome) => outcome.verdict === verdict).map(({ name }) => `${name} ${WORDS[verdict]}`);
  const [failed, inconclusive] = [named("failed"), named("inconclusive")];
  if (failed.length + inconclusive.length > 0) {
    throw new CommandFailure(`${[...failed, ...inconclusive].join(", ")}.`, failed.length > 0 ? 1 : 3);
  }
}

/** What the system or the database refused is no defect of ours: a disk that is full, a connection that is lost. */
function failureOf(error: unknown): unknown {
  const { code, message } = error as { code?: unknown; message?: string };
  return typeof code === "string"
    ? new CommandFailure(`it could not go on: ${message}`, 1, { cause: error })
    : error;
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** What is to be proved, by the options; mistakes of theirs all at once. */
async function open(options: Options, meter: Meter, signal: AbortSignal): Promise<Proof> {
  const { url, key, database, minutes = "1", only, seed: givenSeed } = options;
  const seed = givenSeed ?? `${Math.floor(Math.random() * SEED_MAX)}`;
  const address = url === undefined ? undefined : baseAddressOf(url);
  const mistakes = [
    /^[0-9]{1,10}$/.test(seed) && Number(seed) < SEED_MAX
      ? []
      : `--seed must be a whole number below ${SEED_MAX}.`,
    isMinutes(minutes)
      ? []
      : `--minutes must be a number above 0, up to ${MINUTES_MAX}, for example 10 or 0.5.`,
    url === undefined || address !== undefined
      ? []
      : "--url must be a base URL, for example https://animals.example.com/v1.",
    url !== undefined && key === undefined ? "--url requires --key, an API key of that service." : [],
    url === undefined && key !== undefined ? "--key requires --url." : [],
    url !== undefined && (database ?? only ?? options.minutes) !== undefined
      ? "--url cannot be combined with --database, --minutes and --only: a running service is always sent the same requests."
      : [],
  ].flat();
  if (mistakes.length > 0) throw new CommandFailure(mistakes.join("\n"), 2);
  return address !== undefined && key !== undefined
    ? proofOfRemote({ base: address, key, meter, signal })
    : await proofOfOwn({ database, minutes: Number(minutes), seed: Number(seed), only, meter, signal });
}

function isMinutes(text: string): boolean {
  return /^[0-9]{1,5}(?:\.[0-9]{1,3})?$/.test(text) && Number(text) > 0 && Number(text) <= MINUTES_MAX;
}

/** A base address without the slash at its end; a bare host is a service as it starts by itself. */
function baseAddressOf(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) return undefined;
  const path = url.pathname.replace(/\/+$/, "");
  return url.origin + (path === "" ? "/v1" : path);
}
