import { Counter, Histogram, type Registry } from "prom-client";
import type { AnsweredRequest, RequestObserver } from "../../domain/observation.ts";
import { METHODS } from "../http-methods.ts";

/** Seconds: those that OpenTelemetry advises, and finer ones, since a kept page takes some 20 µs. */
const DURATIONS = [
  0.000025, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** What is counted of requests, by OpenTelemetry's names for HTTP servers where it has one. */
export function requestMetrics(registry: Registry): RequestObserver {
  const registers = [registry];
  const durations = new Histogram({
    name: "http_server_request_duration_seconds",
    help: "How long requests took, from their head to the hand-over of their answer.",
    labelNames: [
      "http_request_method",
      "http_route",
      "http_response_status_code",
      "error_type",
      "operation",
    ] as const,
    buckets: DURATIONS,
    registers,
  });
  const failures = new Counter({
    name: "animal_store_failures_total",
    help: "Requests that were refused or failed, by the code of the error.",
    labelNames: ["code"] as const,
    registers,
  });
  const refusedKeys = new Counter({
    name: "animal_store_keys_refused_total",
    help: "Requests whose key was refused, by the reason, which the client is not told.",
    labelNames: ["reason"] as const,
    registers,
  });
  const pages = new Counter({
    name: "animal_store_pages_total",
    help: "Reads that were answered, by whether the answer had been kept since an earlier one.",
    labelNames: ["kept"] as const,
    registers,
  });
  return {
    answered(request) {
      const { operation, failure, keyRefusal, kept } = request;
      durations.observe(
        {
          http_request_method: METHODS.has(request.method) ? request.method : "_OTHER",
          http_route: request.route ?? "",
          // A status that nobody got is none.
          http_response_status_code: request.abandoned ? "" : request.status,
          error_type: errorType(request),
          operation: operation ?? "",
        },
        request.microseconds / 1_000_000,
      );
      if (failure !== undefined && !request.abandoned) failures.inc({ code: failure });
      if (keyRefusal !== undefined) refusedKeys.inc({ reason: keyRefusal });
      if (kept !== undefined) pages.inc({ kept: kept ? "true" : "false" });
    },
  };
}

/** Only what went wrong on our side is an error of the server; what a client did wrong is its own. */
function errorType({ abandoned, status, failure }: AnsweredRequest): string {
  if (abandoned) return "client_gone";
  return status >= 500 ? (failure ?? "_OTHER") : "";
}
