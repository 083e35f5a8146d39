import type { Config } from "../config/settings.ts";
import type { EventSink } from "../domain/event.ts";
import type { Store } from "../domain/store.ts";
import { scheduleBackups } from "./backups.ts";
import { sweepRetries } from "./expired-records.ts";

/**
 * What a service does by itself from time to time, until it is stopped. However many processes serve,
 * this runs in one: the one that was started.
 */
export function keepHouse(store: Store, config: Config, emit: EventSink): { stop(): void } {
  const sweeping = sweepRetries(store, emit);
  const backups = scheduleBackups(config, emit);
  return {
    stop() {
      sweeping.stop();
      backups.stop();
    },
  };
}
