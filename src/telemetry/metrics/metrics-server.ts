import { AggregatorRegistry, Registry } from "prom-client";
import type { MetricsSnapshot } from "./metrics.ts";

export interface MetricsServerOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** What there is to tell now, of each process of the service; they are told as one. */
  readonly snapshots: () => Promise<readonly MetricsSnapshot[]>;
}

export interface MetricsServer {
  /** Where the metrics are: `http://127.0.0.1:9464/metrics`. */
  readonly address: string;
  stop(): Promise<void>;
}

/** A scrape is kept until it is read: a client that does not read must not have many. */
const SCRAPES_MAX = 32;
const HEADERS = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };

/**
 * Serves metrics in the text format of Prometheus, or that of OpenMetrics where it is asked for, on a port
 * of their own: what stands before the service must not lead there.
 *
 * @throws the runtime's error, with a `code` such as EADDRINUSE, when it cannot listen
 */
export function startMetricsServer({ host, port, snapshots }: MetricsServerOptions): MetricsServer {
  const server = Bun.serve({
    hostname: host,
    port,
    // Left out, it would be true where `development` is false: the port would be shared with everyone.
    reusePort: false,
    development: false,
    async fetch(request, server) {
      if (server.pendingRequests > SCRAPES_MAX)
        return refusal(503, { Connection: "close", "Retry-After": "1" });
      if (request.url.replace(/^\w+:\/\/[^/]*|\?.*/g, "") !== "/metrics") return refusal(404);
      if (request.method !== "GET" && request.method !== "HEAD") return refusal(405, { Allow: "GET, HEAD" });
      const accepted = request.headers.get("accept") ?? "";
      const { contentType, text } = await render(await snapshots(), accepted.includes("openmetrics-text"));
      return new Response(text, { headers: { ...HEADERS, "Content-Type": contentType } });
    },
    // Whoever asks here may know that something failed; what it was is for the log of the one who asks.
    error: () => refusal(500),
  });
  const name = host.includes(":") ? `[${host}]` : host;
  return {
    address: `http://${name}:${server.port}/metrics`,
    stop: () => server.stop(true),
  };
}

function refusal(status: number, headers: Record<string, string> = {}): Response {
  return new Response(null, { status, headers: { ...HEADERS, ...headers } });
}

/** Joins what several processes have counted: sums mostly, each figure by its own rule. */
async function render(snapshots: readonly MetricsSnapshot[], openMetrics: boolean) {
  const contentType = openMetrics ? Registry.OPENMETRICS_CONTENT_TYPE : Registry.PROMETHEUS_CONTENT_TYPE;
  // OpenMetrics names a counter without the `_total` of its samples, which prom-client adds.
  const named = openMetrics ? snapshots.map((metrics) => metrics.map(withoutTotal)) : snapshots;
  const registry: Registry<typeof contentType> = AggregatorRegistry.aggregate([...named]);
  registry.setContentType(contentType);
  return { contentType, text: await registry.metrics() };
}

function withoutTotal(metric: MetricsSnapshot[number]): MetricsSnapshot[number] {
  return { ...metric, name: metric.name.replace(/_total$/, "") };
}
