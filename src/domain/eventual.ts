/** What is there, or will be. To wait for what is there already costs a tenth of a request. */
export type Eventual<Value> = Value | Promise<Value>;

/** Goes on with a value once it is there: at once where it is. */
export function andThen<Value, Result>(
  value: Eventual<Value>,
  goOn: (value: Value) => Eventual<Result>,
): Eventual<Result> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}

/** Does a piece of work; what it throws, or rejects with, `mend` turns into a result. */
export function orElse<Result>(
  work: () => Eventual<Result>,
  mend: (error: unknown) => Result,
): Eventual<Result> {
  try {
    const result = work();
    return result instanceof Promise ? result.catch(mend) : result;
  } catch (error) {
    return mend(error);
  }
}
