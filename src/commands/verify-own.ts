import type { Check, Outcome } from "../../verify/check.ts";
import type { Program } from "../../verify/program.ts";
import { CHECKS, runChecks } from "../../verify/run.ts";
import { openPlace } from "../../verify/testbed/open.ts";
import { MissingPlace, type Place, UnusablePlace } from "../../verify/testbed/testbed.ts";
import { Watchdog } from "../../verify/watchdog.ts";
import { CommandFailure } from "../cli/errors.ts";
import { environmentWithout, readConfig } from "../config/read.ts";
import { SETTING_NAMES, type SettingName } from "../config/settings.ts";
import { hidePassword } from "../stores/url.ts";
import type { Meter } from "./verify-meter.ts";
import type { Proof } from "./verify-report.ts";

/**
 * Which settings of the environment the instances get. The others would change what is expected, or meddle with a
 * service that runs: take its port, write into its backups, report to who watches it. A new setting does not compile
 * before it has its place here.
 */
const PASSES: Readonly<Record<SettingName, boolean>> = {
  HOST: false,
  PORT: false,
  DATABASE_URL: false,
  ENVIRONMENT: true,
  STABILITY: true,
  FIRST_KEY: false,
  PRODUCTION_URL: false,
  STAGING_URL: false,
  LOG_LEVEL: false,
  LOG_FORMAT: false,
  LOG_REQUESTS: false,
  METRICS_PORT: false,
  METRICS_HOST: false,
  OTEL_EXPORTER_OTLP_ENDPOINT: false,
  OTEL_EXPORTER_OTLP_HEADERS: false,
  OTEL_SERVICE_NAME: false,
  OTEL_TRACES_SAMPLER: false,
  OTEL_TRACES_SAMPLER_ARG: false,
  SHUTDOWN_SECONDS: true,
  CORS_ORIGINS: false,
  RATE_LIMIT: false,
  TLS_CERT: false,
  TLS_KEY: false,
  TRUST_PROXY: true,
  MAX_REQUESTS: false,
  KEEP_ALIVE_SECONDS: false,
  HSTS_SECONDS: false,
  WORKERS: true,
  BACKUP_EVERY: false,
  BACKUP_DIR: false,
  BACKUP_KEEP: false,
};

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
  const [passed, kept] = [
    SETTING_NAMES.filter((name) => PASSES[name]),
    SETTING_NAMES.filter((name) => !PASSES[name]),
  ];
  const given = passed
    .filter((name) => sources[name] === "environment")
    .map((name) => `${name}=${texts[name]}`);
  const place = await openPlace(database).catch((error) => {
    if (!(error instanceof UnusablePlace)) throw error;
    throw new CommandFailure(error.message, error instanceof MissingPlace ? 1 : 2);
  });
  const watchdog = new Watchdog(place.folder);
  const program: Program = {
    command: [process.execPath, ...process.execArgv, Bun.main],
    environment: environmentWithout(kept),
    watchdog,
    signal,
  };
  const again = [
    "--seed",
    seed,
    "--minutes",
    minutes,
    ...(database === undefined ? [] : ["--database", hidePassword(database)]),
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
      await (signal.aborted ? watchdog.bite() : watchdog.over());
      try {
        await place[Symbol.asyncDispose]();
      } catch (error) {
        throw error instanceof UnusablePlace ? new CommandFailure(error.message, 1, { cause: error }) : error;
      }
    },
  };
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
