import type { EventSink } from "../domain/event.ts";

/** The least that a stop may take: with 0 s for requests, what is left to do takes some moments all the same. */
const STOP_MIN_MS = 500;
/** What the store and telemetry have of it, however long requests take. */
const CLOSING_SHARE = 0.2;
const CLOSING_MAX_MS = 1000;
/** What a line of the log has to get out, where nothing else does. */
const LAST_LINE_MS = 100;

/** How many seconds requests have, of those that a whole stop may take. */
export function secondsForRequests(seconds: number): number {
  return Math.max(0, seconds - Math.min(seconds * CLOSING_SHARE, CLOSING_MAX_MS / 1000));
}

/**
 * Ends this process with 0 when a stop has taken its time, whatever it is waiting for then: a disk that hangs, a
 * lock, a collector. Nothing that was acknowledged is lost by that, since it is on the disk. A timer cannot end what
 * waits on the main thread; so what may hang is done on others.
 *
 * @param seconds that the whole stop may take
 */
export function endWithin(seconds: number, emit: EventSink): void {
  const milliseconds = Math.max(seconds * 1000, STOP_MIN_MS);
  const timer = setTimeout(async () => {
    emit({ event: "stop_cut_short", seconds });
    await Bun.sleep(LAST_LINE_MS);
    process.exit(0);
  }, milliseconds - LAST_LINE_MS);
  timer.unref();
}
