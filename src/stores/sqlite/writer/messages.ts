import type { Opened } from "../opened-files.ts";

/** Which database is to be written. */
export interface WriterTask {
  /** Migrated. */
  readonly file: string;
  /** What it led to when the store was opened: nothing is acknowledged that went elsewhere. */
  readonly opened: Opened;
}

/**
 * What is asked of the one who writes. Creates come as JSON rows with commas between, one text for all, since one
 * string is the cheapest message there is; int64s are numbers to their last digit, so only SQLite may read them.
 */
export type WriterRequest =
  | Creates
  /** Deletes some of the idempotency records that were written before a time. */
  | { readonly kind: "sweep"; readonly before: number }
  /** Commits what changes nothing, to see whether that can be done. */
  | { readonly kind: "try" };

/** So many creates. */
export type Creates =
  /** `[name, categoryId, status]` each. */
  | { readonly kind: "plain"; readonly count: number; readonly rows: string }
  /** Of which some may be repeated: `[name, categoryId, status, line, key, digest]`; `now` is milliseconds since 1970. */
  | { readonly kind: "retryable"; readonly count: number; readonly rows: string; readonly now: number };

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
  /** None was stored; `passing` when the cause is the store's circumstances, not a mistake of ours. */
  | { readonly error: string; readonly passing: boolean }
  /** How many idempotency records were deleted. */
  | { readonly swept: number }
  | { readonly tried: true };

/** A request as one line: its rows go as they are, since JSON in JSON would be written and read once more. */
export function lineOf(request: WriterRequest): string {
  switch (request.kind) {
    case "plain":
      return `plain ${request.count} ${request.rows}`;
    case "retryable":
      return `retryable ${request.count} ${request.now} ${request.rows}`;
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
  switch (kind) {
    case "plain":
      return { kind, count: number, rows: line.slice(kind.length + one.length + 2) };
    case "retryable": {
      const rows = line.slice(kind.length + one.length + two.length + 3);
      return { kind, count: number, now: Number(two), rows };
    }
    case "sweep":
      return { kind, before: number };
    default:
      return { kind: "try" };
  }
}
