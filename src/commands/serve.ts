import type { Config } from "../config.ts";
import { startServer } from "../http/server.ts";
import { operationsOffered } from "../operations/catalogue.ts";
import { openStore } from "../stores/open.ts";
import { createLog } from "../telemetry/log.ts";
import { CommandFailure } from "./failure.ts";
import { issueFirstKey } from "./first-key.ts";
import { serversOf } from "./openapi.ts";
import { configOf } from "./settings-options.ts";
import { stopSignal } from "./stop-signal.ts";
import { sweepRetries } from "./sweep-retries.ts";
import { readTls, replaceTlsOnHangup, unusableTls } from "./tls.ts";

/** `animal-store serve`: serves until a signal says stop. */
export async function serve(options: Record<string, unknown>): Promise<void> {
  const { config } = configOf(options);
  const { emit, requests } = createLog(config);
  const stop = stopSignal(process, performance.now.bind(performance), () => process.exit(1));
  const store = await openStore(config.DATABASE_URL, Date.now);
  try {
    await store.check();
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
      observer: requests,
    }).catch((error) => {
      throw cannotListen(error, config);
    });
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

function cannotListen(error: unknown, { HOST, PORT }: Config): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "EADDRINUSE") {
    return new CommandFailure(
      `port ${PORT} on ${HOST} is taken; name another with PORT or --port (0 picks a free one).`,
    );
  }
  if (code === "EACCES")
    return new CommandFailure(`port ${PORT} on ${HOST} needs more rights; name one above 1023.`);
  if (code === "EADDRNOTAVAIL" || code === "EINVAL") {
    return new CommandFailure(
      `${HOST} is no address of this machine; name one that is with HOST or --host, such as 127.0.0.1.`,
    );
  }
  if (code?.startsWith("ERR_OSSL")) return unusableTls(error);
  if (code?.startsWith("E")) return new CommandFailure(`cannot listen on ${HOST}, port ${PORT}: ${code}.`);
  return error;
}
