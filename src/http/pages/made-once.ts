/**
 * Makes a value when it is first asked for. Requests that arrive meanwhile share it: each of them would otherwise do the
 * same work, and keep the result for as long as its client does not read. A failure is not kept.
 */
export function madeOnce<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
