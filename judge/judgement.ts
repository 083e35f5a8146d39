/** What a rule says, of a client or of a receiver. */
export interface RuleStatement {
  readonly id: string;
  /** What a program that keeps to it does. */
  readonly title: string;
  /** Completes "To test it, …": what must happen so that the rule can be judged. */
  readonly testedBy: string;
  /** The page that says what to do instead, below `docs`. */
  readonly page: string;
}

/** What became of one rule. */
export interface Finding {
  readonly rule: RuleStatement;
  readonly verdict: "passed" | "failed" | "untested" | "skipped";
  /** What was done wrong, a sentence each. */
  readonly evidence: readonly string[];
}

export interface Judgement {
  readonly findings: readonly Finding[];
  /** The share of rules that passed, from 0 to 100: what was not tested has not passed. `null` if nothing was tested. */
  readonly score: number | null;
}

/** The judgement that findings amount to; a skipped rule does not count. */
export function judgementOf(findings: readonly Finding[]): Judgement {
  const verdicts = findings.map(({ verdict }) => verdict).filter((verdict) => verdict !== "skipped");
  const passed = verdicts.filter((verdict) => verdict === "passed").length;
  const isTested = verdicts.some((verdict) => verdict !== "untested");
  // Rounded down: 100 means all.
  return { findings, score: isTested ? Math.floor((100 * passed) / verdicts.length) : null };
}
