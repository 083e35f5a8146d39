import { setTimeout } from "node:timers/promises";
import type { EventSink } from "../domain/event.ts";
import { Failure } from "../domain/failure.ts";
import { andThen, type MaybePromise } from "../domain/maybe-promise.ts";
import type { Handler } from "../http/handler.ts";
import type { Interceptor } from "../http/options.ts";
import { policyHeader, type RateLimit, rateLimitHeader } from "../http/rate-limit/rate-limit.ts";
import { BASE_PATH } from "../http/request/routes.ts";
import { rawTarget } from "../http/request/target.ts";
import type { HttpResponse } from "../http/response/http-response.ts";
import { overloaded, renderFailure } from "../http/response/render.ts";
import type { Connections } from "../http/runtime/connections.ts";
import type { Operation } from "../operations/operation.ts";
import type { Fault, FaultPlan } from "./faults.ts";
import type { Journal } from "./journal.ts";
import type { JournalEntry } from "./journal-entry.ts";
import type { Link } from "./link.ts";
import { preferredFault } from "./prefer.ts";
import type { SandboxInstance } from "./sandbox-instance.ts";

export interface FaultLayerOptions {
  readonly plan: FaultPlan;
  readonly journal: Journal;
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

/** The page of a proxy that cannot reach the handler. A proxy knows nothing of Errors, request ids or CORS. */
const BAD_GATEWAY =
  "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<h1>502 Bad Gateway</h1>\r\n</body>\r\n</html>\r\n";

/** The response to a request whose service was replaced meanwhile, as at a restart. */
const ended = renderFailure(new Failure("not_ready", { part: "stopping" }));

/** Matches the targets of the API, whether or not there is such a path. */
const OF_API = new RegExp(`^${BASE_PATH}(?:[/?]|$)`);

/** Writes the requests below the base path into the journal, and injects faults into those of operations. */
export class FaultLayer {
  readonly #options: FaultLayerOptions;
  readonly #entries = new WeakMap<Request, JournalEntry>();
  /** Notes the bodies that pass through the handler. */
  readonly interceptor: Interceptor = {
    received: (request, body) => this.#entries.get(request)?.received(body),
    respond: (request, response) => {
      this.#entries.get(request)?.made(response);
      return response;
    },
  };

  constructor(options: FaultLayerOptions) {
    this.#options = options;
  }

  /** @param key the name of the request's API key; `null` if no space has it */
  handle(
    request: Request,
    connections: Connections,
    instance: SandboxInstance,
    key: string | null,
  ): MaybePromise<Response> {
    const { handler } = instance;
    const target = rawTarget(request.url);
    if (!OF_API.test(target)) return handler.handle(request, connections);
    const operation = handler.operationOf(request);
    const { journal } = this.#options;
    const entry = journal.add(request, target, operation?.id ?? null, key);
    this.#entries.set(request, entry);
    const answer = operation
      ? this.#answer(request, connections, handler, operation, entry)
      : handler.handle(request, connections);
    return andThen(answer, (answered) => {
      const response = instance.hasEnded ? this.#respond(request, ended, handler) : answered;
      // Nothing is sent after a reset.
      if (entry.fault?.fault !== "reset") entry.answered(response, journal.elapsedMs);
      return response;
    });
  }

  /** Answers with the fault that the request's own header asks for, or else with the planned one. */
  #answer(
    request: Request,
    connections: Connections,
    handler: Handler,
    operation: Operation,
    entry: JournalEntry,
  ): MaybePromise<Response> {
    const preferred = preferredFault(request.headers.get("prefer"));
    if (preferred instanceof Failure) {
      return this.#respond(request, renderFailure(preferred, operation), handler);
    }
    const planned = preferred ? undefined : this.#options.plan.take(operation.id, entry.id);
    const fault = preferred ?? planned?.fault;
    if (!fault) return handler.handle(request, connections);
    entry.fault = { fault: fault.fault, rule: planned?.rule ?? null };
    this.#options.emit({ event: "fault_injected", fault: fault.fault, operation: operation.id });
    return this.#inject(fault, operation, request, connections, handler);
  }

  async #inject(
    { fault, delayMs, retryAfterSeconds }: Fault,
    operation: Operation,
    request: Request,
    connections: Connections,
    handler: Handler,
  ): Promise<Response> {
    const refuse = (failure: Failure, own: Readonly<Record<string, string>> = {}) => {
      const { headers, ...rest } = renderFailure(failure, operation);
      return this.#respond(request, { ...rest, headers: { ...headers, ...own } }, handler);
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
        const response = await handler.handle(request, connections);
        // A response without a body has no middle.
        if (fault === "cut" && response.body && request.method !== "HEAD") link?.cut();
        else link?.close();
        return response;
      }
      case "delay":
        connections.timeout(request, Math.ceil(delayMs / 1000) + AFTER_DELAY_SECONDS);
        // A client that has gone must not keep a stopped sandbox running.
        await setTimeout(delayMs, undefined, { ref: false });
        return handler.handle(request, connections);
      case "slow": {
        const response = await handler.handle(request, connections);
        link?.slowDown(delayMs, response.body !== null && request.method !== "HEAD");
        return response;
      }
    }
  }

  #respond(request: Request, response: HttpResponse, handler: Handler): Response {
    this.#entries.get(request)?.made(response);
    return handler.respondWith(response, request);
  }
}
