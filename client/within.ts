import type { Signal } from "./platform.ts";

/** The longest delay of `setTimeout`, in milliseconds. */
export const TIMER_MAX_MS = 2 ** 31 - 1;

/**
 * Does some work within a time. The work gets a signal that aborts when the time is up or `signal` aborts; the promise
 * settles then, even if the work ignores its signal.
 * @param ms milliseconds; more than a timer can wait means no bound. With 0 or less the work does not begin
 * @throws what `late` returns when the time is up; the reason of `signal` when that aborts
 */
export function within<Result>(
  ms: number,
  signal: Signal | undefined,
  late: () => Error,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    if (ms <= 0) throw late();
    const controller = new AbortController();
    const onAbort = () => abort(signal?.reason);
    const timer = ms <= TIMER_MAX_MS ? setTimeout(() => abort(late()), ms) : undefined;
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    const abort = (reason: unknown) => {
      end();
      reject(reason);
      controller.abort(reason);
    };
    signal?.addEventListener("abort", onAbort);
    work(controller.signal).finally(end).then(resolve, reject);
  });
}

/**
 * Waits some milliseconds, or until the signal aborts, with whose reason it then rejects.
 * @param ms at most `TIMER_MAX_MS`
 */
export function sleep(ms: number, signal: Signal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const wake = () => {
      resolve();
      // `within` rejects with it, which counts no more.
      return new Error();
    };
    within(ms, signal, wake, () => new Promise(() => {})).catch(reject);
  });
}
