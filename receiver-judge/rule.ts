import type { RuleStatement } from "../judge/judgement.ts";
import type { Acts } from "./acts.ts";
import type { Chain, Due, Sent } from "./delivery.ts";
import type { Mint } from "./mint.ts";

/** What a judge saw of a receiver. */
export interface Seen {
  /** What was sent for this rule. */
  readonly own: readonly Sent[];
  readonly all: readonly Sent[];
  /** `undefined` if the receiver does not show what it does. */
  readonly acts: Acts | undefined;
  /** How long it had for what it accepted, in milliseconds. */
  readonly patienceMs: number;
}

/** What of a rule shows besides the responses to its own deliveries. */
export interface Observation {
  readonly isTested: boolean;
  /** What the receiver did wrong, a sentence each. */
  readonly faults: readonly string[];
}

/** Something that a good receiver does. */
export interface ReceiverRule extends RuleStatement {
  /** Its deliveries: none where it is read from those of the others, or where what it needs was not given. */
  chains(mint: Mint): readonly Chain[];
  /** The twins of all rules that it judges besides: those to which this is due. */
  readonly twins?: Due;
  /** Without it, the responses that are due are all that counts. */
  observe?(seen: Seen): Observation;
}

/** The guide, which says what to do for each group of rules. */
export const GUIDE = "guides/judge-receiver.md";
