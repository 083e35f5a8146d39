import { writeSync } from "node:fs";
import { constants } from "node:os";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

type Handler = () => string | undefined;

const handlers = new Set<Handler>();

/**
 * Cleans up before a signal ends the program. It then exits with 128 and the signal's number, as shells
 * report it: 130 after Ctrl+C. Disposing of it ends that.
 */
export function whenInterrupted(cleanUp: () => void): Disposable {
  return register(() => {
    cleanUp();
    return undefined;
  });
}

/** What a command says when a signal ends it. Set `outcome` whenever another sentence becomes true. */
export class Interruption implements Disposable {
  /** What was done and what was not, as one sentence. */
  outcome: string;
  readonly #registration: Disposable;

  constructor(outcome: string) {
    this.outcome = outcome;
    this.#registration = register(() => this.outcome);
  }

  [Symbol.dispose](): void {
    this.#registration[Symbol.dispose]();
  }
}

/**
 * Lets the runtime deliver signals that have arrived. Work that only ever awaits what is already there keeps
 * the event loop busy, and would be interrupted when it has finished.
 */
export function letSignalsIn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function register(handler: Handler): Disposable {
  if (handlers.size === 0) for (const signal of SIGNALS) process.on(signal, end);
  handlers.add(handler);
  return {
    [Symbol.dispose]() {
      handlers.delete(handler);
      if (handlers.size === 0) for (const signal of SIGNALS) process.off(signal, end);
    },
  };
}

function end(signal: (typeof SIGNALS)[number]): void {
  const outcomes = [...handlers].map((handler) => handler());
  for (const outcome of outcomes) if (outcome !== undefined) say(`interrupted. ${outcome}`);
  process.exit(128 + constants.signals[signal]);
}

/** At once: the program ends with this, and what waits to be written would be lost. */
function say(text: string): void {
  try {
    // A bar may stand on the terminal's last line.
    writeSync(2, `${process.stderr.isTTY ? "\n" : ""}animal-store: ${text}\n`);
  } catch {
    // Where nobody listens, nobody can be told.
  }
}
