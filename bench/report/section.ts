import type { Kind } from "../side.ts";
import type { Spread } from "../spread.ts";

/** What an experiment found, ready to be written as JSON or as text. */
export interface Section {
  readonly name: string;
  readonly title: string;
  /** What a reader must know to read the table. */
  readonly notes: readonly string[];
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly findings: readonly Finding[];
  /** How it was measured; it is added to what an experiment returns. */
  readonly run?: Run;
  /** Whether the experiment broke off; the notes say why. */
  readonly failed?: boolean;
}

/** One run of the bench. */
export interface Run {
  /** In UTC. */
  readonly date: string;
  /** What `git describe` says of the checkout. */
  readonly commit: string;
  readonly rounds: number;
  readonly seconds: number;
  /** How busy the machine was before: processes that wanted to run, over the last minute. */
  readonly load: number;
  readonly generator: string;
}

export interface Column {
  readonly key: string;
  readonly label: string;
  /** After the decimal point. */
  readonly digits: number;
}

export interface Row {
  readonly name: string;
  readonly kind: Kind;
  /** By the key of their column; what is absent was not measured. */
  readonly figures: Readonly<Record<string, Spread>>;
}

/** A figure of ours in proportion to another's, and what it is to be. */
export interface Finding {
  readonly what: string;
  readonly value: Spread;
  readonly digits: number;
  readonly aim: Aim;
}

export type Aim = { readonly atLeast: number } | { readonly atMost: number };

export function isMet(aim: Aim, { median }: Spread): boolean {
  return "atLeast" in aim ? median >= aim.atLeast : median <= aim.atMost;
}
