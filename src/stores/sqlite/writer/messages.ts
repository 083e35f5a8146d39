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
  /** Deletes some of the idempotency records, or of the events, that were written before a time. */
  | { readonly kind: "sweep" | "sweep-events"; readonly before: number }
  /** Commits what changes nothing, to see whether that can be done. */
  | { readonly kind: "try" };

/** A batch of writes. It is one text for all of them, since one string is the cheapest message there is. */
export type WriteRequest = Creates | OrderWrites;

/**
 * So many creates, as JSON rows with commas between; `now` is milliseconds since 1970. Their int64s are numbers to the
 * last digit, so only SQLite may read them.
 */
export interface Creates {
  /** `plain`: `[name, categoryId, status]` each. `retryable`: some may be repeated, and have also `line, key, digest`. */
  readonly kind: "plain" | "retryable";
  readonly count: number;
  readonly now: number;
  readonly rows: string;
}

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
  /** How many rows were deleted. */
  | { readonly swept: number }
  | { readonly tried: true };

/** Nothing was stored. The failure is transient if its cause is a fault of the store, not a defect of this program. */
export interface FailedReply {
  readonly error: string;
  readonly transient: boolean;
}

/** A request as one line: JSON goes as it is, since JSON in JSON would be written and read once more. */
export function lineOf(request: WriterRequest): string {
  switch (request.kind) {
    case "plain":
    case "retryable":
      return `${request.kind} ${request.count} ${request.now} ${request.rows}`;
    case "orders":
      return `orders ${request.count} ${request.now} ${request.writes}`;
    case "sweep":
    case "sweep-events":
      return `${request.kind} ${request.before}`;
    case "try":
      return "try";
  }
}

/** What a line of `lineOf` asks for. */
export function requestOf(line: string): WriterRequest {
  const [kind, one, two] = line.split(" ", 3) as [string, string, string];
  const batch = () => ({
    count: Number(one),
    now: Number(two),
    json: line.slice(kind.length + one.length + two.length + 3),
  });
  switch (kind) {
    case "plain":
    case "retryable": {
      const { count, now, json } = batch();
      return { kind, count, now, rows: json };
    }
    case "orders": {
      const { count, now, json } = batch();
      return { kind, count, now, writes: json };
    }
    case "sweep":
    case "sweep-events":
      return { kind, before: Number(one) };
    default:
      return { kind: "try" };
  }
}
