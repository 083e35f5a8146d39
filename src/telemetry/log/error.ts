/** How long a chain of causes is told. */
const CAUSES_MAX = 5;

/** An error as the log keeps it. */
interface SerializedError {
  readonly type: string;
  readonly message: string;
  /** As the runtime, an engine or the system names it: `SQLITE_FULL`, `53300`, `ECONNREFUSED`. */
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: unknown;
}

/**
 * Writes an error with what caused it, and what caused that. What else it carries is left out: an engine's
 * errors come with rows and values, which are the clients'.
 */
export function serializeError(error: unknown, depth = 0): SerializedError | string {
  if (!(error instanceof Error)) return String(error);
  const { code, errno } = error as { code?: unknown; errno?: unknown };
  // PostgreSQL's SQLSTATE is in `errno`; a number there only repeats the code.
  const known = typeof errno === "string" ? errno : code;
  return {
    type: error.name,
    message: error.message,
    ...(known !== undefined && { code: String(known) }),
    ...(error.stack !== undefined && { stack: error.stack }),
    ...(error.cause !== undefined && depth < CAUSES_MAX && { cause: serializeError(error.cause, depth + 1) }),
  };
}
