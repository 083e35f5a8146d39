import { startServer } from "../http/server.ts";
import { operationsOffered } from "../operations/catalogue.ts";
import { openStore } from "../stores/open.ts";
import { cannotListen } from "./cannot-listen.ts";
import { issueFirstKey } from "./first-key.ts";
import { serversOf } from "./openapi.ts";
import { serveMetrics } from "./serve-metrics.ts";
import { configOf } from "./settings-options.ts";
import { stopSignal } from "./stop-signal.ts";
import { sweepRetries } from "./sweep-retries.ts";
import { startTelemetry } from "./telemetry.ts";
import { readTls, replaceTlsOnHangup, unusableTls } from "./tls.ts";

/** `animal-store serve`: serves until a signal says stop. */
export async function serve(options: Record<string, unknown>): Promise<void> {
  const { config } = configOf(options);
  const telemetry = await startTelemetry(config);
  const { emit, metrics } = telemetry;
  const stop = stopSignal(process, performance.now.bind(performance), () => process.exit(1));
  const store = telemetry.observe(await openStore(config.DATABASE_URL, Date.now, telemetry.commits));
  try {
    await store.check();
    await using _ = await serveMetrics(config, emit, async () => (metrics ? [await metrics.snapshot()] : []));
    const server = await startServer({
      host: config.HOST,
      port: config.PORT,
      tls: readTls(config),
      operations: operationsOffered(config.STABILITY),
      store,
      servers: serversOf(config),
      allowedOrigins: config.CORS_ORIGINS,
      rateLimit: config.RATE_LIMIT,
      trustProxy: config.TRUST_PROXY,
      clock: Date.now,
      emit,
      observer: telemetry.requests,
    }).catch((error) => {
      if ((error as NodeJS.ErrnoException).code?.startsWith("ERR_OSSL")) throw unusableTls(error);
      throw cannotListen(error, ["HOST", config.HOST], ["PORT", config.PORT]);
    });
    metrics?.watchReadiness(server.isReady);
    try {
      const firstKey = await issueFirstKey(store, config, server.address);
      // Without a certificate a hangup does what it does to every program: a closed terminal ends it.
      if (config.TLS_CERT) replaceTlsOnHangup(server, config, emit);
      emit({ event: "listening", address: server.address, environment: config.ENVIRONMENT });
      if (firstKey) emit(firstKey);
      const sweeping = sweepRetries(store, emit);
      emit({ event: "stopping", signal: await stop });
      sweeping.stop();
    } finally {
      await server.stop(config.SHUTDOWN_SECONDS);
    }
  } finally {
    await store.close();
  }
  emit({ event: "stopped" });
}
