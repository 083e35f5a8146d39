import { SQL } from "bun";
import { StoreFailure } from "../../domain/failure.ts";

/** A connection ended before the answer came: whether a change was made is not known. */
export class ConnectionLost extends StoreFailure {
  constructor(message: string, options?: ErrorOptions) {
    super("store_unavailable", message, options);
    this.name = "ConnectionLost";
  }
}

/** SQLSTATE classes and codes (PostgreSQL's appendix A) that speak of circumstances, not of a mistake of ours. */
const TRANSIENT = /^(?:08|53|57|58)|^(?:25006|3D000|40001|40P01|42501|55000|55P03)$/;

/** What a row does not meet: integrity constraints, and values that a type cannot hold. */
const REFUSAL = /^(?:22|23)/;

/** The server ends the connection, or has ended it. */
const ENDED = /^(?:08|57P)/;

export function sqlState(error: unknown): string | undefined {
  const state = error instanceof SQL.PostgresError ? error.errno : undefined;
  return typeof state === "string" && /^[0-9A-Z]{5}$/.test(state) ? state : undefined;
}

/** The SQLSTATE of an error of the database, also where it is the cause of a failure of the store. */
export function sqlStateOf(error: unknown): string | undefined {
  return sqlState(error instanceof StoreFailure ? error.cause : error);
}

/** Whether PostgreSQL refused a row, so that its neighbours may be stored without it. */
export function isRefusal(error: unknown): boolean {
  return REFUSAL.test(sqlState(error) ?? "");
}

/** Whether a create was refused since a row has its number that did not come from the sequence: inserted by hand. */
export function isNumberTaken(error: unknown): boolean {
  const { constraint = "" } = error as { constraint?: string };
  return sqlState(error) === "23505" && ["animal_pkey", "append_log_pkey", "event_pkey"].includes(constraint);
}

/** Whether an order was refused since one that was inserted by hand has its id or its animal. */
export function isOrderTaken(error: unknown): boolean {
  const { constraint = "" } = error as { constraint?: string };
  return (
    sqlState(error) === "23505" &&
    ["store_order_pkey", "one_open_or_delivered_order_per_animal", "rewrite_log_pkey", "event_pkey"].includes(
      constraint,
    )
  );
}

/** Whether a transaction was rolled back, since it and others waited for each other. */
export function isDeadlock(error: unknown): boolean {
  return sqlStateOf(error) === "40P01";
}

/** Whether a connection cannot be used any more: every error that is not the server's answer says so. */
export function isConnectionLost(error: unknown): boolean {
  const state = sqlState(error);
  return isOfClient(error) && (state === undefined || ENDED.test(state));
}

/** Whether a server took no write, since it is a standby or was made read-only. */
export function isReadOnly(error: unknown): boolean {
  return sqlStateOf(error) === "25006";
}

function isOfClient(error: unknown): boolean {
  return error instanceof SQL.PostgresError || error instanceof SQL.SQLError;
}

/**
 * What a store throws for a database's error: a `StoreFailure` for circumstances, among them every
 * error of the connection itself, which has no SQLSTATE; the error as it is for anything else.
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
