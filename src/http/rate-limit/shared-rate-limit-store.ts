import { ftruncateSync, openSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RateLimitStore, Usage } from "./rate-limit-store.ts";

/** A bucket has a double for its lock, of which one word is used, and this many entries of three doubles. */
const ENTRIES = 5;
const ENTRY_DOUBLES = 3;
const BUCKET_DOUBLES = 1 + ENTRIES * ENTRY_DOUBLES;
const BUCKET_WORDS = 2 * BUCKET_DOUBLES;
/** 8192 buckets distinguish some 40,000 callers in 1 MiB. */
const BUCKETS = 8192;
const BYTES = BUCKETS * BUCKET_DOUBLES * 8;

const FREE = 0;
/** A holder keeps a lock for less than a microsecond. After this many looks at a lock, its holder is not running. */
const SPINS_MAX = 1000;
/** The shortest sleep of `Bun.sleepSync`, in milliseconds. */
const PAUSE_MS = 1;
/** Processes read the clock separately: a time that is older by at most this much was read earlier, not set back. */
const SKEW_MAX_MS = 100;

/**
 * A store that processes share: a mapped file that has no name any more. A caller's usage changes under the lock of its
 * bucket, which contains the number of the process that holds it.
 */
export class SharedRateLimitStore implements RateLimitStore {
  readonly #words: Int32Array;
  readonly #doubles: Float64Array;
  readonly #process: number;

  /** @param process this one's number, from 1 */
  constructor({ buffer, byteOffset }: Uint8Array, process: number) {
    this.#words = new Int32Array(buffer, byteOffset, BYTES / 4);
    this.#doubles = new Float64Array(buffer, byteOffset, BYTES / 8);
    this.#process = process;
  }

  update(caller: number, now: number, change: (before: Usage, now: number) => Usage): void {
    const bucket = caller % BUCKETS;
    this.#lock(bucket * BUCKET_WORDS);
    const entry = this.#find(bucket, caller);
    const known = this.#doubles[entry] === caller;
    const at = this.#doubles[entry + 2] as number;
    const time = known && at > now && at - now <= SKEW_MAX_MS ? at : now;
    const before = known ? { units: this.#doubles[entry + 1] as number, at } : { units: 0, at: time };
    const after = change(before, time);
    this.#doubles[entry] = caller;
    this.#doubles[entry + 1] = after.units;
    this.#doubles[entry + 2] = after.at;
    Atomics.store(this.#words, bucket * BUCKET_WORDS, FREE);
  }

  /** Releases the locks of a process that has ended. */
  unlock(process: number): void {
    for (let lock = 0; lock < this.#words.length; lock += BUCKET_WORDS) {
      Atomics.compareExchange(this.#words, lock, process, FREE);
    }
  }

  #lock(lock: number): void {
    for (let spins = 0; Atomics.compareExchange(this.#words, lock, FREE, this.#process) !== FREE; spins++) {
      if (spins >= SPINS_MAX) Bun.sleepSync(PAUSE_MS);
    }
  }

  /** The index of a caller's entry; if it has none yet, of a free entry, or of the least recent caller's. */
  #find(bucket: number, caller: number): number {
    const first = bucket * BUCKET_DOUBLES + 1;
    let found = first;
    for (let entry = first; entry < first + ENTRIES * ENTRY_DOUBLES; entry += ENTRY_DOUBLES) {
      if (this.#doubles[entry] === caller) return entry;
      if ((this.#doubles[entry + 2] as number) < (this.#doubles[found + 2] as number)) found = entry;
    }
    return found;
  }
}

/** Makes the file that processes share; returns its descriptor, which they inherit. */
export function createSharedFile(): number {
  const descriptor = openNameless();
  ftruncateSync(descriptor, BYTES);
  return descriptor;
}

/** Maps the inherited file into memory. */
export function mapShared(descriptor: number): Uint8Array {
  return Bun.mmap(`/proc/self/fd/${descriptor}`, { shared: true });
}

/** Opens a new file without a name, in memory if the system offers that. */
function openNameless(): number {
  const name = `animal-store-${crypto.randomUUID()}`;
  const open = (path: string) => {
    const descriptor = openSync(path, "wx+", 0o600);
    unlinkSync(path);
    return descriptor;
  };
  try {
    return open(join("/dev/shm", name));
  } catch {
    return open(join(tmpdir(), name));
  }
}
