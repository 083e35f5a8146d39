import type { Opened } from "../opened-files.ts";

/** The database that a writer writes to. */
export interface WriterTask {
  /** A store with a current schema. */
  readonly file: string;
  /** The files that the path led to when the store was opened. No write that went to other files is acknowledged. */
  readonly opened: Opened;
}

/** What a writer can be asked to do. */
export type WriterRequest =
  | WriteRequest
  /** Deletes some of the idempotency records, or of the events, that were written before a time. */
  | { readonly kind: "sweep" | "sweep-events"; readonly before: number }
  /** Records on which days keys were last used: a JSON array of `[id, day]`. */
  | { readonly kind: "key-uses"; readonly uses: string }
  /** Commits a transaction that changes nothing, to see whether the store can be written. */
  | { readonly kind: "try" };

/** A batch of writes. All of them are one JSON text, since a single string is the cheapest message between threads. */
export interface WriteRequest {
  /** Creates without an `Idempotency-Key`, creates of which some have one, or placements and changes of orders. */
  readonly kind: "plain" | "retryable" | "orders";
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /**
   * Creates are rows with commas between: the values of `NEW_ANIMAL`, and `line, key, digest` where there is a key.
   * Their int64s are JSON numbers, which only SQLite reads exactly. Orders are as `exact-json.ts` writes them.
   */
  readonly writes: string;
}

/** The answer to a request. Its int64s are strings, so that it can be sent as JSON. */
export type WriterReply =
  /** All animals were stored, with consecutive ids from this one on. */
  | { readonly first: string }
  /** The outcome of each write, as `exact-json.ts` writes them. */
  | { readonly outcomes: string }
  | FailedReply
  /** The number of deleted rows. */
  | { readonly swept: number }
  | { readonly recorded: true }
  | { readonly tried: true };

/** Nothing was stored. The failure is transient if its cause is a fault of the store, not a defect of this program. */
export interface FailedReply {
  readonly error: string;
  readonly transient: boolean;
}

/** Writes a request as one line. Its JSON is left as it is: quoting it in JSON would cost another pass over it. */
export function lineOf(request: WriterRequest): string {
  if (request.kind === "try") return request.kind;
  if ("uses" in request) return `${request.kind} ${request.uses}`;
  if ("before" in request) return `${request.kind} ${request.before}`;
  return `${request.kind} ${request.count} ${request.now} ${request.writes}`;
}

/** Reads a line of `lineOf`. */
export function requestOf(line: string): WriterRequest {
  const [kind, one = "", two = ""] = line.split(" ", 3) as [WriterRequest["kind"], string, string];
  switch (kind) {
    case "try":
      return { kind };
    case "key-uses":
      return { kind, uses: one };
    case "sweep":
    case "sweep-events":
      return { kind, before: Number(one) };
    default: {
      const writes = line.slice(kind.length + one.length + two.length + 3);
      return { kind, count: Number(one), now: Number(two), writes };
    }
  }
}
