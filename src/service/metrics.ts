import type { Config } from "../config/settings.ts";
import type { ObservationSink } from "../observations/observation.ts";
import type { MetricsSnapshot } from "../telemetry/metrics/metrics.ts";
import { listenError } from "./listen-error.ts";

/**
 * Serves metrics if the configuration says so.
 *
 * @param snapshots returns the metrics of each process of the service
 * @throws CommandFailure when it cannot listen
 */
export async function serveMetrics(
  { METRICS_HOST, METRICS_PORT }: Config,
  emit: ObservationSink,
  snapshots: () => Promise<readonly MetricsSnapshot[]>,
): Promise<AsyncDisposable> {
  if (METRICS_PORT === undefined) return { async [Symbol.asyncDispose]() {} };
  const { startMetricsServer } = await import("../telemetry/metrics/metrics-server.ts");
  try {
    const server = startMetricsServer({ host: METRICS_HOST, port: METRICS_PORT, snapshots });
    emit({ event: "metrics_listening", address: server.address });
    return { [Symbol.asyncDispose]: () => server.stop() };
  } catch (error) {
    throw await listenError(error, ["METRICS_HOST", METRICS_HOST], ["METRICS_PORT", METRICS_PORT]);
  }
}
