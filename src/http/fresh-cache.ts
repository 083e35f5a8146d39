/** Reads the store's revision: see `Store.revision`. */
export type RevisionOf = () => number | undefined;

/**
 * Keeps what was made from the store's contents for exactly as long as the store does not change,
 * whoever changes it. Bounded: when it is full it starts over.
 */
export class FreshCache<Value> {
  readonly #revisionOf: RevisionOf;
  readonly #capacity: number;
  readonly #values = new Map<string, Value>();
  #revision: number | undefined;
  #size = 0;

  /** @param capacity what the sizes given to `set` may add up to */
  constructor(revisionOf: RevisionOf, capacity: number) {
    this.#revisionOf = revisionOf;
    this.#capacity = capacity;
  }

  get(key: string): Value | undefined {
    this.asOf();
    return this.#values.get(key);
  }

  /** The store's present revision: to be taken before reading what will be `set`. */
  asOf(): number | undefined {
    const revision = this.#revisionOf();
    if (revision !== this.#revision) {
      this.#revision = revision;
      this.#clear();
    }
    return revision;
  }

  /** Keeps a value that was made from what the store held as of a revision. */
  set(key: string, value: Value, asOf: number | undefined, size: number): void {
    if (asOf === undefined || asOf !== this.asOf()) return;
    if (this.#size + size > this.#capacity) this.#clear();
    this.#values.set(key, value);
    this.#size += size;
  }

  #clear(): void {
    this.#values.clear();
    this.#size = 0;
  }
}
