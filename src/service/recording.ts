import { StoreFailure } from "../domain/failure.ts";
import type { Store } from "../domain/store.ts";
import type { ObservationSink } from "../observations/observation.ts";

/** How often to look whether changes are recorded; also the pause while the store takes no writes. */
const LOOK_EVERY_MS = 1000;

/**
 * Has every instance on this store record events, also an instance that does not offer the feed. It resolves after the first
 * attempt, and goes on until it is stopped: a standby may be promoted that lacks the beginning of the recording, or a dump from
 * before it be restored. Such a store also lacks an expiry that was seen while it recorded; a store that has it was told to record
 * no more, which holds until another service starts.
 */
export async function keepRecording(store: Store, emit: ObservationSink): Promise<{ stop(): void }> {
  let timer: Timer | undefined;
  let stopped = false;
  /** Up to where events had expired when changes were last seen recorded. */
  let seen: bigint | undefined;
  async function look(isFirst = false): Promise<void> {
    try {
      const { isRecording, expiredThrough } = await store.feedState();
      if (isRecording) seen = expiredThrough;
      else if (seen === undefined || expiredThrough < seen) {
        await store.recordEvents(true);
        if (seen !== undefined) emit({ event: "recording_lost" });
        seen = (await store.feedState()).expiredThrough;
      }
    } catch (error) {
      if (isFirst && !(error instanceof StoreFailure)) throw error;
    }
    if (!stopped) timer = setTimeout(look, LOOK_EVERY_MS);
  }
  await look(true);
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
