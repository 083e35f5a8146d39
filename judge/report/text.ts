import type { Finding, Judgement } from "../judgement.ts";

/** Evidence of one rule that people read; `--json` has all of it. */
const EVIDENCE_SHOWN = 3;

/**
 * A judgement for people.
 *
 * @param subject who was judged
 * @param lines what happened, before the rules
 */
export function toText(subject: string, lines: readonly string[], judgement: Judgement): string {
  const width = Math.max(...judgement.findings.map(({ rule }) => rule.id.length));
  return `${subject}\n${lines.map((line) => `  ${line}\n`).join("")}\n${judgement.findings
    .map((finding) => describe(finding, width))
    .join("")}\n${summary(judgement)}\n`;
}

function describe({ rule, verdict, evidence }: Finding, width: number): string {
  const shown = evidence.slice(0, EVIDENCE_SHOWN).map((fault) => `            ${fault}\n`);
  const more = evidence.length - shown.length;
  const rest = more > 0 ? `            and ${more} more\n` : "";
  const where = verdict === "failed" ? `            What to do: docs/${rule.page}\n` : "";
  const how = verdict === "untested" ? `            To test it, ${rule.testedBy}.\n` : "";
  return `  ${verdict.padEnd(8)}  ${rule.id.padEnd(width)}  ${rule.title}\n${shown.join("")}${rest}${where}${how}`;
}

function summary({ findings, score }: Judgement): string {
  const counts = (["passed", "failed", "untested", "skipped"] as const)
    .map((verdict) => ({ verdict, count: findings.filter((each) => each.verdict === verdict).length }))
    .filter(({ count }) => count > 0)
    .map(({ verdict, count }) => `${count} ${verdict}`);
  return `${counts.join(", ")}: ${score === null ? "no score" : `${score} of 100`}`;
}
