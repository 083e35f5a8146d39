import { setTimeout } from "node:timers/promises";
import type { EventSink } from "../domain/event.ts";
import { Failure } from "../domain/failure.ts";
import type { Handle } from "../http/bun-servers.ts";
import type { Connections } from "../http/connections.ts";
import { type RateLimit, RateLimiter } from "../http/rate-limit/rate-limit.ts";
import { requestIdOf } from "../http/request/request-id.ts";
import { rawTarget, splitTarget } from "../http/request/target.ts";
import type { CommonHeaders } from "../http/response/common-headers.ts";
import { failureResponse } from "../http/response/failure-response.ts";
import type { Rendered } from "../http/response/rendered.ts";
import { responseOf } from "../http/response/response.ts";
import { isBelowBase, type Routes } from "../http/routes.ts";
import type { Operation } from "../operations/operation.ts";
import type { Fault, FaultPlan } from "./faults.ts";
import type { Link } from "./link.ts";
import { preferredFault } from "./prefer.ts";

interface FaultLayerOptions {
  readonly plan: FaultPlan;
  readonly routes: Routes;
  readonly commonHeaders: CommonHeaders;
  /** What the sandbox itself limits requests to, if it does. */
  readonly rateLimit: RateLimit | undefined;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** The connection that the service sees from a port. */
  readonly link: (port: number | undefined) => Link | undefined;
  readonly emit: EventSink;
}

/** The limit that a 429 names where the sandbox has none. */
const RATE_LIMIT: RateLimit = { quota: 10, windowSeconds: 1 };
/** Seconds that the runtime waits for a delayed response after its delay. */
const AFTER_DELAY_SECONDS = 12;

/** What a proxy says that does not reach the service. It knows nothing of Errors, request ids or CORS. */
const BAD_GATEWAY =
  "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<h1>502 Bad Gateway</h1>\r\n</body>\r\n</html>\r\n";

/** Injects faults into requests of operations, before or after the service itself handles them. */
export class FaultLayer {
  readonly #options: FaultLayerOptions;

  constructor(options: FaultLayerOptions) {
    this.#options = options;
  }

  /** Handles a request, with the fault that it asks for itself, or that is planned for it. */
  async handle(request: Request, connections: Connections, next: Handle): Promise<Response> {
    const { plan, routes, emit } = this.#options;
    const target = splitTarget(rawTarget(request.url));
    const operation = isBelowBase(target.path) ? routes.find(request.method, target).operation : undefined;
    if (!operation) return next(request, connections);
    const preferred = preferredFault(request.headers.get("prefer"));
    if (preferred instanceof Failure) return this.#respond(request, failureResponse(preferred, operation));
    const fault = preferred ?? plan.take(operation.id);
    if (!fault) return next(request, connections);
    emit({ event: "fault_injected", fault: fault.fault, operation: operation.id });
    return this.#inject(fault, operation, request, connections, next);
  }

  async #inject(
    { fault, delayMs, retryAfterSeconds }: Fault,
    operation: Operation,
    request: Request,
    connections: Connections,
    next: Handle,
  ): Promise<Response> {
    const link = this.#options.link(connections.requestIP(request)?.port);
    switch (fault) {
      case "429":
        return this.#respond(request, this.#rateLimited(operation, retryAfterSeconds));
      case "500":
        return this.#respond(request, failureResponse(new Failure("internal_error", {}), operation));
      case "502":
        return new Response(BAD_GATEWAY, { status: 502, headers: { "Content-Type": "text/html" } });
      case "503": {
        const { headers, ...rest } = failureResponse(new Failure("overloaded", {}), operation);
        return this.#respond(request, {
          ...rest,
          headers: { ...headers, "Retry-After": `${retryAfterSeconds}` },
        });
      }
      case "reset":
        link?.reset();
        return new Response();
      case "lost":
      case "cut": {
        const response = await next(request, connections);
        // A response without a body has no middle.
        if (fault === "cut" && response.body && request.method !== "HEAD") link?.cut();
        else link?.close();
        return response;
      }
      case "delay":
        connections.timeout(request, Math.ceil(delayMs / 1000) + AFTER_DELAY_SECONDS);
        // A client that has gone must not keep a stopped sandbox running.
        await setTimeout(delayMs, undefined, { ref: false });
        return next(request, connections);
      case "slow": {
        const response = await next(request, connections);
        link?.slowDown(delayMs, response.body !== null && request.method !== "HEAD");
        return response;
      }
    }
  }

  #rateLimited(operation: Operation, retryAfterSeconds: number): Rendered {
    const limit = this.#options.rateLimit ?? RATE_LIMIT;
    const { policy } = new RateLimiter(limit);
    const rendered = failureResponse(new Failure("rate_limited", { ...limit, retryAfterSeconds }), operation);
    const standing = { RateLimit: `"default";r=0;t=${retryAfterSeconds}` };
    return { ...rendered, headers: { ...rendered.headers, ...policy, ...standing } };
  }

  #respond(request: Request, rendered: Rendered): Response {
    const { commonHeaders, clock } = this.#options;
    const requestId = requestIdOf(request.headers.get("x-request-id"));
    return responseOf(rendered, requestId, commonHeaders.of(request, clock()));
  }
}
