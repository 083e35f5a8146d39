import type { EventEmitter } from "node:events";

/** Under `npm start` one Ctrl+C arrives twice: from the terminal, which signals all processes, and from npm. */
const SAME_CTRL_C_MS = 100;

/**
 * Resolves with the first signal to stop; a second signal ends the program at once.
 *
 * @param process receives the signals
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
