import { setTimeout } from "node:timers/promises";
import type { EventSink } from "../domain/event.ts";
import { Failure } from "../domain/failure.ts";
import { andThen, type MaybePromise } from "../domain/maybe-promise.ts";
import type { Handler } from "../http/handler.ts";
import type { Interceptor } from "../http/options.ts";
import { policyHeader, type RateLimit, rateLimitHeader } from "../http/rate-limit/rate-limit.ts";
import { prefersEventStream } from "../http/request/headers.ts";
import { BASE_PATH } from "../http/request/routes.ts";
import { rawTarget } from "../http/request/target.ts";
import type { HttpResponse } from "../http/response/http-response.ts";
import { overloaded, renderFailure } from "../http/response/render.ts";
import type { Connections } from "../http/runtime/connections.ts";
import { invalidCursor } from "../operations/list-parameters.ts";
import type { Operation } from "../operations/operation.ts";
import { altered } from "./altered-response.ts";
import { sendCut, slowed } from "./broken-response.ts";
import { ClientSocket } from "./client-socket.ts";
import type { FaultPlan } from "./fault-plan.ts";
import type { Fault, FaultName } from "./faults.ts";
import type { Journal } from "./journal.ts";
import type { JournalEntry } from "./journal-entry.ts";
import { preferredFaults } from "./prefer.ts";
import type { SandboxInstance } from "./sandbox-instance.ts";

export interface FaultLayerOptions {
  readonly plan: FaultPlan;
  readonly journal: Journal;
  /** The sandbox's own rate limit, if it has one. */
  readonly rateLimit: RateLimit | undefined;
  /** The port on which the service listens. */
  readonly port: number;
  readonly emit: EventSink;
}

/** The limit that a 429 names where the sandbox has none. */
const RATE_LIMIT: RateLimit = { quota: 10, windowSeconds: 1 };
/** With these the request does not reach the service, which notes the bodies that it reads. */
const UNREAD: ReadonlySet<FaultName> = new Set(["408", "429", "500", "502", "503", "reset"]);
/** The longest body that is noted then: as long as a service accepts. */
const NOTED_MAX_BYTES = 64 * 1024;
/** How long the runtime waits for a delayed response once its delay is over. */
const AFTER_DELAY_SECONDS = 12;

/** The pages of a proxy, which knows nothing of Errors, request ids or CORS. */
const PROXY_PAGES = {
  "408": "408 Request Time-out",
  "502": "502 Bad Gateway",
  "504": "504 Gateway Time-out",
} as const;

/** The response to a request whose service was replaced meanwhile, as at a restart. */
const ended = renderFailure(new Failure("not_ready", { part: "stopping" }));

/** Matches the targets of the API, whether or not there is such a path. */
const OF_API = new RegExp(`^${BASE_PATH}(?:[/?]|$)`);

/** A request on its way through the layer. */
interface Exchange {
  readonly request: Request;
  readonly connections: Connections;
  readonly target: string;
  readonly key: string | null;
  readonly handler: Handler;
  readonly entry: JournalEntry;
  /** The fault that it meets, if any. */
  fault: Fault | undefined;
  /** Passes it on to the service. */
  pass(): MaybePromise<Response>;
}

/** Writes the requests below the base path into the journal, and injects faults into those of operations. */
export class FaultLayer {
  readonly #options: FaultLayerOptions;
  readonly #exchanges = new WeakMap<Request, Exchange>();
  /** Notes the bodies that pass through the service, and alters responses. */
  readonly interceptor: Interceptor = {
    received: (request, body) => this.#exchanges.get(request)?.entry.received(body),
    respond: (request, response) => {
      const exchange = this.#exchanges.get(request);
      if (!exchange) return response;
      const sent = exchange.fault ? altered(response, exchange.fault) : response;
      exchange.entry.made(sent);
      return sent;
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
    const pass = () => handler.handle(request, connections);
    const exchange: Exchange = { request, connections, target, key, handler, entry, fault: undefined, pass };
    this.#exchanges.set(request, exchange);
    const answer = operation ? this.#answer(exchange, operation) : pass();
    return andThen(answer, (answered) => {
      const response = instance.hasEnded ? this.#respond(exchange, ended) : answered;
      // Nothing is sent after a reset.
      if (entry.fault?.fault !== "reset") entry.answered(response, journal.elapsedMs);
      return response;
    });
  }

  /** Answers with the faults that the request's own header asks for, or else with the planned one. */
  #answer(exchange: Exchange, operation: Operation): MaybePromise<Response> {
    const { request, entry, target, key } = exchange;
    const suits = (fault: FaultName) => isPossible(fault, request, target, operation);
    const preferred = preferredFaults(request.headers.get("prefer"), suits);
    if (preferred instanceof Failure) return this.#respond(exchange, renderFailure(preferred, operation));
    const planned = preferred
      ? undefined
      : this.#options.plan.take({ id: entry.id, operation: operation.id, key, suits });
    const faults = preferred?.faults ?? (planned ? [planned.fault] : []);
    exchange.fault = faults.at(-1);
    if (!exchange.fault) return exchange.pass();
    const { fault } = exchange.fault;
    entry.fault = { fault, rule: planned?.rule ?? null };
    this.#options.emit({ event: "fault_injected", fault, operation: operation.id });
    const answer = this.#inject(faults, exchange, operation);
    return preferred ? answer.then((response) => applied(response, preferred.applied)) : answer;
  }

