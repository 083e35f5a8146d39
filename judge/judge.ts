import { type Finding, type Judgement, judgementOf } from "./judgement.ts";
import type { Run } from "./rule.ts";
import { RULES } from "./rules.ts";

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
  return judgementOf(findings);
}
