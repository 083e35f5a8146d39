import { SQLiteError } from "bun:sqlite";
import { isDiskFull } from "../disk-full.ts";
import { missingRights } from "./missing-rights.ts";

// SQLite's primary result codes (sqlite.org/rescode.html): the low byte of every extended code.
const BUSY = 5;
const READONLY = 8;
const CONSTRAINT = 19;
const MISMATCH = 20;

/** The codes that report the state of the machine, the file or other processes, rather than a defect of this program. */
const TRANSIENT = new Set([
  BUSY,
  7, // NOMEM
  READONLY,
  10, // IOERR
  11, // CORRUPT
  13, // FULL
  14, // CANTOPEN
  15, // PROTOCOL
  26, // NOTADB
]);

/** Whether work failed because another connection holds a lock. */
export function isBusy(error: unknown): error is SQLiteError {
  return error instanceof SQLiteError && (error.errno & 0xff) === BUSY;
}

/** Whether the error may pass without a change of this program, so that a client may retry. */
export function isTransient(error: unknown): error is SQLiteError {
  return error instanceof SQLiteError && TRANSIENT.has(error.errno & 0xff);
}

/** Whether SQLite refused a row: it breaks a constraint or a trigger's check, or a value has the wrong type. */
export function isRefusal(error: unknown): error is SQLiteError {
  if (!(error instanceof SQLiteError)) return false;
  const code = error.errno & 0xff;
  return code === CONSTRAINT || code === MISMATCH;
}

/** Says what SQLite reported about a store, and what to do if its disk is full or a right is missing. */
export function describeError(error: SQLiteError, file: string): string {
  if (isDiskFull(error)) {
    return `SQLite: ${error.code}: the disk of ${file} is full. Make room there, and try again.`;
  }
  const right = (error.errno & 0xff) === READONLY ? missingRights(file) : undefined;
  return `SQLite: ${error.code}: ${right ?? error.message}`;
}
