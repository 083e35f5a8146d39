import { closeSync, constants, fstatSync, ftruncateSync, openSync, statSync } from "node:fs";
import type { Revision } from "../../../domain/revision.ts";
import { shareAs } from "../file.ts";
import type { ChangeCounters, Counted } from "./change-counters.ts";

/** Words of the WAL-index header (sqlite.org/walformat.html, section 2.1), which every commit rewrites. */
const CHANGE_COUNTER = 2;
const LAST_FRAME = 4;
const CHECKSUM = 6;
/** Two copies of the header, and how far readers and the checkpoint are (section 2.2). */
const HEADER_WORDS = 34;
/** What SQLite makes the file at first. */
const INDEX_BYTES = 32 * 1024;

/** SQLite refuses a link in this place too: the owner of a link must not choose which file changes. */
const CREATE_UNLESS_LINK = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW;

/** Each header in this process, by inode: a file may be mapped only once. See `mapHeader`. */
const mapped = new Map<bigint, Uint32Array>();

/** The shared memory of a database, as this process sees it. */
export interface MappedHeader {
  readonly inode: bigint;
  readonly words: Uint32Array;
}

/**
 * Maps the shared memory of a database. To be called before this process opens the database: mapping
 * opens and closes the file, and POSIX drops all locks that a process has on a file when it closes any
 * descriptor of it. SQLite's locks there tell other processes that the memory is in use; without them the
 * next to come would empty it.
 *
 * @param file the database
 */
export function mapHeader(file: string): MappedHeader {
  const path = `${file}-shm`;
  const known = mapped.get(inodeOf(file) ?? 0n);
  if (known === undefined) {
    // SQLite takes a file that no process has locked for a leftover, and resets it in place. To be mapped it
    // must exist, and be as long as the part that is read.
    const descriptor = openSync(path, CREATE_UNLESS_LINK, 0o600);
    if (fstatSync(descriptor).size < INDEX_BYTES) ftruncateSync(descriptor, INDEX_BYTES);
    closeSync(descriptor);
    shareAs(path, file);
  }
  const inode = inodeOf(file);
  if (inode === undefined) return mapHeader(file);
  let words = mapped.get(inode);
  if (!words) {
    const bytes = Bun.mmap(path, { shared: true });
    words = new Uint32Array(bytes.buffer, bytes.byteOffset, HEADER_WORDS);
    mapped.set(inode, words);
  }
  return { inode, words };
}

/** Whether a database that this process has open by now uses the memory that was mapped before. */
export function isStillMapped(file: string, { inode }: MappedHeader): boolean {
  return inodeOf(file) === inode;
}

function inodeOf(file: string): bigint | undefined {
  return statSync(`${file}-shm`, { bigint: true, throwIfNoEntry: false })?.ino;
}

/**
 * Tells whether anyone, in any process, has committed since the last look, by reading the shared
 * memory in which SQLite itself keeps that fact. `PRAGMA data_version` says the same and takes 2 µs,
 * a fifth of a whole request; this takes a hundredth of that. A header read in the middle of its being
 * rewritten counts as a change, which is always safe. What has changed the database counts by itself.
 */
export class SharedMemoryRevision {
  readonly #header: Uint32Array;
  readonly #counters: ChangeCounters;
  #changeCounter = 0;
  #lastFrame = 0;
  #checksum = 0;
  #counted: Counted | undefined;
  #current: Revision = { epoch: 0, append: 0, rewrite: 0, keys: 0 };

  /**
   * @param header of a database that this process has opened in WAL mode, and keeps open
   * @param counters of the same database
   */
  constructor(header: MappedHeader, counters: ChangeCounters) {
    this.#header = header.words;
    this.#counters = counters;
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
      // Behind the look at the header: what is committed in between is counted now, and looked at once more.
      const counted = this.#counters.read();
      this.#grow(counted);
      // Where they cannot be read, the next look is not to take that for done.
      if (counted === undefined) return this.#current;
      this.#changeCounter = changeCounter;
      this.#lastFrame = lastFrame;
      this.#checksum = checksum;
    }
    return this.#current;
  }

  /** Outdates everything that was read so far. */
  outdate(): Revision {
    this.#grow(undefined);
    return this.#current;
  }

  /** After a commit: of what is not known to have stood still, the revision grows. */
  #grow(counted: Counted | undefined): void {
    const before = this.#counted;
    const { append, rewrite, keys } = this.#current;
    const comparable = counted !== undefined && counted.schema === before?.schema;
    this.#current = {
      epoch: 0,
      append: append + 1,
      rewrite: comparable && counted.rewrite === before.rewrite ? rewrite : rewrite + 1,
      keys: comparable && counted.keys === before.keys ? keys : keys + 1,
    };
    this.#counted = counted;
  }
}
