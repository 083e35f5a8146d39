import { Counter, Gauge, type MetricObjectWithValues, type MetricValue, Registry } from "prom-client";
import type { Event } from "../../domain/event.ts";
import type { CommitObserver, RequestObserver, WriteAheadLog } from "../../domain/observation.ts";
import type { Store } from "../../domain/store.ts";
import { VERSION } from "../../version.ts";
import { processMetrics } from "./process-metrics.ts";
import { requestMetrics } from "./request-metrics.ts";
import { storeMetrics } from "./store-metrics.ts";

/** What one process has counted, as plain JSON: it can be sent to another one. */
export type MetricsSnapshot = readonly MetricObjectWithValues<MetricValue<string>>[];

/** What this process counts. */
export interface Metrics {
  readonly requests: RequestObserver;
  readonly commits: CommitObserver;
  /** The same store, whose calls are counted. */
  observe(store: Store): Store;
  /** Counts what an operator has to do something about. */
  count(event: Event): void;
  /** Tells whether the service is ready, which is looked at when the metrics are. */
  watchReadiness(isReady: () => Promise<boolean>): void;
  /** Tells how it stands with SQLite's log, which is looked at when the metrics are. */
  watchWriteAheadLog(look: () => WriteAheadLog): void;
  /** Counts the lines that the log has dropped, which is looked at when the metrics are. */
  watchLog(dropped: () => number): void;
  snapshot(): Promise<MetricsSnapshot>;
}

export interface MetricsOptions {
  readonly environment: string;
  /** OpenTelemetry's name of the engine: `sqlite` or `postgresql`. */
  readonly engine: string;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Events that are counted from the first moment: what has never been cannot be seen to grow. */
const TROUBLES: readonly Event["event"][] = [
  "request_failed",
  "store_failed",
  "unready",
  "waiting_for_locks",
  "untested_postgresql",
  "sweep_failed",
  "backup_failed",
  "worker_ended",
  "traces_undelivered",
  "backup_failed",
  "tls_unusable",
];

export function createMetrics({ environment, engine, clock }: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  processMetrics(registry);
  const store = storeMetrics(registry, engine);
  new Gauge({
    name: "animal_store_build_info",
    help: "What runs here; always 1.",
    labelNames: ["version", "runtime", "environment", "engine"] as const,
    aggregator: "first",
    registers,
  }).set({ version: VERSION, runtime: `bun ${Bun.version}`, environment, engine }, 1);
  const troubles = new Counter({
    name: "animal_store_troubles_total",
    help: "Events that the log tells as a warning or an error.",
    labelNames: ["event"] as const,
    registers,
  });
  for (const event of TROUBLES) troubles.inc({ event }, 0);
  // There is none before the first: a 0 would say that the last was made in 1970.
  let lastBackup: Gauge | undefined;
  const countBackup = () => {
    lastBackup ??= new Gauge({
      name: "animal_store_last_backup_timestamp_seconds",
      help: "When the last backup was finished, in seconds since 1970.",
      aggregator: "max",
      registers,
    });
    lastBackup.set(clock() / 1000);
  };
  return {
    ...store,
    requests: requestMetrics(registry),
    count: ({ event }) => {
      if (TROUBLES.includes(event)) troubles.inc({ event });
      if (event === "backup_made") countBackup();
    },
    watchReadiness(isReady) {
      new Gauge({
        name: "animal_store_ready",
        help: "Whether the service takes requests: what /readyz says.",
        aggregator: "min",
        registers,
        async collect() {
          this.set((await isReady()) ? 1 : 0);
        },
      });
    },
    watchWriteAheadLog(look) {
      new Gauge({
        name: "animal_store_wal_bytes",
        help: "The length of SQLite's write-ahead log.",
        aggregator: "max",
        registers,
        collect() {
          this.set(look().bytes);
        },
      });
      if (look().oldestReaderSeconds === undefined) return;
      new Gauge({
        name: "animal_store_wal_oldest_reader_seconds",
        help: "How long some reader, of any process, has kept the write-ahead log from being begun afresh.",
        aggregator: "max",
        registers,
        collect() {
          this.set(look().oldestReaderSeconds ?? 0);
        },
      });
    },
    watchLog(dropped) {
      new Counter({
        name: "animal_store_log_lines_dropped_total",
        help: "Lines of the log that nobody took in time.",
        registers,
        collect() {
          this.reset();
          this.inc(dropped());
        },
      });
    },
    snapshot: () => registry.getMetricsAsJSON(),
  };
}
