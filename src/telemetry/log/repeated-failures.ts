import type { Event } from "../../domain/event.ts";

/** An event of which every request may bring one: a full disk brings thousands a second. */
export type Failed = Extract<Event, { readonly event: "request_failed" | "store_failed" }>;

/** How often the log hears of failures that are alike, in milliseconds. */
const SUMMARY_EVERY_MS = 1000;
/** So many kinds are told apart at a time; errors are not all of our making. */
const KINDS_MAX = 50;

export interface FailureLines {
  /** The first of its kind, which has a line to itself. */
  first(event: Failed): void;
  /** So many more of one kind within the last second, of which this was the last. */
  more(event: Failed, count: number): void;
}

interface Repeated {
  last: Failed;
  count: number;
}

/** Lets the first failure of a kind through, and then tells once a second how many more there were. */
export class RepeatedFailures {
  readonly #lines: FailureLines;
  readonly #kinds = new Map<string, Repeated>();
  #timer: Timer | undefined;

  constructor(lines: FailureLines) {
    this.#lines = lines;
  }

  add(event: Failed): void {
    const kind = kindOf(event);
    const known = this.#kinds.get(kind);
    if (known) {
      known.last = event;
      known.count++;
      return;
    }
    this.#lines.first(event);
    if (this.#kinds.size >= KINDS_MAX) return;
    this.#kinds.set(kind, { last: event, count: 0 });
    this.#timer ??= setInterval(() => this.#summarize(), SUMMARY_EVERY_MS).unref();
  }

  /** Tells what has not been told yet. */
  close(): void {
    this.#summarize();
    clearInterval(this.#timer);
  }

  #summarize(): void {
    for (const [kind, repeated] of this.#kinds) {
      const { last, count } = repeated;
      // After a second without it, the next is a first one again.
      if (count === 0) this.#kinds.delete(kind);
      else this.#lines.more(last, count);
      repeated.count = 0;
    }
    if (this.#kinds.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function kindOf({ event, error }: Failed): string {
  const { name, code, cause } = (error ?? {}) as { name?: unknown; code?: unknown; cause?: unknown };
  const { name: causeName, code: causeCode } = (cause ?? {}) as { name?: unknown; code?: unknown };
  return [event, name, code, causeName, causeCode].join(" ");
}
