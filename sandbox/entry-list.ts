import type { JournalMemory } from "./journal-memory.ts";

interface Entry {
  readonly id: number;
  /** Gives back the memory that it takes. */
  leave(): void;
}

/** What is kept of a space in its order, with ids from 1, until the oldest leave: all such lists share their memory. */
export abstract class EntryList<Kept extends Entry> {
  readonly #memory: JournalMemory;
  #entries: Kept[] = [];
  #bytes = 0;
  #lastId = 0;
  /** The last entry that was deleted, and so has not left by itself. */
  #deletedId = 0;
  readonly #began = performance.now();

  constructor(memory: JournalMemory) {
    this.#memory = memory;
    memory.join(this);
  }

  /** Milliseconds since the list began, by a clock that nobody can set. */
  get elapsedMs(): number {
    return performance.now() - this.#began;
  }

  /** An estimate of the memory that it takes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Oldest first. */
  protected get entries(): readonly Kept[] {
    return this.#entries;
  }

  /** Notes that an entry takes more bytes, or fewer. */
  protected readonly grow = (bytes: number): void => {
    this.#bytes += bytes;
    this.#memory.grow(bytes);
  };

  /**
   * Keeps an entry.
   *
   * @param make is given its id
   * @param surplus how many of the oldest leave for it, of as many as there are then
   */
  protected keep(make: (id: number) => Kept, surplus: (count: number) => number): Kept {
    const entry = make(++this.#lastId);
    this.#entries.push(entry);
    this.#drop(surplus(this.#entries.length));
    this.#memory.trim();
    return entry;
  }

  /** How many entries have left by themselves before the first of those that are left. */
  protected droppedBefore(first: Kept | undefined): number {
    return (first?.id ?? this.#lastId + 1) - 1 - this.#deletedId;
  }

  /** Deletes all entries. Ids go on from the last one. */
  clear(): void {
    this.#drop(this.#entries.length);
    this.#deletedId = this.#lastId;
  }

  /** Lets the oldest tenth of its entries go. */
  shrink(): void {
    this.#drop(Math.ceil(this.#entries.length / 10));
  }

  /** Frees what it takes. What is in progress may still write into its entry. */
  end(): void {
    this.clear();
    this.#memory.leave(this);
  }

  #drop(count: number): void {
    for (const entry of this.#entries.splice(0, count)) entry.leave();
  }
}
