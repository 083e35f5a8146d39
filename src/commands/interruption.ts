import { constants } from "node:os";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const cleanUps = new Set<() => void>();

/**
 * Has a signal that ends the program clean up first; it then exits with 128 and the signal's number, as
 * shells tell it: 130 after Ctrl+C. Disposing of it ends that.
 */
export function whenInterrupted(cleanUp: () => void): Disposable {
  if (cleanUps.size === 0) for (const signal of SIGNALS) process.on(signal, end);
  cleanUps.add(cleanUp);
  return {
    [Symbol.dispose]() {
      cleanUps.delete(cleanUp);
      if (cleanUps.size === 0) for (const signal of SIGNALS) process.off(signal, end);
    },
  };
}

function end(signal: (typeof SIGNALS)[number]): void {
  for (const cleanUp of cleanUps) cleanUp();
  process.exit(128 + constants.signals[signal]);
}
