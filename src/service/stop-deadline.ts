import type { ObservationSink } from "../observations/observation.ts";

/** The least time for a stop: even with 0 s for requests, closing the store takes some moments. */
const STOP_MIN_MS = 500;
/** The share of the time that the store and telemetry get, however long requests take, and the most that they get. */
const CLOSING_SHARE = 0.2;
const CLOSING_MAX_MS = 1000;
/** Time for the last log line to be written. */
const LAST_LINE_MS = 100;

/** How many of the seconds for a whole stop belong to requests. */
export function secondsForRequests(seconds: number): number {
  return Math.max(0, seconds - Math.min(seconds * CLOSING_SHARE, CLOSING_MAX_MS / 1000));
}

/**
 * Exits with 0 when a stop has used up its time, even if a disk hangs, a lock is held or a collector does not answer.
 * No acknowledged create is lost, since each is on the disk. A timer cannot interrupt what blocks the main thread,
 * so everything that may hang runs on other threads.
 *
 * @param seconds for the whole stop
 */
export function exitWithin(seconds: number, emit: ObservationSink): void {
  const milliseconds = Math.max(seconds * 1000, STOP_MIN_MS);
  const timer = setTimeout(async () => {
    emit({ event: "stop_cut_short", seconds });
    await Bun.sleep(LAST_LINE_MS);
    process.exit(0);
  }, milliseconds - LAST_LINE_MS);
  timer.unref();
}
