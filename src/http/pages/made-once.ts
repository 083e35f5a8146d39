/**
 * Makes a value when it is first needed. Requests that arrive meanwhile share it: otherwise each of them would do the same
 * work, and hold its own result until its client has read it. A failure is not kept.
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
