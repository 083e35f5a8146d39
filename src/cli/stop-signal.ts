import type { EventEmitter } from "node:events";

/** One Ctrl+C comes twice where `npm start` sends on what the terminal has already sent to all. */
const SAME_CTRL_C_MS = 100;

/**
 * The first signal to stop; a second one ends the program at once.
 *
 * @param process where signals arrive
 * @param clock milliseconds, monotonic
 */
export function stopSignal(process: EventEmitter, clock: () => number, end: () => void): Promise<string> {
  return new Promise((resolve) => {
    let first: { readonly signal: string; readonly at: number } | undefined;
    for (const signal of ["SIGTERM", "SIGINT"]) {
      process.on(signal, () => {
        if (first === undefined) {
          first = { signal, at: clock() };
          resolve(signal);
        } else if (signal !== "SIGINT" || first.signal !== signal || clock() - first.at > SAME_CTRL_C_MS) {
          end();
        }
      });
    }
  });
}
