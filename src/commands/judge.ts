import { ALL_OPERATIONS } from "../../contract/operations.ts";
import { runsOf } from "../../judge/faults.ts";
import { judge } from "../../judge/judge.ts";
import { toBadge } from "../../judge/report/badge.ts";
import { toFacts } from "../../judge/report/facts.ts";
import { toJunit } from "../../judge/report/junit.ts";
import { toText } from "../../judge/report/text.ts";
import { RULES } from "../../judge/rules.ts";
import { parseWholeNumber } from "../cli/counts.ts";
import { Output } from "../cli/output.ts";
import { assertWritable, writeAtomically } from "../process/atomic-file.ts";
import { CommandFailure, wrongValue } from "../process/errors.ts";
import { Interruption } from "../process/on-signal.ts";
import { observe } from "./judge/observe.ts";

interface Options {
  readonly threshold: string;
  readonly skip?: string;
  readonly timeout: string;
  readonly junit?: string;
  readonly badge?: string;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

const TIMEOUT_MAX_SECONDS = 3600;

/** `animal-store sandbox judge`: runs a client's command, undisturbed and with faults, and judges what it did. */
export async function judgeClient(command: readonly string[], options: Options): Promise<void> {
  const output = new Output({ ...options });
  const threshold = parseWholeNumber("--threshold", options.threshold, 0, 100);
  const seconds = parseWholeNumber("--timeout", options.timeout, 1, TIMEOUT_MAX_SECONDS);
  const skipped = rulesNamed(options.skip);
  const replace = options.force === true;
  for (const file of [options.junit, options.badge]) if (file) assertWritable(file, { replace });
  using interruption = new Interruption("The client is not judged; everything that the run made is removed.");
  const runs = [];
  for (const { name, faults } of runsOf(ALL_OPERATIONS)) {
    await output.explain(`${name}: ${command.join(" ")}`);
    runs.push(
      await observe(name, command, faults, seconds * 1000).catch((error) => {
        throw notStarted(command, error);
      }),
    );
  }
  const judgement = judge(runs, skipped);
  if (options.junit) writeAtomically(options.junit, toJunit(command, judgement), { replace });
  if (options.badge) writeAtomically(options.badge, toBadge(judgement), { replace });
  interruption.outcome = "The client is judged.";
  await output.answer(toFacts(command, runs, judgement, threshold), toText(command, runs, judgement));
  if (judgement.score === null) {
    throw new CommandFailure("the command sent no request that a rule could be judged by.", 3);
  }
  if (judgement.score < threshold) {
    throw new CommandFailure(`the score is ${judgement.score}, and --threshold is ${threshold}.`);
  }
}

function rulesNamed(list: string | undefined): ReadonlySet<string> {
  const names = (list ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const ids = RULES.map(({ id }) => id);
  const unknown = names.find((name) => !ids.includes(name));
  if (unknown !== undefined) throw wrongValue("--skip", unknown, `name some of ${ids.join(", ")}`);
  return new Set(names);
}

/** Turns the system's error about a command that cannot be started into a message. */
function notStarted([program = ""]: readonly string[], error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "EACCES"
    ? new CommandFailure(`cannot run ${program}: ${message}.`, 1, { cause: error })
    : error;
}
