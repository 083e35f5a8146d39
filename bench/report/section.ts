import type { Kind } from "../side.ts";
import type { Spread } from "../spread.ts";

/** The result of an experiment, for JSON and for text. */
export interface Section {
  readonly name: string;
  readonly title: string;
  /** What a reader of the table must know. */
  readonly notes: readonly string[];
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly findings: readonly Finding[];
  /** How it was measured; `main.ts` adds it to the result of an experiment. */
  readonly run?: Run;
  /** Whether the experiment failed; the notes say why. */
  readonly failed?: boolean;
}

/** One run of the bench. */
export interface Run {
  /** In UTC. */
  readonly date: string;
  /** The commit of the checkout, with a mark when it has changes. */
  readonly commit: string;
  readonly rounds: number;
  readonly seconds: number;
  /** The load average of the minute before: the number of processes ready to run. */
  readonly load: number;
  readonly generator: string;
}

export interface Column {
  readonly key: string;
  readonly label: string;
  /** Digits after the decimal point. */
  readonly digits: number;
}

export interface Row {
  readonly name: string;
  readonly kind: Kind;
  /** By the key of their column; an absent figure was not measured. */
  readonly figures: Readonly<Record<string, Spread>>;
}

/** A ratio of our figure to another side's, and its aim. */
export interface Finding {
  readonly what: string;
  readonly value: Spread;
  readonly digits: number;
  readonly aim: Aim;
}

type Aim = { readonly atLeast: number } | { readonly atMost: number };

export function isMet(aim: Aim, { median }: Spread): boolean {
  return "atLeast" in aim ? median >= aim.atLeast : median <= aim.atMost;
}
