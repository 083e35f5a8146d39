/** A value or a promise of one: an engine that reads from memory has its values at hand. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Continues with a value: at once where it is at hand. */
export function andThen<Value, Result>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Runs a piece of work; an error that it throws or rejects with becomes a result. */
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
