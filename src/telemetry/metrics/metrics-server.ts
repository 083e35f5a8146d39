import { AggregatorRegistry, Registry } from "prom-client";
import type { MetricsSnapshot } from "./metrics.ts";

interface MetricsServerOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** The current metrics of each process of the service; a scrape merges them. */
  readonly snapshots: () => Promise<readonly MetricsSnapshot[]>;
}

interface MetricsServer {
  /** The URL of the metrics: `http://127.0.0.1:9464/metrics`. */
  readonly address: string;
  stop(): Promise<void>;
}

/** A scrape stays in memory until the client has read it, so the number of scrapes in progress is bounded. */
const SCRAPES_MAX = 32;
const HEADERS = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };

/**
 * Serves metrics in the text format of Prometheus, or of OpenMetrics on request. They have a port of their own, so that
 * a proxy in front of the service does not expose them.
 *
 * @throws the runtime's error, with a `code` such as EADDRINUSE, when it cannot listen
 */
export function startMetricsServer({ host, port, snapshots }: MetricsServerOptions): MetricsServer {
  const server = Bun.serve({
    hostname: host,
    port,
    // The default is true unless in development, and would let other programs share the port.
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

/** Merges the metrics of several processes: most are summed, each by its own aggregator. */
async function render(snapshots: readonly MetricsSnapshot[], openMetrics: boolean) {
  const contentType = openMetrics ? Registry.OPENMETRICS_CONTENT_TYPE : Registry.PROMETHEUS_CONTENT_TYPE;
  // In OpenMetrics a counter's name lacks `_total`, which prom-client adds to its samples.
  const named = openMetrics ? snapshots.map((metrics) => metrics.map(withoutTotal)) : snapshots;
  const registry: Registry<typeof contentType> = AggregatorRegistry.aggregate([...named]);
  registry.setContentType(contentType);
  return { contentType, text: await registry.metrics() };
}

function withoutTotal(metric: MetricsSnapshot[number]): MetricsSnapshot[number] {
  return { ...metric, name: metric.name.replace(/_total$/, "") };
}
