import type { Config } from "../config/settings.ts";
import type { Store } from "../domain/store.ts";
import { serverOf } from "../http/address.ts";
import type { ServerAddress } from "../http/openapi/document.ts";
import type { ServerOptions } from "../http/server.ts";
import { operationsOffered } from "../operations/catalogue.ts";
import type { Telemetry } from "./telemetry.ts";

/** The options of a server for a store, from the configuration. */
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
    maxStreams: config.MAX_STREAMS,
    keepAliveSeconds: config.KEEP_ALIVE_SECONDS,
    hstsSeconds: config.HSTS_SECONDS,
    clock: Date.now,
    emit,
    observer: requests,
  };
}

/** The deployments that the configuration names, for the OpenAPI document. */
export function serversOf({ PRODUCTION_URL, STAGING_URL }: Config): ServerAddress[] {
  return [
    ...(PRODUCTION_URL ? [serverOf("production", PRODUCTION_URL)] : []),
    ...(STAGING_URL ? [serverOf("staging", STAGING_URL)] : []),
  ];
}
