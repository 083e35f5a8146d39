import type { Signal } from "./platform.ts";

/** The longest delay of `setTimeout`, in milliseconds. */
export const TIMER_MAX_MS = 2 ** 31 - 1;

/**
 * Does some work within a time. The work gets a signal that aborts when the time is up or `signal` aborts; the promise
 * settles then, even if the work ignores its signal.
 * @param ms milliseconds; more than a timer can wait means no bound
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
    const controller = new AbortController();
    const abort = (reason: unknown) => {
      end();
      reject(reason);
      controller.abort(reason);
    };
    const onAbort = () => abort(signal?.reason);
    signal?.addEventListener("abort", onAbort);
    const timer = ms <= TIMER_MAX_MS ? setTimeout(() => abort(late()), ms) : undefined;
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    work(controller.signal).then(
      (result) => {
        end();
        resolve(result);
      },
      (error) => {
        end();
        reject(error);
      },
    );
  });
}

/**
 * Waits some milliseconds, or until the signal aborts, with whose reason it then rejects.
 * @param ms at most `TIMER_MAX_MS`
 */
export function sleep(ms: number, signal: Signal | undefined): Promise<void> {
  const isOver = new Error();
  return within<void>(
    ms,
    signal,
    () => isOver,
    () => new Promise(() => {}),
  ).catch((error) => {
    if (error !== isOver) throw error;
  });
}
