import { environmentWithout, readConfig, type SettingName } from "../config.ts";
import type { Check, Outcome } from "../verify/check.ts";
import { openPlace } from "../verify/place/open.ts";
import { type Place, UnusablePlace } from "../verify/place/place.ts";
import type { Program } from "../verify/program.ts";
import { CHECKS, runChecks } from "../verify/run.ts";
import { Watchdog } from "../verify/watchdog.ts";
import { CommandFailure } from "./failure.ts";
import type { Meter } from "./verify-meter.ts";
import type { Proof } from "./verify-report.ts";

/** Settings that a proof makes itself: others would change what it expects, or meddle with a service that runs. */
const OWN_SETTINGS: readonly SettingName[] = [
  "HOST",
  "PORT",
  "DATABASE_URL",
  "FIRST_KEY",
  "PRODUCTION_URL",
  "STAGING_URL",
  "LOG_LEVEL",
  "LOG_REQUESTS",
  "METRICS_PORT",
  "METRICS_HOST",
  "CORS_ORIGINS",
  "RATE_LIMIT",
  "TLS_CERT",
  "TLS_KEY",
];

interface OwnOptions {
  readonly database: string | undefined;
  readonly minutes: number;
  readonly seed: number;
  /** Names of checks, with commas between; all where it is not said. */
  readonly only: string | undefined;
  readonly meter: Meter;
  readonly signal: AbortSignal;
}

/** A proof on instances of its own, which are this same program. */
export async function proofOfOwn(options: OwnOptions): Promise<Proof> {
  const { database, minutes, seed, only, meter, signal } = options;
  const checks = checksNamed(only);
  // Whatever is wrong with the settings for the instances is told here, and once.
  const { sources, texts } = readConfig({}, undefined, "");
  const given = Object.entries(sources).flatMap(([name, source]) =>
    source === "environment" && !OWN_SETTINGS.includes(name as SettingName)
      ? [`${name}=${texts[name as SettingName]}`]
      : [],
  );
  const place = await openPlace(database).catch((error) => {
    throw error instanceof UnusablePlace ? new CommandFailure(error.message, 2) : error;
  });
  const watchdog = new Watchdog(place.folder);
  const program: Program = {
    command: [process.execPath, ...process.execArgv, Bun.main],
    environment: environmentWithout(OWN_SETTINGS),
    watchdog,
    signal,
  };
  const again = [
    "--seed",
    seed,
    "--minutes",
    minutes,
    ...(database === undefined ? [] : ["--database", withoutPassword(database)]),
  ];
  return {
    subject: [place.told, ...given].join(", "),
    seed,
    about: minutes < 2 ? `about ${Math.ceil(minutes * 60)} seconds` : `about ${minutes} minutes`,
    outcomes: run(checks, { minutes, seed, place, program, meter, signal }),
    again: (name) =>
      `${given.map((each) => `${each} `).join("")}animal-store verify ${again.join(" ")} --only ${name}`,
    left: () => [],
    async end() {
      // What still runs where it was interrupted.
      await watchdog.bite();
      await place[Symbol.asyncDispose]();
    },
  };
}

function withoutPassword(url: string): string {
  return url.replace(/(:\/\/[^:@/]*:)[^@]*@/, "$1***@");
}

interface RunOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly place: Place;
  readonly program: Program;
  readonly meter: Meter;
  readonly signal: AbortSignal;
}

async function* run(checks: readonly Check[], options: RunOptions): AsyncGenerator<Outcome> {
  const { minutes, seed, place, program, meter, signal } = options;
  const contextOf = ({ name, unit }: Check) => {
    const progress = (part: number, count: number) => meter.update(name, unit, part, count);
    progress(0, 0);
    return { seed, program, place, signal, progress };
  };
  yield* runChecks(checks, minutes * 60_000, contextOf);
}

function checksNamed(only: string | undefined): readonly Check[] {
  if (only === undefined) return CHECKS;
  const names = only.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !CHECKS.some((check) => check.name === name));
  if (unknown === undefined) return CHECKS.filter(({ name }) => names.includes(name));
  const known = CHECKS.map(({ name }) => name).join(", ");
  throw new CommandFailure(`--only names ${JSON.stringify(unknown)}; it must be some of ${known}.`, 2);
}
