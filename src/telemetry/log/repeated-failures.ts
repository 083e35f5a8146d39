import type { Observation } from "../../observations/observation.ts";

/** An event that every request may emit: a full disk causes thousands per second. */
export type FailedRequest = Extract<Observation, { readonly event: "request_failed" | "store_failed" }>;

/** How often the log summarizes repeated failures, in milliseconds. */
const SUMMARY_EVERY_MS = 1000;
/** The most kinds of failure to distinguish at a time: engines may have any number of codes. */
const KINDS_MAX = 50;

interface FailureLines {
  /** Writes the first failure of its kind. */
  first(event: FailedRequest): void;
  /** Writes how many more of one kind the last second had; `event` is the last of them. */
  more(event: FailedRequest, count: number): void;
}

interface Repeated {
  last: FailedRequest;
  count: number;
}

/** Logs the first failure of each kind at once, then once a second how many more there were. */
export class RepeatedFailures {
  readonly #lines: FailureLines;
  readonly #kinds = new Map<string, Repeated>();
  #timer: Timer | undefined;

  constructor(lines: FailureLines) {
    this.#lines = lines;
  }

  add(event: FailedRequest): void {
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

  /** Logs what is not logged yet. */
  close(): void {
    this.#summarize();
    clearInterval(this.#timer);
  }

  #summarize(): void {
    for (const [kind, repeated] of this.#kinds) {
      const { last, count } = repeated;
      // After a second without this kind, its next failure counts as the first again.
      if (count === 0) this.#kinds.delete(kind);
      else this.#lines.more(last, count);
      repeated.count = 0;
    }
    if (this.#kinds.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function kindOf({ event, error }: FailedRequest): string {
  const { name, code, cause } = (error ?? {}) as { name?: unknown; code?: unknown; cause?: unknown };
  const { name: causeName, code: causeCode } = (cause ?? {}) as { name?: unknown; code?: unknown };
  return [event, name, code, causeName, causeCode].join(" ");
}
