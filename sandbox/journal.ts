import { type FilterName, JournalEntry, type JournalFilter, type OperationOf } from "./journal-entry.ts";
import type { JournalMemory } from "./journal-memory.ts";
import { nearestTo } from "./nearest.ts";

/** The requests that a journal keeps; older ones leave it. */
const ENTRIES_MAX = 10_000;
/** Requests leave together, since moving the rest of a long array for each would take longer than the request. */
const LEAVE_TOGETHER = 1000;
/** The bodies that a journal keeps: at most 32 MB, if each is as long as may be. */
const BODIES_MAX = 1000;

/** The requests of a space, in the order of their arrival. */
export class Journal {
  readonly #operationOf: OperationOf;
  readonly #memory: JournalMemory;
  #entries: JournalEntry[] = [];
  #bytes = 0;
  #lastId = 0;
  /** The last request that was deleted, and so has not left by itself. */
  #deletedId = 0;
  readonly #began = performance.now();
  readonly #grow = (bytes: number) => {
    this.#bytes += bytes;
    this.#memory.grow(bytes);
  };

  /** @param memory of all journals */
  constructor(operationOf: OperationOf, memory: JournalMemory) {
    this.#operationOf = operationOf;
    this.#memory = memory;
    memory.join(this);
  }

  /** Milliseconds since the journal began. */
  get elapsedMs(): number {
    return performance.now() - this.#began;
  }

  /** An estimate of the memory that it takes. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Adds a request that has just arrived.
   *
   * @param key the name of its API key, if that is known
   */
  add({ method, headers }: Request, target: string, key: string | null): JournalEntry {
    const id = ++this.#lastId;
    const arrival = { id, at: Date.now(), elapsedMs: this.elapsedMs, method, target, key, headers };
    const entry = new JournalEntry(arrival, this.#operationOf, this.#grow);
    this.#entries.push(entry);
    this.#entries.at(-BODIES_MAX - 1)?.forgetBodies();
    if (this.#entries.length >= ENTRIES_MAX + LEAVE_TOGETHER) this.#drop(LEAVE_TOGETHER);
    this.#memory.trim();
    return entry;
  }

  /**
   * The requests that a filter admits, oldest first.
   *
   * @param after only requests after the one with this id
   * @param limit how many to show; all of them are counted
   * @param nearest how many to show of those that come nearest to it; with none, there is no such list
   */
  find(filter: JournalFilter, after: number, limit: number, nearest = 0) {
    const kept = this.#entries.slice(-ENTRIES_MAX);
    const later = kept.filter(({ id }) => id > after);
    const wanted = Object.entries(filter) as [FilterName, string][];
    const found = later.filter((entry) => wanted.every(([name, value]) => entry.valueOf(name) === value));
    const dropped = (kept[0]?.id ?? this.#lastId + 1) - 1 - this.#deletedId;
    return {
      count: found.length,
      dropped,
      requests: found.slice(0, limit),
      ...(nearest > 0 && { nearest: nearestTo(filter, later, nearest) }),
    };
  }

  /** Deletes all requests. Ids go on from the last one. */
  clear(): void {
    this.#drop(this.#entries.length);
    this.#deletedId = this.#lastId;
  }

  /** Lets the oldest tenth of its requests go. */
  shrink(): void {
    this.#drop(Math.ceil(this.#entries.length / 10));
  }

  /** Frees what it takes. Requests in progress may still write into it. */
  end(): void {
    this.clear();
    this.#memory.leave(this);
  }

  #drop(count: number): void {
    for (const entry of this.#entries.splice(0, count)) entry.leave();
  }
}
