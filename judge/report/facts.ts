import type { Judgement } from "../judge.ts";
import type { Run } from "../rule.ts";

/** A judgement for programs. */
export function toFacts(
  command: readonly string[],
  runs: readonly Run[],
  { findings, score }: Judgement,
  threshold: number,
) {
  return {
    command,
    score,
    threshold,
    runs: runs.map(({ name, exitCode, requests }) => ({ name, exitCode, requests: requests.length })),
    rules: findings.map(({ rule: { id, title, page }, verdict, evidence }) => ({
      id,
      title,
      verdict,
      evidence,
      page: `docs/${page}`,
    })),
  };
}
