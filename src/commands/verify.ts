import { NoResponse } from "../../contract/client.ts";
import type { Check, Outcome, Verdict } from "../../verify/check.ts";
import { verifyOwn } from "../../verify/cli/own.ts";
import { verifyRemote } from "../../verify/cli/remote.ts";
import { describeEnd, describeOutcome, describeStart, toJson } from "../../verify/cli/report.ts";
import type { Verification } from "../../verify/cli/verification.ts";
import { KeyRefused } from "../../verify/remote.ts";
import { CHECKS } from "../../verify/run.ts";
import { MissingTestbed, UnusableTestbed } from "../../verify/testbed/testbed.ts";
import { Output } from "../cli/output.ts";
import { environmentWithout, readConfig } from "../config/read.ts";
import { SETTING_NAMES, SETTINGS } from "../config/settings.ts";
import { showable } from "../domain/quote.ts";
import { CommandFailure } from "../process/errors.ts";
import { ownCommand } from "../process/own-command.ts";
import { stopSignal } from "../process/stop-signal.ts";
import { hidePassword } from "../stores/url.ts";
import { VERSION } from "../system/version.ts";
import { Meter } from "./verify/meter.ts";

const SEED_MAX = 2 ** 32;
const MINUTES_MAX = 10_000;

interface Options {
  readonly database?: string;
  readonly minutes?: string;
  readonly seed?: string;
  readonly only?: string;
  readonly url?: string;
  readonly key?: string;
  readonly json?: boolean;
}

/** `animal-store verify`: verifies the promises, on instances of its own or on a running service. */
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
  const outcomes: Outcome[] = [];
  const print = async (text: string) => {
    meter.clear();
    if (!json) await output.print(showable(text));
  };
  let verification: Verification | undefined;
  try {
    verification = await open(options, meter, signal);
    await Promise.race([run(verification, outcomes, print), whenAborted(signal)]);
  } catch (error) {
    if (!signal.aborted) throw asFailure(error, options);
    const finished = outcomes.length === 1 ? "1 check was" : `${outcomes.length} checks were`;
    throw new CommandFailure(
      `interrupted. ${finished} finished; everything that the run made is removed.`,
      130,
      { cause: error },
    );
  } finally {
    meter.clear();
    await verification?.end().catch((error) => {
      throw error instanceof UnusableTestbed ? new CommandFailure(error.message, 1, { cause: error }) : error;
    });
  }
  const seconds = (performance.now() - began) / 1000;
  if (json) await output.print(toJson(verification, outcomes, seconds, VERSION));
  else await print(describeEnd(verification, outcomes, seconds));
  const named = (verdict: Verdict, words: string) =>
    outcomes.filter((outcome) => outcome.verdict === verdict).map(({ name }) => `${name} ${words}`);
  const failed = named("failed", "failed");
  const inconclusive = named("inconclusive", "was inconclusive");
  if (failed.length + inconclusive.length > 0) {
    throw new CommandFailure(`${[...failed, ...inconclusive].join(", ")}.`, failed.length > 0 ? 1 : 3);
  }
}

async function run(
  verification: Verification,
  outcomes: Outcome[],
  print: (text: string) => Promise<void>,
): Promise<void> {
  await print(describeStart(verification, VERSION));
  for await (const outcome of verification.outcomes) {
    outcomes.push(outcome);
    await print(describeOutcome(outcome, verification));
  }
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** Turns an error that is not a defect of this program into a message. */
function asFailure(error: unknown, { url }: Options): unknown {
  const { code, message } = error as { code?: unknown; message: string };
  if (error instanceof UnusableTestbed) {
    return new CommandFailure(message, error instanceof MissingTestbed ? 1 : 2, { cause: error });
  }
  const base = baseAddressOf(url ?? "");
  if (error instanceof KeyRefused) return new CommandFailure(`${base}: ${message}`);
  if (error instanceof NoResponse) return new CommandFailure(`${base}: no response: ${message}`);
  // The system or the database refused something: a disk is full, a connection is lost.
  return typeof code === "string"
    ? new CommandFailure(`it could not continue: ${message}`, 1, { cause: error })
    : error;
}

/** @throws CommandFailure that names everything that is wrong with the options */
async function open(options: Options, meter: Meter, signal: AbortSignal): Promise<Verification> {
  const { url, key, database, minutes = "1", only, seed: givenSeed } = options;
  const seed = givenSeed ?? `${Math.floor(Math.random() * SEED_MAX)}`;
  const base = url === undefined ? undefined : baseAddressOf(url);
  const mistakes = [
    /^[0-9]{1,10}$/.test(seed) && Number(seed) < SEED_MAX
      ? []
      : `--seed must be a whole number below ${SEED_MAX}.`,
    isMinutes(minutes)
      ? []
      : `--minutes must be a number above 0, up to ${MINUTES_MAX}, for example 10 or 0.5.`,
    url === undefined || base !== undefined
      ? []
      : "--url must be a base URL, for example https://animals.example.com/v1.",
    url !== undefined && key === undefined ? "--url requires --key, an API key of that service." : [],
    url === undefined && key !== undefined ? "--key requires --url." : [],
    url !== undefined && (database ?? only ?? options.minutes) !== undefined
      ? "--url cannot be combined with --database, --minutes and --only: a running service is always sent the same requests."
      : [],
  ].flat();
  if (mistakes.length > 0) throw new CommandFailure(mistakes.join("\n"), 2);
  const progress = meter.update.bind(meter);
  if (base !== undefined && key !== undefined) return verifyRemote({ base, key, progress, signal });
  const checks = checksNamed(only);
  // Reports what is wrong with the settings of the instances here, once, rather than in each of them.
  const { sources, texts } = readConfig({}, undefined, "");
  return verifyOwn({
    checks,
    database,
    minutes: Number(minutes),
    seed: Number(seed),
    command: ownCommand(),
    environment: environmentWithout(SETTING_NAMES.filter((name) => !SETTINGS[name].inherited)),
    settings: SETTING_NAMES.filter((name) => SETTINGS[name].inherited && sources[name] === "environment").map(
      (name) => `${name}=${texts[name]}`,
    ),
    hidePassword,
    progress,
    signal,
  });
}

function isMinutes(text: string): boolean {
  return /^[0-9]{1,5}(?:\.[0-9]{1,3})?$/.test(text) && Number(text) > 0 && Number(text) <= MINUTES_MAX;
}

/** A base address without its trailing slash; a bare host stands for its `/v1`. */
function baseAddressOf(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) return undefined;
  const path = url.pathname.replace(/\/+$/, "");
  return url.origin + (path === "" ? "/v1" : path);
}

function checksNamed(only: string | undefined): readonly Check[] {
  if (only === undefined) return CHECKS;
  const names = only.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !CHECKS.some((check) => check.name === name));
  if (unknown === undefined) return CHECKS.filter(({ name }) => names.includes(name));
  const known = CHECKS.map(({ name }) => name).join(", ");
  throw new CommandFailure(`--only names ${JSON.stringify(unknown)}; it must be some of ${known}.`, 2);
}
