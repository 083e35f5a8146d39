import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

/** How long syncs took, in microseconds. */
export interface SyncTimes {
  readonly count: number;
  readonly least: number;
  readonly p50: number;
  readonly p99: number;
}

const PAGE_BYTES = 4096;
const SYNCS_MIN = 20;
const SYNCS_MAX = 400;

/** Writes a page and syncs it repeatedly, as a transaction log does. */
export function measureSyncs(folder: string, milliseconds: number): SyncTimes {
  const file = join(folder, "syncs");
  const descriptor = openSync(file, "w");
  try {
    const page = Buffer.alloc(PAGE_BYTES, "animal");
    const times: number[] = [];
    const until = performance.now() + milliseconds;
    while (times.length < SYNCS_MIN || (times.length < SYNCS_MAX && performance.now() < until)) {
      writeSync(descriptor, page);
      const from = performance.now();
      fdatasyncSync(descriptor);
      times.push((performance.now() - from) * 1000);
    }
    return distribution(times);
  } finally {
    closeSync(descriptor);
    rmSync(file);
  }
}

/** @param times of any number above none, in any order */
export function distribution(times: readonly number[]): SyncTimes {
  const sorted = [...times].sort((one, other) => one - other);
  const at = (part: number) => sorted[Math.ceil(part * sorted.length) - 1] ?? 0;
  return { count: sorted.length, least: sorted[0] ?? 0, p50: at(0.5), p99: at(0.99) };
}

/** A time for people: `0.21 ms`, `12 ms`. */
export function showTime(microseconds: number): string {
  if (microseconds < 10) return `${microseconds.toFixed(1)} µs`;
  if (microseconds < 100) return `${microseconds.toFixed(0)} µs`;
  const milliseconds = microseconds / 1000;
  return `${milliseconds < 10 ? milliseconds.toFixed(2) : milliseconds.toFixed(0)} ms`;
}
