import type { Rule, Run } from "../rule.ts";

export const SUCCEEDS: Rule = {
  id: "succeeds",
  title: "Its command succeeds where nothing fails.",
  testedBy: "send requests",
  page: "guides/judge.md",
  observe: (run) => exitOf(run, run.name === "undisturbed" && run.requests.length > 0),
};

export const SUCCEEDS_WITH_FAULTS: Rule = {
  id: "succeeds-with-faults",
  title: "Its command succeeds although requests fail at first.",
  testedBy: "send requests",
  page: "guides/retries.md",
  observe: (run) =>
    exitOf(run, WITH_FAULTS.has(run.name) && run.requests.some(({ fault }) => fault !== null)),
};

/** What is refused for good may end a command. */
const WITH_FAULTS: ReadonlySet<Run["name"]> = new Set(["broken connections", "outages"]);

function exitOf({ exitCode }: Run, isTested: boolean) {
  if (!isTested) return { tested: 0, faults: [] };
  const how = exitCode === null ? "took too long and was stopped" : `ended with exit code ${exitCode}`;
  return { tested: 1, faults: exitCode === 0 ? [] : [`the command ${how}`] };
}
