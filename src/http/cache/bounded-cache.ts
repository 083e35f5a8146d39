/** Keeps values until they are too many, and then starts over. */
export class BoundedCache<Value> {
  readonly #capacity: number;
  readonly #values = new Map<string, Value>();
  #size = 0;

  /** @param capacity what the sizes given to `set` may add up to */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  /** @param size what the value takes; a value that replaces another counts again */
  set(key: string, value: Value, size: number): void {
    this.#size += size;
    if (this.#size > this.#capacity) {
      this.#values.clear();
      this.#size = size;
    }
    this.#values.set(key, value);
  }
}
