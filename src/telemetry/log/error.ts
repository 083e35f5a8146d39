/** How many causes of an error the log records. */
const CAUSES_MAX = 5;

/** An error as the log records it. */
interface SerializedError {
  readonly type: string;
  readonly message: string;
  /** The code of the runtime, an engine or the system: `SQLITE_FULL`, `53300`, `ECONNREFUSED`. */
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: unknown;
}

/**
 * Serializes an error with its chain of causes. All other members are left out: an engine's errors carry rows and
 * values, which belong to clients.
 */
export function serializeError(error: unknown, depth = 0): SerializedError | string {
  if (!(error instanceof Error)) return String(error);
  const { code, errno } = error as { code?: unknown; errno?: unknown };
  // PostgreSQL's SQLSTATE is in `errno`; a number in `errno` only repeats the code.
  const known = typeof errno === "string" ? errno : code;
  return {
    type: error.name,
    message: error.message,
    ...(known !== undefined && { code: String(known) }),
    ...(error.stack !== undefined && { stack: error.stack }),
    ...(error.cause !== undefined && depth < CAUSES_MAX && { cause: serializeError(error.cause, depth + 1) }),
  };
}
