import type { Config } from "../config/settings.ts";
import type { Store } from "../domain/store.ts";
import type { ObservationSink } from "../observations/observation.ts";
import type { Backups } from "../stores/backups.ts";
import { scheduleBackups } from "./backups.ts";
import { scheduleCleanup } from "./cleanup.ts";

/**
 * Starts the jobs that a service does regularly. However many processes serve, the jobs run in one of them: the
 * process that was started first.
 */
export function startBackgroundJobs(
  store: Store,
  config: Config,
  backups: Backups | undefined,
  emit: ObservationSink,
): { stop(): void } {
  const jobs = [
    scheduleCleanup(store, { keepMs: config.EVENTS_KEEP, clock: Date.now }, emit),
    scheduleBackups(config, backups, emit),
  ];
  return {
    stop() {
      for (const job of jobs) job.stop();
    },
  };
}
