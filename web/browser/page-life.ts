/** A signal that also aborts when the page is hidden for good or for the back/forward cache. */
export function untilHidden(signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort();
  addEventListener("pagehide", abort, { once: true, signal: controller.signal });
  signal.addEventListener("abort", abort, { signal: controller.signal });
  return controller.signal;
}

/** Waits until the page comes back from the back/forward cache. */
export function shownAgain(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    addEventListener("pageshow", () => resolve(), { once: true, signal });
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Waits until a signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
