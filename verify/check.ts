import type { Failure } from "../contract/contract-violation.ts";
import type { Program } from "./program.ts";
import type { Testbed } from "./testbed/testbed.ts";

/**
 * The result of a check. `inconclusive`: nothing contradicts the promise, but the check could not show it, for example on a
 * disk that does not sync or on a machine that is too slow. `skipped`: the check does not apply, for example to backups of
 * a database with its own tools.
 */
export type Verdict = "passed" | "failed" | "inconclusive" | "skipped";

/** What a check found. */
export interface Finding {
  readonly verdict: Verdict;
  /** The promise that was verified, if it is less than the check's own. */
  readonly promise?: string;
  /** What the check saw, in a few lines. */
  readonly details: readonly string[];
  /** The same for programs. */
  readonly figures?: Readonly<Record<string, unknown>>;
  readonly failure?: Failure;
}

/** The finding of a check, with its name and duration. */
export interface Outcome extends Finding {
  readonly name: string;
  readonly promise: string;
  readonly seconds: number;
}

/** Everything that a check with instances of its own may use. */
export interface Context {
  readonly seed: number;
  /** How long it should take, in milliseconds. */
  readonly budgetMs: number;
  readonly program: Program;
  readonly testbed: Testbed;
  /** Aborted when the run must end. */
  readonly signal: AbortSignal;
  /** Reports how far the check is, from 0 to 1, and how many of its units are done. */
  readonly progress: (part: number, count: number) => void;
}

/** A promise, and how it is verified. */
export interface Check {
  /** One word, for the command line. */
  readonly name: string;
  /** In plain words. */
  readonly promise: string;
  /** What its progress counts. */
  readonly unit: string;
  /** Its share of the time, relative to the other checks. */
  readonly share: number;
  /** @throws BrokenPromise */
  run(context: Context): Promise<Finding>;
}

/** A time budget: how much of it is used up, and whether all of it is. */
export class Deadline {
  readonly #began = performance.now();
  readonly #milliseconds: number;
  readonly #signal: AbortSignal;

  constructor(milliseconds: number, signal: AbortSignal) {
    this.#milliseconds = milliseconds;
    this.#signal = signal;
  }

  get part(): number {
    return Math.min(1, (performance.now() - this.#began) / this.#milliseconds);
  }

  get isOver(): boolean {
    return this.part === 1 || this.#signal.aborted;
  }
}
