import type { RunName } from "./faults.ts";
import type { JournalRequest } from "./journal.ts";
import type { RuleStatement } from "./judgement.ts";

/** What a client did in one run of its command, on a sandbox of its own. */
export interface Run {
  readonly name: RunName;
  /** `null` if the command took too long and was stopped. */
  readonly exitCode: number | null;
  /** Everything that the command wrote. */
  readonly output: string;
  /** The `categoryId` of the animal called Max: of 64 bits, and another in each run, so a client that sends it has read it. */
  readonly placed: string;
  readonly requests: readonly JournalRequest[];
}

/** What one run shows of a rule. */
export interface Observation {
  /** How often the run put the rule to the test. */
  readonly tested: number;
  /** What the client did wrong, a sentence each. */
  readonly faults: readonly string[];
}

/** Something that a good client does, and that its requests show. */
export interface Rule extends RuleStatement {
  /** @param runs all runs of the judgement, with which this one can be compared */
  observe(run: Run, runs: readonly Run[]): Observation;
}

/** The same look at each of some requests: a sentence where the client did wrong. */
export function observeEach<Item>(
  items: readonly Item[],
  faultOf: (item: Item) => string | undefined,
): Observation {
  return { tested: items.length, faults: items.flatMap((item) => faultOf(item) ?? []) };
}
