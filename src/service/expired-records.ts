import type { EventSink } from "../domain/event.ts";
import type { Store } from "../domain/store.ts";

const SWEEP_EVERY_MS = 60_000;
/** Between two parts of one sweep, so that creates go first. */
const PAUSE_MS = 50;
/** A part that deletes fewer rows ends its sweep. Rows that expire meanwhile would otherwise keep it going for ever. */
const WORTH_ANOTHER = 100;

/** Forgets the retries that are past their life, from time to time, until it is stopped. */
export function sweepRetries(store: Store, emit: EventSink): { stop(): void } {
  let stopped = false;
  let timer = setTimeout(sweep, PAUSE_MS);

  async function sweep(): Promise<void> {
    const swept = await store.sweepRetries().catch((error) => {
      emit({ event: "cleanup_failed", error });
      return 0;
    });
    if (!stopped) timer = setTimeout(sweep, swept >= WORTH_ANOTHER ? PAUSE_MS : SWEEP_EVERY_MS);
  }

  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
