import { Counter, Gauge, type MetricObjectWithValues, type MetricValue, Registry } from "prom-client";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import type { Store } from "../../domain/store.ts";
import type { CommitObserver } from "../../observations/commit-observer.ts";
import type { Observation } from "../../observations/observation.ts";
import type { KnownResponses, RequestObserver, StreamCounts } from "../../observations/request-observer.ts";
import type { StandbyObserver } from "../../observations/standby-observer.ts";
import type { WriteAheadLog } from "../../observations/write-ahead-log.ts";
import { VERSION } from "../../system/version.ts";
import { ERROR_EVENTS } from "../log/event-lines.ts";
import { processMetrics } from "./process-metrics.ts";
import { requestMetrics } from "./request-metrics.ts";
import { scraped } from "./scraped.ts";
import { standbyMetrics } from "./standby-metrics.ts";
import { storeMetrics } from "./store-metrics.ts";
import { streamMetrics, watchFeed, watchStreams } from "./stream-metrics.ts";
import { withoutEmptyBuckets } from "./without-empty-buckets.ts";

/** The metrics of one process as plain JSON, so that it can send them to another process. */
export type MetricsSnapshot = readonly MetricObjectWithValues<MetricValue<string>>[];

/** The metrics of this process. */
export interface Metrics {
  readonly requests: RequestObserver;
  readonly commits: CommitObserver;
  readonly standbyReads: StandbyObserver;
  /** Wraps a store so that its calls are measured. */
  observe(store: Store): Store;
  /** Counts the events that an operator should look into. */
  count(event: Observation): void;
  /** Adds a gauge for readiness, which each scrape checks. */
  watchReadiness(isReady: () => Promise<boolean>): void;
  /** Adds metrics of the event streams, which each scrape reads. */
  watchStreams(look: () => StreamCounts): void;
  /** Adds a gauge for the id of the newest event, which each scrape reads from the store. */
  watchFeed(newest: () => MaybePromise<bigint>): void;
  /** Adds gauges for SQLite's write-ahead log, which each scrape reads. */
  watchWriteAheadLog(look: () => WriteAheadLog): void;
  /** Adds a counter of dropped log lines, which each scrape reads. */
  watchLog(dropped: () => number): void;
  snapshot(): Promise<MetricsSnapshot>;
}

interface MetricsOptions {
  readonly environment: string;
  /** OpenTelemetry's name of the engine: `sqlite` or `postgresql`. */
  readonly engine: string;
  readonly responses: KnownResponses;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Creates the metrics of this process. What an alert reads begins at 0 rather than with the first occurrence. */
export function createMetrics({ environment, engine, responses, clock }: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const { counter, gauge } = scraped(registry);
  processMetrics(registry);
  const store = storeMetrics(registry, engine);
  new Gauge({
    name: "animal_store_build_info",
    help: "Version and environment of the service; always 1.",
    labelNames: ["version", "runtime", "environment", "engine"] as const,
    aggregator: "first",
    registers,
  }).set({ version: VERSION, runtime: `bun ${Bun.version}`, environment, engine }, 1);
  const errorEvents = new Counter({
    name: "animal_store_error_events_total",
    help: "Events that the log records as a warning or an error.",
    labelNames: ["event"] as const,
    registers,
  });
  // Each counter starts at 0: Prometheus sees no increase from a series that did not exist before.
  for (const event of ERROR_EVENTS) errorEvents.inc({ event }, 0);
  // Only a service that makes backups has this gauge.
  let lastBackup: Gauge | undefined;
  const backedUpAt = (milliseconds: number | undefined) => {
    lastBackup ??= new Gauge({
      name: "animal_store_last_backup_timestamp_seconds",
      help: "When the newest backup of this store was made, in seconds since 1970; 0 if there is none.",
      aggregator: "max",
      registers,
    });
    if (milliseconds !== undefined) lastBackup.set(milliseconds / 1000);
  };
  return {
    ...store,
    standbyReads: standbyMetrics(registry),
    requests: { ...requestMetrics(registry, responses), ...streamMetrics(registry) },
    count: (event) => {
      if (ERROR_EVENTS.has(event.event)) errorEvents.inc({ event: event.event });
      if (event.event === "backups_scheduled") backedUpAt(event.newest);
      if (event.event === "backup_made") backedUpAt(clock());
      // The folder may have been unusable from the start.
      if (event.event === "backup_failed") backedUpAt(undefined);
    },
    watchReadiness(isReady) {
      const help = "Whether the service is ready for requests, as /readyz reports it.";
      gauge("animal_store_ready", help, "min", async () => ((await isReady()) ? 1 : 0));
    },
    watchStreams: (look) => watchStreams(registry, look),
    watchFeed: (newest) => watchFeed(registry, newest),
    watchWriteAheadLog(look) {
      gauge("animal_store_wal_bytes", "Size of SQLite's write-ahead log.", "max", () => look().bytes);
      if (look().oldestReaderSeconds === undefined) return;
      const help =
        "How long the oldest reader, in any process, has prevented a restart of the write-ahead log.";
      const read = () => look().oldestReaderSeconds ?? 0;
      gauge("animal_store_wal_oldest_reader_seconds", help, "max", read);
    },
    watchLog(dropped) {
      const help = "Log lines dropped because their reader was too slow.";
      counter("animal_store_log_lines_dropped_total", help, dropped);
    },
    snapshot: async () => (await registry.getMetricsAsJSON()).map(withoutEmptyBuckets),
  };
}
