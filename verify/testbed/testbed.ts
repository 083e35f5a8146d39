/** Something that was done to a store from outside, and that is undone with `await using`. */
export type Fault = AsyncDisposable;

/** Makes stores of one kind, on one disk, for one verification, and removes all of them at its end. */
export interface Testbed extends AsyncDisposable {
  /** For people: what kind of store, and where. */
  readonly description: string;
  readonly kind: "sqlite" | "postgres";
  /** A folder of the proof's own, on the disk that matters where that is this machine's. */
  readonly folder: string;
  /** What the engine says of its own durability, and what of that speaks against it. */
  durability(): Promise<{ readonly doubts: readonly string[]; readonly details: readonly string[] }>;
  /** Makes an empty store, in a folder of its own; the store before it is over. */
  fresh(): Promise<TestStore>;
}

/** An empty store that nobody else uses. */
export interface TestStore {
  readonly url: string;
  /** The current folder of its instances. */
  readonly folder: string;
  /** Takes the store's tables away, which nobody could foresee. */
  confuse(): Promise<Fault>;
  /** Makes the store unable to answer, as a failing disk or a lost connection does. */
  block(): Promise<Fault>;
  /** Removes it: it was done with. */
  discard(): Promise<void>;
  /** What the engine itself says of what it has stored: `undefined` when all is well. */
  examine(): Promise<string | undefined>;
}

/** A place that cannot be used; the message says what would be right. */
export class UnusableTestbed extends Error {}

/** A place that does not exist. */
export class MissingTestbed extends UnusableTestbed {}
