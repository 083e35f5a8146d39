import type { Config } from "../config/settings.ts";
import type { EventSink } from "../domain/event.ts";
import type { CommitObserver, RequestObserver } from "../domain/observation.ts";
import type { Store } from "../domain/store.ts";
import { engineOf } from "../stores/url.ts";
import { combineCommitObservers, combineRequestObservers } from "../telemetry/combine.ts";
import { createLog } from "../telemetry/log/log.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import type { Traces } from "../telemetry/traces/traces.ts";

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
  const metrics = await createMetrics(config);
  const emit: EventSink = (event) => {
    log.emit(event);
    metrics?.count(event);
  };
  const traces = await createTraces(config, emit);
  const log = createLog({ ...config, worker, traceId: traces?.traceId });
  metrics?.watchLog(log.dropped);
  return {
    emit,
    requests: combineRequestObservers([log.requests, metrics?.requests, traces?.requests]),
    commits: combineCommitObservers([metrics?.commits, traces?.commits]),
    metrics,
    observe: (store) => {
      const counted = metrics?.observe(store) ?? store;
      return traces?.observe(counted) ?? counted;
    },
    close: async () => {
      const sent = (await traces?.close()) ?? true;
      return (await log.close()) && sent;
    },
  };
}

async function createMetrics({
  METRICS_PORT,
  ENVIRONMENT,
  DATABASE_URL,
}: Config): Promise<Metrics | undefined> {
  if (METRICS_PORT === undefined) return undefined;
  const { createMetrics } = await import("../telemetry/metrics/metrics.ts");
  return createMetrics({ environment: ENVIRONMENT, engine: engineOf(DATABASE_URL), clock: Date.now });
}

/** The collector is away for longer than one batch: more than a line a minute tells nothing new. */
const UNDELIVERED_EVERY_MS = 60_000;

async function createTraces(config: Config, emit: EventSink): Promise<Traces | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS = {}, DATABASE_URL } = config;
  if (OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return undefined;
  const { createTraces } = await import("../telemetry/traces/traces.ts");
  let told = Number.NEGATIVE_INFINITY;
  const options = { ...config, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS };
  return createTraces(options, engineOf(DATABASE_URL), (error) => {
    const now = performance.now();
    if (now - told < UNDELIVERED_EVERY_MS) return;
    told = now;
    emit({ event: "traces_undelivered", error });
  });
}
