import type { Config } from "../config.ts";
import type { Store } from "../domain/store.ts";
import type { ServerOptions } from "../http/server.ts";
import { operationsOffered } from "../operations/catalogue.ts";
import { serversOf } from "./openapi.ts";
import type { Telemetry } from "./telemetry.ts";

/** What a server needs to know that serves a store as it is configured. */
export function serverOptions(
  config: Config,
  store: Store,
  { emit, requests }: Telemetry,
): Omit<ServerOptions, "tls"> {
  return {
    host: config.HOST,
    port: config.PORT,
    operations: operationsOffered(config.STABILITY),
    store,
    environment: config.ENVIRONMENT,
    servers: serversOf(config),
    allowedOrigins: config.CORS_ORIGINS,
    rateLimit: config.RATE_LIMIT,
    trustProxy: config.TRUST_PROXY,
    maxRequests: config.MAX_REQUESTS,
    keepAliveSeconds: config.KEEP_ALIVE_SECONDS,
    hstsSeconds: config.HSTS_SECONDS,
    clock: Date.now,
    emit,
    observer: requests,
  };
}
