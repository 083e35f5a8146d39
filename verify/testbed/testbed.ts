/** A fault injected into a store from outside; `await using` undoes it. */
export type Fault = AsyncDisposable;

/** Makes stores of one kind, on one disk, for one verification, and removes all of them at its end. */
export interface Testbed extends AsyncDisposable {
  /** The kind of store and its place, for people. */
  readonly description: string;
  readonly kind: "sqlite" | "postgres";
  /** A folder of its own, on the disk under test if that is a disk of this machine. */
  readonly folder: string;
  /** What the engine reports about its durability, and what speaks against it. */
  durability(): Promise<{ readonly doubts: readonly string[]; readonly details: readonly string[] }>;
  /** Makes an empty store in a folder of its own; the previous store is no longer needed. */
  fresh(): Promise<TestStore>;
}

/** An empty store that no other program uses. */
export interface TestStore {
  readonly url: string;
  /** The current folder of its instances. */
  readonly folder: string;
  /** Takes the store's tables away: an unexpected failure. */
  confuse(): Promise<Fault>;
  /** Makes the store unable to answer, like a failing disk or a lost connection. */
  block(): Promise<Fault>;
  /** Removes the store. */
  discard(): Promise<void>;
  /** Damage that the engine itself finds in its data; `undefined` if there is none. */
  examine(): Promise<string | undefined>;
}

/** The testbed cannot be used; the message says what would be right. */
export class UnusableTestbed extends Error {}

/** The testbed does not exist. */
export class MissingTestbed extends UnusableTestbed {}
