import { type FilterName, JournalEntry } from "./journal-entry.ts";

/** The requests that a journal keeps; older ones leave it. */
const ENTRIES_MAX = 10_000;
/** Requests leave together, since moving the rest of a long array for each would take longer than the request. */
const LEAVE_TOGETHER = 1000;
/** The bodies that a journal keeps: at most 32 MB, if each is as long as may be. */
const BODIES_MAX = 1000;

/** The value that a request must have, by the name of the filter; a name that is left out admits all. */
export type JournalFilter = Readonly<Partial<Record<FilterName, string>>>;

/** The requests of a space, in the order of their arrival. */
export class Journal {
  #entries: JournalEntry[] = [];
  #lastId = 0;
  /** The last request that was deleted, and so has not left by itself. */
  #deletedId = 0;
  readonly #began = performance.now();

  /** Milliseconds since the journal began. */
  get elapsedMs(): number {
    return performance.now() - this.#began;
  }

  /**
   * Adds a request that has just arrived.
   *
   * @param operation its id, if path and method name one
   * @param key the name of its API key, if that is known
   */
  add(
    { method, headers }: Request,
    target: string,
    operation: string | null,
    key: string | null,
  ): JournalEntry {
    const id = ++this.#lastId;
    const { elapsedMs } = this;
    const entry = new JournalEntry({
      id,
      at: Date.now(),
      elapsedMs,
      method,
      target,
      operation,
      key,
      headers,
    });
    this.#entries.push(entry);
    this.#entries.at(-BODIES_MAX - 1)?.forgetBodies();
    if (this.#entries.length >= ENTRIES_MAX + LEAVE_TOGETHER) this.#entries.splice(0, LEAVE_TOGETHER);
    return entry;
  }

  /**
   * The requests that a filter admits, oldest first.
   *
   * @param after only requests after the one with this id
   * @param limit how many to show; all of them are counted
   */
  find(filter: JournalFilter, after: number, limit: number) {
    const kept = this.#entries.slice(-ENTRIES_MAX);
    const wanted = Object.entries(filter) as [FilterName, string][];
    const found = kept.filter(
      (entry) => entry.id > after && wanted.every(([name, value]) => entry.valueOf(name) === value),
    );
    const dropped = (kept[0]?.id ?? this.#lastId + 1) - 1 - this.#deletedId;
    return { count: found.length, dropped, requests: found.slice(0, limit) };
  }

  /** Deletes all requests. Ids go on from the last one. */
  clear(): void {
    this.#entries = [];
    this.#deletedId = this.#lastId;
  }
}
