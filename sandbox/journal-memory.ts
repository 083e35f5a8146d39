/** What the journals of all spaces take together, in bytes. */
const JOURNALS_MAX_BYTES = 256 * 1024 * 1024;

/** A journal, as far as it takes memory. */
interface Shrinkable {
  readonly bytes: number;
  /** Lets the oldest requests go. */
  shrink(): void;
}

/** The memory that the journals of all spaces share. If it gets short, the largest journal gives way: others notice nothing. */
export class JournalMemory {
  readonly #journals = new Set<Shrinkable>();
  readonly #maximum: number;
  #bytes = 0;

  /** @param maximum in bytes */
  constructor(maximum = JOURNALS_MAX_BYTES) {
    this.#maximum = maximum;
  }

  /** What they take at present. */
  get bytes(): number {
    return this.#bytes;
  }

  join(journal: Shrinkable): void {
    this.#journals.add(journal);
  }

  leave(journal: Shrinkable): void {
    if (this.#journals.delete(journal)) this.#bytes -= journal.bytes;
  }

  /** Notes that a journal takes more, or less. */
  grow(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Makes room where too much is taken. */
  trim(): void {
    while (this.#bytes > this.#maximum) {
      let largest: Shrinkable | undefined;
      for (const journal of this.#journals) if (journal.bytes > (largest?.bytes ?? 0)) largest = journal;
      if (!largest) return;
      largest.shrink();
    }
  }
}
