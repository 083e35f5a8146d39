import { SQL } from "bun";
import { StoreFailure } from "../../domain/failure.ts";

/** A connection ended before the answer came, so whether a change was made is unknown. */
export class ConnectionLost extends StoreFailure {
  constructor(message: string, options?: ErrorOptions) {
    super("store_unavailable", message, options);
    this.name = "ConnectionLost";
  }
}

/** SQLSTATE classes and codes (PostgreSQL's appendix A) that report the server's state, not a defect of this program. */
const TRANSIENT = /^(?:08|53|57|58)|^(?:25006|26000|3D000|40001|40P01|42501|42P05|55000|55P03)$/;

/** A row breaks a constraint, or has a value that its type cannot hold. */
const REFUSAL = /^(?:22|23)/;

/**
 * The server is ending the connection, or has ended it; or it lacks a prepared statement of this session, or has another's: a
 * pooler shares the session.
 */
const ENDED = /^(?:08|57P)|^(?:26000|42P05)$/;

/** The SQLSTATE of an error that PostgreSQL has reported; `undefined` for any other error. */
export function sqlState(error: unknown): string | undefined {
  const state = error instanceof SQL.PostgresError ? error.errno : undefined;
  return typeof state === "string" && /^[0-9A-Z]{5}$/.test(state) ? state : undefined;
}

/** The SQLSTATE of a database error, or of the database error that caused a `StoreFailure`. */
export function sqlStateOf(error: unknown): string | undefined {
  return sqlState(databaseErrorOf(error));
}

function databaseErrorOf(error: unknown): unknown {
  return error instanceof StoreFailure ? error.cause : error;
}

/** Whether PostgreSQL refused a row, so that its neighbours may be stored without it. */
export function isRefusal(error: unknown): boolean {
  return REFUSAL.test(sqlState(error) ?? "");
}

/** Whether a create was rolled back because of a row that was inserted by hand with its number. */
export function isNumberTaken(error: unknown): boolean {
  return isTaken(error, ["animal_pkey", "append_log_pkey", "event_pkey"]);
}

/** Whether an order was rolled back because of an order that was inserted by hand with its id or its animal. */
export function isOrderTaken(error: unknown): boolean {
  return isTaken(error, [
    "store_order_pkey",
    "one_open_or_delivered_order_per_animal",
    "rewrite_log_pkey",
    "event_pkey",
  ]);
}

/**
 * Whether a statement found the value of a unique index taken, or was cancelled by its timeout while it waited for the
 * transaction that had taken it. A cancelled statement has changed nothing: PostgreSQL ends the timeout before the commit.
 */
function isTaken(error: unknown, indexes: readonly string[]): boolean {
  const { constraint = "", where = "" } = (databaseErrorOf(error) ?? {}) as {
    constraint?: string;
    where?: string;
  };
  switch (sqlStateOf(error)) {
    case "23505":
      return indexes.includes(constraint);
    case "57014":
      return indexes.some((index) => where.includes(index));
    default:
      return false;
  }
}

/** Whether a transaction was rolled back because of a deadlock. */
export function isDeadlock(error: unknown): boolean {
  return sqlStateOf(error) === "40P01";
}

/** Whether a connection is unusable, which every error means that is not an answer of the server. */
export function isConnectionLost(error: unknown): boolean {
  const state = sqlState(error);
  return isOfClient(error) && (state === undefined || ENDED.test(state));
}

/** Whether a server refused a write because it is a standby or was made read-only. */
export function isReadOnly(error: unknown): boolean {
  return sqlStateOf(error) === "25006";
}

/** Whether a schema, a table or a unique index of the store is not there: it was dropped, or a restore has yet to make it. */
export function isStoreGone(error: unknown): boolean {
  return /^(?:3F000|42P01|42P10)$/.test(sqlStateOf(error) ?? "");
}

/** Whether the role of a session lacks a right. */
export function isForbidden(error: unknown): boolean {
  return sqlStateOf(error) === "42501";
}

function isOfClient(error: unknown): boolean {
  return error instanceof SQL.PostgresError || error instanceof SQL.SQLError;
}

/**
 * The error that a store throws for a database error: a `StoreFailure` for transient errors, which include every error of
 * the connection itself (without SQLSTATE); otherwise the original error.
 */
export function translate(error: unknown): unknown {
  if (!isOfClient(error)) return error;
  const state = sqlState(error);
  if (state !== undefined && !TRANSIENT.test(state)) return error;
  const { code, message } = error as { code?: string; message: string };
  const said = `PostgreSQL: ${state ?? code}: ${message}`;
  return isConnectionLost(error)
    ? new ConnectionLost(said, { cause: error })
    : new StoreFailure("store_unavailable", said, { cause: error });
}
