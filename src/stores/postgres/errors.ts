import { SQL } from "bun";
import { StoreFailure } from "../../domain/failure.ts";

/** SQLSTATE classes and codes (PostgreSQL's appendix A) that speak of circumstances, not of a mistake of ours. */
const PASSING = /^(?:08|53|57|58)|^(?:25006|3D000|40001|40P01|55000|55P03)$/;

/** What a row does not meet: integrity constraints, and values that a type cannot hold. */
const REFUSAL = /^(?:22|23)/;

function sqlState(error: unknown): string | undefined {
  const state = error instanceof SQL.PostgresError ? error.errno : undefined;
  return typeof state === "string" && /^[0-9A-Z]{5}$/.test(state) ? state : undefined;
}

/** Whether PostgreSQL refused a row, so that its neighbours may be stored without it. */
export function isRefusal(error: unknown): boolean {
  return REFUSAL.test(sqlState(error) ?? "");
}

/**
 * What a store throws for a database's error: a `StoreFailure` for circumstances, among them every
 * error of the connection itself, which has no SQLSTATE; the error as it is for anything else.
 */
export function translate(error: unknown): unknown {
  if (!(error instanceof SQL.PostgresError) && !(error instanceof SQL.SQLError)) return error;
  const state = sqlState(error);
  if (state !== undefined && !PASSING.test(state)) return error;
  const message = `PostgreSQL: ${state ?? (error as { code?: string }).code}: ${error.message}`;
  return new StoreFailure("store_unavailable", message, { cause: error });
}
