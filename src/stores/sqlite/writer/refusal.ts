const CONSTRAINT = 19;
const MISMATCH = 20;

/**
 * Whether SQLite refused what a statement says: it breaks a constraint or a trigger's check, or a value has a wrong
 * type. Only that statement was undone.
 */
export function isRefusal(error: unknown): boolean {
  const errno = (error as { errno?: number }).errno ?? 0;
  return (errno & 0xff) === CONSTRAINT || (errno & 0xff) === MISMATCH;
}
