/** Creates, or changes of orders, that share one transaction. */
export interface Commit {
  readonly writes: number;
  /** What `waits` returned for each write. */
  readonly marks: readonly unknown[];
  /** How long the first write had waited when the transaction began. */
  readonly waitedMilliseconds: number;
  /** From the beginning of the transaction until it was on the disk. */
  readonly milliseconds: number;
  /** Why nothing was stored, if the transaction failed. */
  readonly error: unknown;
}

/** Observes the commits of a store. It never throws. */
export interface CommitObserver {
  /** Called once for each queue of the store, with a function that returns the number of waiting writes. */
  queue?(length: () => number): void;
  /** Called when a write begins to wait. The commit's `marks` contain what it returns. */
  waits?(): unknown;
  committed(commit: Commit): void;
}
