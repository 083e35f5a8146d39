import type { Config } from "../config/settings.ts";
import type { Store } from "../domain/store.ts";
import { knownResponses } from "../http/response/known-responses.ts";
import type { CommitObserver } from "../observations/commit-observer.ts";
import type { ObservationSink } from "../observations/observation.ts";
import type { RequestObserver } from "../observations/request-observer.ts";
import { operationsOffered } from "../operations/catalogue.ts";
import { engineOf } from "../stores/url.ts";
import { combineCommitObservers, combineRequestObservers } from "../telemetry/combine.ts";
import { createLog } from "../telemetry/log/log.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import type { Traces } from "../telemetry/traces/traces.ts";

/** The log, metrics and traces of a process, as configured. Modules for what is off are not even loaded. */
export interface Telemetry {
  readonly emit: ObservationSink;
  readonly requests: RequestObserver | undefined;
  readonly commits: CommitObserver | undefined;
  readonly metrics: Metrics | undefined;
  /** Wraps a store so that its calls are measured and traced. */
  observe(store: Store): Store;
  /** Delivers what is left, for a bounded time; resolves to whether it succeeded. */
  close(): Promise<boolean>;
}

/** @param worker the number of this worker, if there are several */
export async function startTelemetry(config: Config, worker?: number): Promise<Telemetry> {
  const metrics = await createMetrics(config);
  const emit: ObservationSink = (event) => {
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
  STABILITY,
  DATABASE_URL,
}: Config): Promise<Metrics | undefined> {
  if (METRICS_PORT === undefined) return undefined;
  const { createMetrics } = await import("../telemetry/metrics/metrics.ts");
  return createMetrics({
    environment: ENVIRONMENT,
    engine: engineOf(DATABASE_URL),
    responses: knownResponses(operationsOffered(STABILITY)),
    clock: Date.now,
  });
}

/** At most one log line per minute: a collector that is away fails for every batch. */
const UNDELIVERED_EVERY_MS = 60_000;

async function createTraces(config: Config, emit: ObservationSink): Promise<Traces | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS = {}, DATABASE_URL } = config;
  if (OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return undefined;
  const { createTraces } = await import("../telemetry/traces/traces.ts");
  let reportedAt = Number.NEGATIVE_INFINITY;
  const options = { ...config, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS };
  return createTraces(options, engineOf(DATABASE_URL), (error) => {
    const now = performance.now();
    if (now - reportedAt < UNDELIVERED_EVERY_MS) return;
    reportedAt = now;
    emit({ event: "traces_undelivered", error });
  });
}
