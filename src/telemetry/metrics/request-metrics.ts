import { Counter, Histogram, type Registry } from "prom-client";
import { KEY_REFUSALS } from "../../domain/api-key.ts";
import type { KnownResponses, RequestObserver, RequestOutcome } from "../../observations/request-observer.ts";
import { METHODS } from "../http-methods.ts";

/** Seconds: OpenTelemetry's recommended buckets and finer ones, since a cached page takes about 20 µs. */
const DURATIONS = [
  0.000025, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** Metrics of requests, with OpenTelemetry's names for HTTP servers where they exist. */
export function requestMetrics(registry: Registry, known: KnownResponses): RequestObserver {
  const registers = [registry];
  const durations = new Histogram({
    name: "http_server_request_duration_seconds",
    help: "Duration of requests, from receiving the head to handing the response to the runtime.",
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
  const errorResponses = new Counter({
    name: "animal_store_error_responses_total",
    help: "Error responses, by code.",
    labelNames: ["code"] as const,
    registers,
  });
  const authFailures = new Counter({
    name: "animal_store_auth_failures_total",
    help: "Requests refused with 401, by the reason, which the client is not told.",
    labelNames: ["reason"] as const,
    registers,
  });
  const cache = new Counter({
    name: "animal_store_response_cache_total",
    help: "Reads, by whether the response came from the response cache.",
    labelNames: ["result"] as const,
    registers,
  });
  // Each counter starts at 0: Prometheus sees no increase from a series that did not exist before.
  for (const outcome of known.outcomes) durations.zero(labelsOf(outcome));
  for (const code of known.failures) errorResponses.inc({ code }, 0);
  for (const reason of KEY_REFUSALS) authFailures.inc({ reason }, 0);
  for (const result of ["hit", "miss"]) cache.inc({ result }, 0);
  return {
    answered(request) {
      const { failure, keyRefusal, cacheHit } = request;
      durations.observe(labelsOf(request), request.microseconds / 1_000_000);
      if (failure !== undefined && !request.abandoned) errorResponses.inc({ code: failure });
      if (keyRefusal !== undefined) authFailures.inc({ reason: keyRefusal });
      if (cacheHit !== undefined) cache.inc({ result: cacheHit ? "hit" : "miss" });
    },
  };
}

function labelsOf(outcome: RequestOutcome) {
  const { method, route, operation, status, abandoned } = outcome;
  return {
    http_request_method: METHODS.has(method) ? method : "_OTHER",
    http_route: route ?? "",
    // The client of an abandoned request received no status.
    http_response_status_code: abandoned ? "" : status,
    error_type: errorType(outcome),
    operation: operation ?? "",
  };
}

/** Only failures of the service count as errors of the server; a client's mistakes do not. */
function errorType({ abandoned, status, failure }: RequestOutcome): string {
  if (abandoned) return "client_gone";
  return status >= 500 ? (failure ?? "_OTHER") : "";
}
