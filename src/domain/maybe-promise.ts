/** A value or a promise of one. An engine that reads from memory returns the value itself. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Continues with a value, at once unless it is a promise. */
export function andThen<Value, Result>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Runs work, and turns an error that it throws or rejects with into a result. */
export function recover<Result>(
  work: () => MaybePromise<Result>,
  fallback: (error: unknown) => Result,
): MaybePromise<Result> {
  try {
    const result = work();
    return result instanceof Promise ? result.catch(fallback) : result;
  } catch (error) {
    return fallback(error);
  }
}
