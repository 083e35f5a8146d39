import { setTimeout } from "node:timers/promises";
import type { EventSink } from "../domain/event.ts";
import { Failure } from "../domain/failure.ts";
import type { Service } from "../http/options.ts";
import { policyHeader, type RateLimit, rateLimitHeader } from "../http/rate-limit/rate-limit.ts";
import { overloaded, renderFailure } from "../http/response/render.ts";
import type { Connections } from "../http/runtime/connections.ts";
import type { Operation } from "../operations/operation.ts";
import type { Fault, FaultPlan } from "./faults.ts";
import type { Link } from "./link.ts";
import { preferredFault } from "./prefer.ts";

interface FaultLayerOptions {
  readonly plan: FaultPlan;
  /** The sandbox's own rate limit, if it has one. */
  readonly rateLimit: RateLimit | undefined;
  /** Finds a client's connection by the port from which the service sees it. */
  readonly link: (port: number | undefined) => Link | undefined;
  readonly emit: EventSink;
}

/** The limit that a 429 names where the sandbox has none. */
const RATE_LIMIT: RateLimit = { quota: 10, windowSeconds: 1 };
/** How long the runtime waits for a delayed response once its delay is over. */
const AFTER_DELAY_SECONDS = 12;

/** The page of a proxy that cannot reach the service. A proxy knows nothing of Errors, request ids or CORS. */
const BAD_GATEWAY =
  "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<h1>502 Bad Gateway</h1>\r\n</body>\r\n</html>\r\n";

/** Injects faults into requests of operations, before or after the service itself handles them. */
export class FaultLayer {
  readonly #options: FaultLayerOptions;

  constructor(options: FaultLayerOptions) {
    this.#options = options;
  }

  /** Handles a request with the fault that its own header asks for, or else with the planned one. */
  async handle(request: Request, connections: Connections, service: Service): Promise<Response> {
    const operation = service.operationOf(request);
    if (!operation) return service.handle(request, connections);
    const preferred = preferredFault(request.headers.get("prefer"));
    if (preferred instanceof Failure) {
      return service.respondWith(renderFailure(preferred, operation), request);
    }
    const fault = preferred ?? this.#options.plan.take(operation.id);
    if (!fault) return service.handle(request, connections);
    this.#options.emit({ event: "fault_injected", fault: fault.fault, operation: operation.id });
    return this.#inject(fault, operation, request, connections, service);
  }

  async #inject(
    { fault, delayMs, retryAfterSeconds }: Fault,
    operation: Operation,
    request: Request,
    connections: Connections,
    service: Service,
  ): Promise<Response> {
    const refuse = (failure: Failure, own: Readonly<Record<string, string>> = {}) => {
      const { headers, ...rest } = renderFailure(failure, operation);
      return service.respondWith({ ...rest, headers: { ...headers, ...own } }, request);
    };
    const { rateLimit: limit = RATE_LIMIT } = this.#options;
    const link = this.#options.link(connections.requestIP(request)?.port);
    switch (fault) {
      case "429":
        return refuse(new Failure("rate_limited", { ...limit, retryAfterSeconds }), {
          ...policyHeader(limit),
          ...rateLimitHeader(0, retryAfterSeconds),
        });
      case "500":
        return refuse(new Failure("internal_error", {}));
      case "502":
        return new Response(BAD_GATEWAY, { status: 502, headers: { "Content-Type": "text/html" } });
      case "503":
        return refuse(overloaded, { "Retry-After": `${retryAfterSeconds}` });
      case "reset":
        link?.reset();
        return new Response();
      case "lost":
      case "cut": {
        const response = await service.handle(request, connections);
        // A response without a body has no middle.
        if (fault === "cut" && response.body && request.method !== "HEAD") link?.cut();
        else link?.close();
        return response;
      }
      case "delay":
        connections.timeout(request, Math.ceil(delayMs / 1000) + AFTER_DELAY_SECONDS);
        // A client that has gone must not keep a stopped sandbox running.
        await setTimeout(delayMs, undefined, { ref: false });
        return service.handle(request, connections);
      case "slow": {
        const response = await service.handle(request, connections);
        link?.slowDown(delayMs, response.body !== null && request.method !== "HEAD");
        return response;
      }
    }
  }
}
