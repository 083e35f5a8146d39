import { Gauge, Histogram, type Registry } from "prom-client";
import { andThen, orElse } from "../../domain/eventual.ts";
import { StoreFailure } from "../../domain/failure.ts";
import type { CommitObserver } from "../../domain/observation.ts";
import type { Store } from "../../domain/store.ts";
import { type ObserveCall, ObservedStore } from "../observed-store.ts";

/** Seconds. */
const DURATIONS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
/** Creates in one transaction; the greatest is as many as there ever are. */
const BATCHES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

export interface StoreMetrics {
  readonly commits: CommitObserver;
  /** The same store, whose calls are counted. */
  observe(store: Store): Store;
}

/**
 * What is counted of the store, by OpenTelemetry's names for database clients where it has one.
 *
 * @param system OpenTelemetry's name of the engine: `sqlite` or `postgresql`
 */
export function storeMetrics(registry: Registry, system: string): StoreMetrics {
  const registers = [registry];
  const calls = new Histogram({
    name: "db_client_operation_duration_seconds",
    help: "How long calls of the store took, waiting for others included.",
    labelNames: ["db_system_name", "db_operation_name", "error_type"] as const,
    buckets: DURATIONS,
    registers,
  });
  const commits = new Histogram({
    name: "animal_store_commit_duration_seconds",
    help: "How long transactions of creates took, from their hand-over to the engine until they were on the disk.",
    labelNames: ["outcome"] as const,
    buckets: DURATIONS,
    registers,
  });
  const waits = new Histogram({
    name: "animal_store_commit_wait_seconds",
    help: "How long the first create of each transaction had waited for the one before.",
    buckets: DURATIONS,
    registers,
  });
  const batches = new Histogram({
    name: "animal_store_commit_creates",
    help: "Creates in one transaction.",
    buckets: BATCHES,
    registers,
  });
  const observe: ObserveCall = (name, call) => {
    const started = performance.now();
    const count = (error_type: string) => {
      const labels = { db_system_name: system, db_operation_name: name, error_type };
      calls.observe(labels, (performance.now() - started) / 1000);
    };
    return orElse(
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
        new Gauge({
          name: "animal_store_creates_waiting",
          help: "Creates that wait for the transaction before theirs.",
          registers,
          collect() {
            this.set(length());
          },
        });
      },
      committed({ creates, waitedMilliseconds, milliseconds, error }) {
        commits.observe({ outcome: error === undefined ? "stored" : "failed" }, milliseconds / 1000);
        waits.observe(waitedMilliseconds / 1000);
        batches.observe(creates);
      },
    },
    observe: (store) => new ObservedStore(store, observe),
  };
}
