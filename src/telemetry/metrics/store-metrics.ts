import { Histogram, type Registry } from "prom-client";
import { StoreFailure } from "../../domain/failure.ts";
import { andThen, recover } from "../../domain/maybe-promise.ts";
import type { Store } from "../../domain/store.ts";
import type { CommitObserver } from "../../observations/commit-observer.ts";
import { CALLS_OF_SERVICE, type ObserveCall, observedStore } from "../observed-store.ts";
import { scraped } from "./scraped.ts";

/** Seconds. */
const DURATIONS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
/** Writes in one transaction; the last bucket is the largest batch. */
const BATCHES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

interface StoreMetrics {
  readonly commits: CommitObserver;
  /** Wraps a store so that its calls are measured. */
  observe(store: Store): Store;
}

/**
 * Metrics of the store, with OpenTelemetry's names for database clients where they exist.
 *
 * @param system OpenTelemetry's name of the engine: `sqlite` or `postgresql`
 */
export function storeMetrics(registry: Registry, system: string): StoreMetrics {
  const registers = [registry];
  const calls = new Histogram({
    name: "db_client_operation_duration_seconds",
    help: "Duration of store calls, including the wait for others.",
    labelNames: ["db_system_name", "db_operation_name", "error_type"] as const,
    buckets: DURATIONS,
    registers,
  });
  const commits = new Histogram({
    name: "animal_store_commit_duration_seconds",
    help: "Duration of transactions of writes (creates and orders), from the engine's start until they are on the disk.",
    labelNames: ["outcome"] as const,
    buckets: DURATIONS,
    registers,
  });
  const waits = new Histogram({
    name: "animal_store_commit_wait_seconds",
    help: "How long the first write of each transaction waited for the previous transaction.",
    buckets: DURATIONS,
    registers,
  });
  const batches = new Histogram({
    name: "animal_store_commit_batch_size",
    help: "Writes per transaction.",
    buckets: BATCHES,
    registers,
  });
  const labelsOf = (name: string, error_type: string) => ({
    db_system_name: system,
    db_operation_name: name,
    error_type,
  });
  // Each series starts at 0: Prometheus sees no increase from a series that did not exist before.
  for (const name of CALLS_OF_SERVICE)
    for (const errorType of ["", "store_unavailable"]) calls.zero(labelsOf(name, errorType));
  for (const outcome of ["stored", "failed"]) commits.zero({ outcome });
  const queues: (() => number)[] = [];
  const observe: ObserveCall = (name, call) => {
    const started = performance.now();
    const count = (errorType: string) =>
      calls.observe(labelsOf(name, errorType), (performance.now() - started) / 1000);
    return recover(
      () =>
        andThen(call(), (result) => {
          count("");
          return result;
        }),
      (error) => {
        count(error instanceof StoreFailure ? error.code : "_OTHER");
        throw error;
      },
    );
  };
  return {
    commits: {
      queue(length) {
        queues.push(length);
        if (queues.length > 1) return;
        const help = "Writes (creates and orders) that wait for the transaction before theirs.";
        const waiting = () => queues.reduce((sum, length) => sum + length(), 0);
        scraped(registry).gauge("animal_store_write_queue_length", help, "sum", waiting);
      },
      committed({ writes, waitedMilliseconds, milliseconds, error }) {
        commits.observe({ outcome: error === undefined ? "stored" : "failed" }, milliseconds / 1000);
        waits.observe(waitedMilliseconds / 1000);
        batches.observe(writes);
      },
    },
    observe: (store) => observedStore(store, observe),
  };
}
