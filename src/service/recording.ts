import { StoreFailure } from "../domain/failure.ts";
import type { Store } from "../domain/store.ts";

/** The pause before another attempt while the store takes no writes. */
const PAUSE_MS = 1000;

/**
 * Has every instance on this store record events, also an instance that does not offer the feed. It resolves after the first
 * attempt. While the store takes no writes, it tries again until it is stopped.
 */
export async function startRecording(store: Store): Promise<{ stop(): void }> {
  let timer: Timer | undefined;
  let stopped = false;
  async function attempt(isFirst = false): Promise<void> {
    try {
      if (!(await store.isRecordingEvents())) await store.recordEvents(true);
    } catch (error) {
      if (isFirst && !(error instanceof StoreFailure)) throw error;
      if (!stopped) timer = setTimeout(attempt, PAUSE_MS);
    }
  }
  await attempt(true);
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
