import { ALL_OPERATIONS } from "../../contract/operations.ts";
import { runsOf } from "../../judge/faults.ts";
import { judge } from "../../judge/judge.ts";
import type { Run } from "../../judge/rule.ts";
import { RULES } from "../../judge/rules.ts";
import { CommandFailure } from "../process/errors.ts";
import { Interruption } from "../process/on-signal.ts";
import { observe } from "./judge/observe.ts";
import { JudgementReport, type JudgeOptions } from "./judgement-report.ts";

/** `animal-store sandbox judge`: runs a client's command, undisturbed and with faults, and judges what it did. */
export async function judgeClient(command: readonly string[], options: JudgeOptions): Promise<void> {
  const report = new JudgementReport(options, RULES);
  using interruption = new Interruption("The client is not judged; everything that the run made is removed.");
  const runs: Run[] = [];
  for (const { name, faults } of runsOf(ALL_OPERATIONS)) {
    await report.output.explain(`${name}: ${command.join(" ")}`);
    runs.push(
      await observe(name, command, faults, report.timeoutMs).catch((error) => {
        throw notStarted(command, error);
      }),
    );
  }
  const judgement = judge(runs, report.skipped);
  interruption.outcome = "The client is judged.";
  const subject = {
    who: "client",
    name: command.join(" "),
    lines: runs.map(lineOf),
    about: {
      command,
      runs: runs.map(({ name, exitCode, requests }) => ({ name, exitCode, requests: requests.length })),
    },
  };
  await report.write(judgement, subject, "the command sent no request that a rule could be judged by.");
}

function lineOf({ name, requests: { length: count }, exitCode }: Run): string {
  const end = exitCode === null ? "stopped" : `exit code ${exitCode}`;
  return `${name}: ${count} ${count === 1 ? "request" : "requests"}, ${end}`;
}

/** Turns the system's error about a command that cannot be started into a message. */
function notStarted([program = ""]: readonly string[], error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "EACCES"
    ? new CommandFailure(`cannot run ${program}: ${message}.`, 1, { cause: error })
    : error;
}
