import type { Config } from "../config.ts";
import type { EventSink } from "../domain/event.ts";
import type { CommitObserver, RequestObserver } from "../domain/observation.ts";
import type { Store } from "../domain/store.ts";
import { engineOf } from "../stores/open.ts";
import { combineCommitObservers, combineRequestObservers } from "../telemetry/combine.ts";
import { createLog } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";

/** What watches a process that serves, as far as it was asked for; what is off is not even loaded. */
export interface Telemetry {
  readonly emit: EventSink;
  readonly requests: RequestObserver | undefined;
  readonly commits: CommitObserver | undefined;
  readonly metrics: Metrics | undefined;
  /** The store to serve from: the given one, whose calls are watched. */
  observe(store: Store): Store;
  /** Resolves when all that was seen is told, as far as it can be; tells whether it is. */
  close(): Promise<boolean>;
}

/** @param worker which of several processes this is, where there are several */
export async function startTelemetry(config: Config, worker?: number): Promise<Telemetry> {
  const log = createLog({ ...config, worker });
  const metrics = await createMetrics(config);
  return {
    emit: (event) => {
      log.emit(event);
      metrics?.count(event);
    },
    requests: combineRequestObservers([log.requests, metrics?.requests]),
    commits: combineCommitObservers([metrics?.commits]),
    metrics,
    observe: (store) => metrics?.observe(store) ?? store,
    close: () => log.close(),
  };
}

async function createMetrics({
  METRICS_PORT,
  ENVIRONMENT,
  DATABASE_URL,
}: Config): Promise<Metrics | undefined> {
  if (METRICS_PORT === undefined) return undefined;
  const { createMetrics } = await import("../telemetry/metrics/metrics.ts");
  return createMetrics({ environment: ENVIRONMENT, engine: engineOf(DATABASE_URL) });
}
