import type { Opened } from "../opened-files.ts";

/** Which database is to be written. */
export interface WriterTask {
  /** Migrated. */
  readonly file: string;
  /** What it led to when the store was opened: nothing is acknowledged that went elsewhere. */
  readonly opened: Opened;
}

/** What is asked of the writer. */
export type WriterRequest =
  | WriteRequest
  /** Deletes some of the idempotency records that were written before a time. */
  | { readonly kind: "sweep"; readonly before: number }
  /** Commits what changes nothing, to see whether that can be done. */
  | { readonly kind: "try" };

/** A batch of writes. It is one text for all of them, since one string is the cheapest message there is. */
export type WriteRequest = Creates | OrderWrites;

/**
 * So many creates, as JSON rows with commas between. Their int64s are numbers to the last digit, so only SQLite may read
 * them.
 */
export type Creates =
  /** `[name, categoryId, status]` each. */
  | { readonly kind: "plain"; readonly count: number; readonly rows: string }
  /** Of which some may be repeated: `[name, categoryId, status, line, key, digest]`; `now` is milliseconds since 1970. */
  | { readonly kind: "retryable"; readonly count: number; readonly rows: string; readonly now: number };

/** So many changes of orders, as `order-json.ts` has them; `now` is milliseconds since 1970. */
export interface OrderWrites {
  readonly kind: "orders";
  readonly count: number;
  readonly now: number;
  readonly writes: string;
}

/**
 * The outcome of a create: its id (`replayed` where an earlier create with its key added the animal), that its key
 * was used for another, or why SQLite refused it.
 */
export interface RowOutcome {
  readonly id?: string;
  readonly replayed?: true;
  readonly reused?: true;
  readonly refused?: string;
}

/** The answer to a request, as JSON: int64s are strings. */
export type WriterReply =
  /** All were stored, with consecutive ids from this one on. */
  | { readonly first: string }
  /** Each was stored, or not, by itself. */
  | { readonly each: readonly RowOutcome[] }
  /** The outcome of each change of orders, as `order-json.ts` has them. */
  | { readonly orders: string }
  | FailedReply
  /** How many idempotency records were deleted. */
  | { readonly swept: number }
  | { readonly tried: true };

/** None was stored; `passing` when the cause is the store's circumstances, not a mistake of ours. */
export interface FailedReply {
  readonly error: string;
  readonly passing: boolean;
}

/** A request as one line: JSON goes as it is, since JSON in JSON would be written and read once more. */
export function lineOf(request: WriterRequest): string {
  switch (request.kind) {
    case "plain":
      return `plain ${request.count} ${request.rows}`;
    case "retryable":
      return `retryable ${request.count} ${request.now} ${request.rows}`;
    case "orders":
      return `orders ${request.count} ${request.now} ${request.writes}`;
    case "sweep":
      return `sweep ${request.before}`;
    case "try":
      return "try";
  }
}

/** What a line of `lineOf` asks for. */
export function requestOf(line: string): WriterRequest {
  const [kind, one, two] = line.split(" ", 3) as [string, string, string];
  const number = Number(one);
  const after = (...words: string[]) =>
    line.slice(words.reduce((length, word) => length + word.length + 1, 0));
  switch (kind) {
    case "plain":
      return { kind, count: number, rows: after(kind, one) };
    case "retryable":
      return { kind, count: number, now: Number(two), rows: after(kind, one, two) };
    case "orders":
      return { kind, count: number, now: Number(two), writes: after(kind, one, two) };
    case "sweep":
      return { kind, before: number };
    default:
      return { kind: "try" };
  }
}
