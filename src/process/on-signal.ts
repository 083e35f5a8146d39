import { writeSync } from "node:fs";
import { constants } from "node:os";
import { showable } from "../domain/quote.ts";
import { FAILURE_CODES, reportsInJson } from "./errors.ts";
import { printFailure } from "./standard-output.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs before the program ends, and may return a sentence about what was done. */
type Handler = () => string | undefined;

const handlers = new Set<Handler>();

/**
 * Cleans up before a signal ends the program. The exit code is then 128 plus the signal's number, as shells report it:
 * 130 after Ctrl+C. Disposing of the result cancels this.
 */
export function whenInterrupted(cleanUp: () => void): Disposable {
  return register(() => {
    cleanUp();
    return undefined;
  });
}

/** What a command says when a signal ends it. Set `outcome` whenever another sentence becomes true. */
export class Interruption implements Disposable {
  /** One sentence about what was done and what was not. */
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
 * Lets the runtime deliver pending signals. A loop that only awaits values already at hand never returns to the event
 * loop, and signals would wait for its end.
 */
export function deliverSignals(): Promise<void> {
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
  const outcomes = [...handlers].flatMap((handler) => handler() ?? []);
  for (const outcome of outcomes) complain(`interrupted. ${outcome}`);
  if (reportsInJson(process.argv.slice(2))) {
    printFailure(FAILURE_CODES[130], ["interrupted.", ...outcomes].join(" "));
  }
  process.exit(128 + constants.signals[signal]);
}

/** Writes synchronously: the program ends right after this, and pending writes would be lost. */
function complain(text: string): void {
  try {
    // The terminal's last line may hold a progress bar.
    writeSync(2, `${process.stderr.isTTY ? "\n" : ""}animal-store: ${showable(text)}\n`);
  } catch {
    // Standard error may be closed, and nothing else is left to report to.
  }
}
