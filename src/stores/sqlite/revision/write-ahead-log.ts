import { statSync } from "node:fs";
import type { WriteAheadLog } from "../../../observations/write-ahead-log.ts";
import { readLocks } from "../lock-holders.ts";
import { logOf, sharedMemoryOf } from "../store-files.ts";
import type { MappedHeader } from "./shared-memory-revision.ts";

/** Words of the WAL-index header (sqlite.org/walformat.html, sections 2.1 and 2.2). */
const LAST_FRAME = 4;
/** Another one each time that the log begins again. */
const SALT = 8;
const BACKFILLED = 24;
const FIRST_READ_MARK = 25;
/** Each reader locks a byte of the shared memory; a reader that needs nothing from the log locks the first byte. */
const FIRST_READ_LOCK = 123;
const READ_LOCKS = 5;

/**
 * Measures the write-ahead log of a database, and how long the oldest reader has kept a checkpoint from resetting it. Such
 * a reader, in any process, still sees an earlier state of the store. SQLite does not record when it began, so its age is
 * counted from the first look that found it.
 */
export class WriteAheadLogWatch {
  readonly #file: string;
  readonly #words: Uint32Array;
  /** When each reader that is behind was first seen, in milliseconds. */
  #readers = new Map<string, number>();

  /** @param header the shared memory of the same database */
  constructor(file: string, header: MappedHeader) {
    this.#file = file;
    this.#words = header.words;
  }

  /** @param now milliseconds, monotonic */
  look(now: number): WriteAheadLog {
    const readers = this.#behind();
    const since = new Map(readers?.map((reader) => [reader, this.#readers.get(reader) ?? now]));
    this.#readers = since;
    const oldest = readers && Math.max(0, ...[...since.values()].map((first) => (now - first) / 1000));
    const bytes = statSync(logOf(this.#file), { throwIfNoEntry: false })?.size ?? 0;
    return { bytes, oldestReaderSeconds: oldest };
  }

  /** The readers of an earlier state; `undefined` if the system does not list the holders of locks. */
  #behind(): string[] | undefined {
    const words = this.#words;
    const last = words[LAST_FRAME] as number;
    return readLocks(sharedMemoryOf(this.#file))?.flatMap(({ holder, from, to }) => {
      const behind: string[] = [];
      for (let place = 0; place < READ_LOCKS; place++) {
        const byte = FIRST_READ_LOCK + place;
        if (byte < from || byte > to) continue;
        const sees = words[place === 0 ? BACKFILLED : FIRST_READ_MARK + place] as number;
        // The log does not begin again while a reader is behind.
        if (sees < last) behind.push(`${holder} ${place} ${place === 0 ? "" : sees} ${words[SALT]}`);
      }
      return behind;
    });
  }
}
