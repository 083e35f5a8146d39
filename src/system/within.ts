/**
 * Waits for a promise for a bounded time, and leaves no timer behind.
 *
 * @param late called when the time is over first; its result, or the error that it throws, takes the promise's place
 */
export async function within<Result, Late>(
  milliseconds: number,
  promise: Promise<Result>,
  late: () => Late,
): Promise<Result | Late> {
  const isLate = Promise.withResolvers<Late>();
  const timer = setTimeout(() => {
    try {
      isLate.resolve(late());
    } catch (error) {
      isLate.reject(error);
    }
  }, milliseconds);
  try {
    return await Promise.race([promise, isLate.promise]);
  } finally {
    clearTimeout(timer);
  }
}
