import type { Judgement } from "../judgement.ts";

/**
 * A judgement for programs.
 *
 * @param about who was judged, and by what
 */
export function toFacts(about: object, { findings, score }: Judgement, threshold: number) {
  return {
    ...about,
    score,
    threshold,
    rules: findings.map(({ rule: { id, title, page }, verdict, evidence }) => ({
      id,
      title,
      verdict,
      evidence,
      page: `docs/${page}`,
    })),
  };
}
