/** The event of the window after which all that is shown of the service is asked for again. */
const STALE = "stale";

/** Says that the service's data have changed, or are not as they were shown. Whatever is shown by then hears of it. */
export function markStale(): void {
  dispatchEvent(new Event(STALE));
}

/** @returns what ends that */
export function onStale(load: () => void): () => void {
  addEventListener(STALE, load);
  return () => removeEventListener(STALE, load);
}
