import type { EventSink } from "../domain/event.ts";
import type { Store } from "../domain/store.ts";

const EVERY_MS = 60_000;
/** The pause between two batches of one cleanup, so that creates go first. */
const PAUSE_MS = 50;
/** A smaller batch ends its cleanup: rows that expire meanwhile would otherwise keep it going for ever. */
const WORTH_ANOTHER = 100;

/** Deletes expired idempotency records regularly, until it is stopped. */
export function scheduleCleanup(store: Store, emit: EventSink): { stop(): void } {
  let stopped = false;
  let timer = setTimeout(cleanUp, PAUSE_MS);

  async function cleanUp(): Promise<void> {
    const deleted = await store.deleteExpired().catch((error) => {
      emit({ event: "cleanup_failed", error });
      return 0;
    });
    if (!stopped) timer = setTimeout(cleanUp, deleted >= WORTH_ANOTHER ? PAUSE_MS : EVERY_MS);
  }

  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
