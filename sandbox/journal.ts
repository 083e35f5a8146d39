import { EntryList } from "./entry-list.ts";
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
export class Journal extends EntryList<JournalEntry> {
  readonly #operationOf: OperationOf;

  /** @param memory of all journals */
  constructor(operationOf: OperationOf, memory: JournalMemory) {
    super(memory);
    this.#operationOf = operationOf;
  }

  /**
   * Adds a request that has just arrived.
   *
   * @param key the name of its API key, if that is known
   */
  add({ method, headers }: Request, target: string, key: string | null): JournalEntry {
    const make = (id: number) => {
      const arrival = { id, at: Date.now(), elapsedMs: this.elapsedMs, method, target, key, headers };
      return new JournalEntry(arrival, this.#operationOf, this.grow);
    };
    return this.keep(make, (count) => {
      this.entries.at(-BODIES_MAX - 1)?.forgetBodies();
      return count >= ENTRIES_MAX + LEAVE_TOGETHER ? LEAVE_TOGETHER : 0;
    });
  }

  /**
   * The requests that a filter admits, oldest first.
   *
   * @param after only requests after the one with this id
   * @param limit how many to show; all of them are counted
   * @param nearest how many to show of those that come nearest to it; with none, there is no such list
   */
  find(filter: JournalFilter, after: number, limit: number, nearest = 0) {
    const kept = this.entries.slice(-ENTRIES_MAX);
    const later = kept.filter(({ id }) => id > after);
    const wanted = Object.entries(filter) as [FilterName, string][];
    const found = later.filter((entry) => wanted.every(([name, value]) => entry.valueOf(name) === value));
    return {
      count: found.length,
      dropped: this.droppedBefore(kept[0]),
      requests: found.slice(0, limit),
      ...(nearest > 0 && { nearest: nearestTo(filter, later, nearest) }),
    };
  }
}
