import type { SettingName } from "./settings.ts";

/**
 * Whether the instances that `verify` starts take a setting from the environment. The other settings would change the
 * expected answers, or interfere with a running service: take its port, write into its backups, report to its
 * collector. A new setting does not compile until it has a line here.
 */
export const INHERITED: Readonly<Record<SettingName, boolean>> = {
  HOST: false,
  PORT: false,
  DATABASE_URL: false,
  ENVIRONMENT: true,
  STABILITY: true,
  FIRST_KEY: false,
  PRODUCTION_URL: false,
  STAGING_URL: false,
  LOG_LEVEL: false,
  LOG_FORMAT: false,
  LOG_REQUESTS: false,
  METRICS_PORT: false,
  METRICS_HOST: false,
  OTEL_EXPORTER_OTLP_ENDPOINT: false,
  OTEL_EXPORTER_OTLP_HEADERS: false,
  OTEL_SERVICE_NAME: false,
  OTEL_TRACES_SAMPLER: false,
  OTEL_TRACES_SAMPLER_ARG: false,
  SHUTDOWN_SECONDS: true,
  CORS_ORIGINS: false,
  RATE_LIMIT: false,
  TLS_CERT: false,
  TLS_KEY: false,
  TRUST_PROXY: true,
  MAX_REQUESTS: false,
  MAX_STREAMS: false,
  KEEP_ALIVE_SECONDS: false,
  EVENTS_KEEP: false,
  HSTS_SECONDS: false,
  WORKERS: true,
  BACKUP_EVERY: false,
  BACKUP_DIR: false,
  BACKUP_KEEP: false,
};
