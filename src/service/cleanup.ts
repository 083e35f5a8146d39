import type { Store } from "../domain/store.ts";
import type { ObservationSink } from "../observations/observation.ts";

const EVERY_MS = 60_000;
/** The pause between two batches of one cleanup, so that creates go first. */
const PAUSE_MS = 50;
/** A smaller batch ends its cleanup: rows that expire meanwhile would otherwise keep it going for ever. */
const WORTH_ANOTHER = 100;

/** How long events are kept, in milliseconds, and what time it is, in milliseconds since 1970. */
interface EventAge {
  readonly keepMs: number;
  readonly clock: () => number;
}

/** Deletes expired idempotency records and events regularly, until it is stopped. */
export function scheduleCleanup(store: Store, events: EventAge, emit: ObservationSink): { stop(): void } {
  let stopped = false;
  let timer = setTimeout(cleanUp, PAUSE_MS);

  async function cleanUp(): Promise<void> {
    const deleted = [
      await attempt(() => store.deleteExpired()),
      await attempt(() => store.deleteExpiredEvents(events.clock() - events.keepMs)),
    ];
    const isLarge = deleted.some((rows) => rows >= WORTH_ANOTHER);
    if (!stopped) timer = setTimeout(cleanUp, isLarge ? PAUSE_MS : EVERY_MS);
  }

  async function attempt(deletion: () => Promise<number>): Promise<number> {
    try {
      return await deletion();
    } catch (error) {
      emit({ event: "cleanup_failed", error });
      return 0;
    }
  }

  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
