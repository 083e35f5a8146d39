import type { Check, Outcome } from "../check.ts";
import { runChecks } from "../run.ts";
import { openTestbed } from "../testbed/open.ts";
import { Watchdog } from "../watchdog.ts";
import type { ReportProgress, Verification } from "./verification.ts";

interface OwnOptions {
  readonly checks: readonly Check[];
  /** A URL that says which kind of store to use, and on which disk; by default SQLite in the temporary folder. */
  readonly database: string | undefined;
  readonly minutes: number;
  readonly seed: number;
  /** Starts the program under test. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Settings of the environment that apply to the instances too, as `NAME=value`. */
  readonly settings: readonly string[];
  readonly hidePassword: (url: string) => string;
  readonly progress: ReportProgress;
  readonly signal: AbortSignal;
}

/**
 * Verifies instances that the run itself starts, on stores of its own.
 *
 * @throws UnusableTestbed
 */
export async function verifyOwn(options: OwnOptions): Promise<Verification> {
  const { database, minutes, seed, command, environment, settings, signal } = options;
  const testbed = await openTestbed(database);
  const watchdog = new Watchdog(testbed.folder);
  const program = { command, environment, watchdog, signal };
  const flags = [
    `--seed ${seed} --minutes ${minutes}`,
    ...(database === undefined ? [] : [`--database ${options.hidePassword(database)}`]),
  ];
  async function* outcomes(): AsyncGenerator<Outcome> {
    yield* runChecks(options.checks, minutes * 60_000, ({ name, unit }) => {
      const progress = (part: number, count: number) => options.progress(name, unit, part, count);
      progress(0, 0);
      return { seed, program, testbed, signal, progress };
    });
  }
  return {
    subject: [testbed.description, ...settings].join(", "),
    seed,
    duration: minutes < 2 ? `about ${Math.ceil(minutes * 60)} seconds` : `about ${minutes} minutes`,
    outcomes: outcomes(),
    repeatCommand: (check) => [...settings, "animal-store verify", ...flags, `--only ${check}`].join(" "),
    left: () => [],
    async end() {
      // An interrupted run may have left instances running.
      await (signal.aborted ? watchdog.killAll() : watchdog.dismiss());
      await testbed[Symbol.asyncDispose]();
    },
  };
}
