import type { Rule, Run } from "./rule.ts";
import { RULES } from "./rules.ts";

/** What became of one rule. */
export interface Finding {
  readonly rule: Rule;
  readonly verdict: "passed" | "failed" | "untested" | "skipped";
  /** What the client did wrong, a sentence each, by the run. */
  readonly evidence: readonly string[];
}

export interface Judgement {
  readonly findings: readonly Finding[];
  /** The share of rules that passed, from 0 to 100: what was not tested has not passed. `null` if nothing was tested. */
  readonly score: number | null;
}

/**
 * Judges a client by what it did in its runs.
 *
 * @param skipped ids of rules that do not count
 */
export function judge(runs: readonly Run[], skipped: ReadonlySet<string> = new Set()): Judgement {
  const findings = RULES.map((rule): Finding => {
    if (skipped.has(rule.id)) return { rule, verdict: "skipped", evidence: [] };
    const observed = runs.map((run) => ({ run, ...rule.observe(run, runs) }));
    const evidence = observed.flatMap(({ run, faults }) => faults.map((fault) => `${run.name}: ${fault}`));
    const isTested = observed.some(({ tested }) => tested > 0);
    return { rule, verdict: evidence.length > 0 ? "failed" : isTested ? "passed" : "untested", evidence };
  });
  const verdicts = findings.map(({ verdict }) => verdict).filter((verdict) => verdict !== "skipped");
  const passed = verdicts.filter((verdict) => verdict === "passed").length;
  const isTested = verdicts.some((verdict) => verdict !== "untested");
  // Rounded down: 100 means all.
  return { findings, score: isTested ? Math.floor((100 * passed) / verdicts.length) : null };
}