  async #inject(
    [first, ...others]: readonly Fault[],
    exchange: Exchange,
    operation: Operation,
  ): Promise<Response> {
    if (!first) return exchange.pass();
    const { fault, delayMs, retryAfterSeconds } = first;
    const { request, connections } = exchange;
    const refuse = (failure: Failure, own: Readonly<Record<string, string>> = {}) => {
      const { headers, ...rest } = renderFailure(failure, operation);
      return this.#respond(exchange, { ...rest, headers: { ...headers, ...own } });
    };
    const { rateLimit: limit = RATE_LIMIT } = this.#options;
    if (UNREAD.has(fault)) await noteBody(exchange);
    switch (fault) {
      case "429":
        return refuse(new Failure("rate_limited", { ...limit, retryAfterSeconds }), {
          ...policyHeader(limit),
          ...rateLimitHeader(0, retryAfterSeconds),
        });
      case "500":
        return refuse(new Failure("internal_error", {}));
      case "503":
        return refuse(overloaded, { "Retry-After": `${retryAfterSeconds}` });
      case "504":
        // The proxy gives up, and the service does not.
        await exchange.pass();
        return this.#proxyPage(exchange, fault);
      case "408":
      case "502":
        return this.#proxyPage(exchange, fault);
      case "expired_cursor":
        return refuse(operation.streams ? new Failure("events_expired", {}) : invalidCursor());
      case "reset":
        await this.#reset(exchange);
        return new Response();
      case "lost":
      case "cut": {
        const socket = this.#socketOf(exchange);
        const response = await exchange.pass();
        // A response without a body has no middle.
        if (fault === "lost" || !response.body || request.method === "HEAD") socket?.close();
        else if (socket) await sendCut(response, socket);
        // The runtime can send no more. The journal shows the head.
        return new Response(null, response);
      }
      case "delay":
        connections.timeout(request, Math.ceil(delayMs / 1000) + AFTER_DELAY_SECONDS);
        // A client that has gone must not keep a stopped sandbox running.
        await setTimeout(delayMs, undefined, { ref: false });
        return this.#inject(others, exchange, operation);
      case "slow": {
        const response = await exchange.pass();
        if (request.method === "HEAD") return response;
        connections.timeout(request, Math.ceil(delayMs / 1000) + AFTER_DELAY_SECONDS);
        return slowed(response, delayMs);
      }
      default:
        // The interceptor alters the response.
        return exchange.pass();
    }
  }

  /** The client's connection; `undefined` if the client has gone. */
  #socketOf({ request, connections }: Exchange): ClientSocket | undefined {
    const client = connections.requestIP(request);
    return client ? new ClientSocket(client, this.#options.port) : undefined;
  }

  /** Resolves once the connection has closed: a response would leave before the reset. */
  async #reset(exchange: Exchange): Promise<void> {
    const { signal } = exchange.request;
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => resolve());
    this.#socketOf(exchange)?.reset();
    if (!signal.aborted) await closed;
  }

  #proxyPage({ entry }: Exchange, status: keyof typeof PROXY_PAGES): Response {
    const title = PROXY_PAGES[status];
    const body = `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<h1>${title}</h1>\r\n</body>\r\n</html>\r\n`;
    const page = { status: Number(status), headers: { "Content-Type": "text/html" }, body };
    entry.made(page);
    return new Response(body, page);
  }

  #respond({ request, entry, handler }: Exchange, response: HttpResponse): Response {
    entry.made(response);
    return handler.respondWith(response, request);
  }
}

/** Notes the body of a request that the service does not read: without it, a journal cannot tell creates apart. */
async function noteBody({ request, entry }: Exchange): Promise<void> {
  const length = Number(request.headers.get("content-length"));
  // A client may go away meanwhile; then there is no body, and nobody to answer.
  if (length > 0 && length <= NOTED_MAX_BYTES)
    entry.received(await request.bytes().catch(() => new Uint8Array()));
}

/** Whether a request can meet a fault: a request without a cursor has none that could expire. */
function isPossible(fault: FaultName, request: Request, target: string, operation: Operation): boolean {
  if (fault === "expired_cursor") return /[?&]cursor=/.test(target);
  if (fault === "stream_pause" || fault === "stream_repeat")
    return operation.streams === true && prefersEventStream(request.headers.get("accept"));
  return true;
}

/** Names the preferences that were honoured (RFC 7240, section 3). */
function applied(response: Response, preferences: string): Response {
  response.headers.set("Preference-Applied", preferences);
  return response;
}
