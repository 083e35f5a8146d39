import type { Revision } from "../../domain/store.ts";

/** Words of the WAL-index header (sqlite.org/walformat.html, section 2.1), which every commit rewrites. */
const CHANGE_COUNTER = 2;
const LAST_FRAME = 4;
const CHECKSUM = 6;
const HEADER_WORDS = 12;

/**
 * Tells whether anyone, in any process, has committed since the last look, by reading the shared
 * memory in which SQLite itself keeps that fact. `PRAGMA data_version` says the same and takes 2 µs,
 * a fifth of a whole request; this takes a hundredth of that. A header read in the middle of its being
 * rewritten counts as a change, which is always safe.
 */
export class SharedMemoryRevision {
  readonly #header: Uint32Array;
  #changeCounter = 0;
  #lastFrame = 0;
  #checksum = 0;
  #current: Revision = { stock: 0, keys: 0 };

  /** @param file the database, opened in WAL mode by this process, and kept open */
  constructor(file: string) {
    const bytes = Bun.mmap(`${file}-shm`, { shared: true });
    this.#header = new Uint32Array(bytes.buffer, bytes.byteOffset, HEADER_WORDS);
  }

  current(): Revision {
    const header = this.#header;
    const changeCounter = header[CHANGE_COUNTER] as number;
    const lastFrame = header[LAST_FRAME] as number;
    const checksum = header[CHECKSUM] as number;
    if (
      changeCounter !== this.#changeCounter ||
      lastFrame !== this.#lastFrame ||
      checksum !== this.#checksum
    ) {
      this.#changeCounter = changeCounter;
      this.#lastFrame = lastFrame;
      this.#checksum = checksum;
      // SQLite does not say what was changed.
      const next = this.#current.stock + 1;
      this.#current = { stock: next, keys: next };
    }
    return this.#current;
  }
}
