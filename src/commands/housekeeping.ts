import type { EventSink } from "../domain/event.ts";
import type { Store } from "../domain/store.ts";
import { sweepRetries } from "./sweep-retries.ts";

/**
 * What a service does by itself from time to time, until it is stopped. However many processes serve,
 * this runs in one: the one that was started.
 */
export function keepHouse(store: Store, emit: EventSink): { stop(): void } {
  return sweepRetries(store, emit);
}
