import { setTimeout } from "node:timers/promises";
import { Failure } from "../src/domain/failure.ts";
import type { MaybePromise } from "../src/domain/maybe-promise.ts";
import { policyHeader, type RateLimit, rateLimitHeader } from "../src/http/rate-limit/rate-limit.ts";
import { prefersEventStream } from "../src/http/request/input.ts";
import { BASE_PATH } from "../src/http/request/routes.ts";
import { isBelow, splitTarget } from "../src/http/request/target.ts";
import type { HttpResponse } from "../src/http/response/http-response.ts";
import { overloaded, renderFailure } from "../src/http/response/render.ts";
import type { Connections } from "../src/http/runtime/connections.ts";
import type { ObservationSink } from "../src/observations/observation.ts";
import { invalidCursor } from "../src/operations/list-parameters.ts";
import type { Operation } from "../src/operations/operation.ts";
import { altered, prepareToAlter } from "./altered-response.ts";
import { sendCut, slowed } from "./broken-response.ts";
import { ClientSocket, type SystemCalls } from "./client-socket.ts";
import { declaredFailure } from "./declared-failure.ts";
import type { FaultPlan } from "./fault-plan.ts";
import {
  BREAKING,
  CANNOT_BREAK,
  DECLARED_STATUSES,
  type Fault,
  type FaultName,
  isDeclared,
} from "./faults.ts";
import type { Journal } from "./journal.ts";
import type { JournalEntry } from "./journal-entry.ts";
import { SANDBOX_KEYS } from "./keys.ts";
import { onBodyRead } from "./noted-request.ts";
import { isEventStream, plainTextOf } from "./plain-text.ts";
import { preferredFaults } from "./prefer.ts";
import { jsonOf } from "./request-json.ts";
import type { SandboxInstance } from "./sandbox-instance.ts";
import { SpaceConnections } from "./space-connections.ts";
import { undeclared } from "./strict.ts";

export interface FaultLayerOptions {
  readonly plan: FaultPlan;
  readonly journal: Journal;
  /** The sandbox's own rate limit, if it has one. */
  readonly rateLimit: RateLimit | undefined;
  readonly operationOf: (method: string, target: string) => Operation | undefined;
  /** Whether query parameters and headers that nobody declares are refused; left out: no. */
  readonly isStrict?: boolean;
  /** The port on which the service listens. */
  readonly port: number;
  /** To break connections; without them, the faults that do are impossible. */
  readonly calls: SystemCalls | undefined;
  readonly emit: ObservationSink;
}

/** The limit that a 429 names where the sandbox has none. */
const RATE_LIMIT: RateLimit = { quota: 10, windowSeconds: 1 };
/** With these the request does not reach the service, which notes the bodies that it reads. */
const UNREAD: ReadonlySet<FaultName> = new Set([
  ...DECLARED_STATUSES,
  "408",
  "429",
  "500",
  "502",
  "503",
  "reset",
]);
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

const PREFERENCE_APPLIED = "Preference-Applied";

/** The response to a request whose service was replaced meanwhile, as at a restart. */
const ended = renderFailure(new Failure("not_ready", { part: "stopping" }));

/** A request for a space. */
interface SpaceCall {
  readonly request: Request;
  /** Path and query. */
  readonly target: string;
  /** The name of its API key; `null` if no space has it. */
  readonly key: string | null;
  readonly connections: Connections;
  /** The requests in progress and the open streams of the space. */
  readonly pending: () => number;
}

type Instance = Pick<SandboxInstance, "handle" | "ownResponse" | "hasEnded">;

/** A request on its way through the layer. */
interface Exchange {
  readonly call: SpaceCall;
  /** The connections as the space sees them. */
  readonly connections: SpaceConnections;
  readonly instance: Instance;
  readonly entry: JournalEntry;
  /** What a strict sandbox responds in place of the service. */
  readonly refusal: HttpResponse | undefined;
}

/** Writes the requests below the base path into the journal, and injects faults into those of operations. */
export class FaultLayer {
  readonly #options: FaultLayerOptions;

  constructor(options: FaultLayerOptions) {
    this.#options = options;
  }

  handle(call: SpaceCall, instance: Instance): MaybePromise<Response> {
    const { request, target } = call;
    const connections = new SpaceConnections(call.connections, call.pending);
    return isBelow(BASE_PATH, target)
      ? this.#handleJournaled(call, connections, instance)
      : instance.handle(request, connections);
  }

  async #handleJournaled(
    call: SpaceCall,
    connections: SpaceConnections,
    instance: Instance,
  ): Promise<Response> {
    const { request, target, key } = call;
    const { journal, plan, operationOf, isStrict = false } = this.#options;
    const entry = journal.add(request, target, key);
    const mayFail = !plan.isEmpty || isStrict || request.headers.has("prefer");
    const operation = mayFail ? operationOf(request.method, target) : undefined;
    const refusal = operation && isStrict ? refusalOf(call, operation) : undefined;
    const exchange: Exchange = { call, connections, instance, entry, refusal };
    const response = await (operation ? this.#answer(exchange, operation) : this.#serve(exchange));
    // Nothing is sent after a reset.
    const isLate = instance.hasEnded && entry.fault?.fault !== "reset";
    return isLate ? this.#respond(exchange, ended) : response;
  }

  /** Has the service serve a request. @param fault that lies in the response, if the request meets such a fault */
  async #serve(exchange: Exchange, fault?: Fault): Promise<Response> {
    const { instance, connections, entry, refusal } = exchange;
    const { request } = exchange.call;
    if (fault) prepareToAlter(request, fault);
    if (refusal) await noteBody(exchange);
    else onBodyRead(request, (body) => entry.received(body));
    const response = refusal
      ? instance.ownResponse(request, refusal)
      : await instance.handle(request, connections);
    return this.#noted(exchange, fault ? await altered(response, fault) : response);
  }

  /** Notes a response as it leaves. */
  async #noted({ entry }: Exchange, response: Response): Promise<Response> {
    const text = isEventStream(response) ? undefined : await plainTextOf(response);
    entry.answered(response, text, this.#options.journal.elapsedMs);
    return response;
  }

  /** Answers with the faults that the request's own header asks for, or else with the planned ones. */
  async #answer(exchange: Exchange, operation: Operation): Promise<Response> {
    const { entry, call } = exchange;
    const { request, target, key } = call;
    const obstacleTo = (fault: FaultName) => this.#obstacleTo(fault, call, operation);
    const preferred = preferredFaults(request.headers.get("prefer"), obstacleTo);
    if (preferred instanceof Failure) return this.#respond(exchange, renderFailure(preferred, operation));
    if (preferred) {
      const response = await this.#meet(preferred.faults, null, exchange, operation);
      return applied(exchange, response, preferred.applied);
    }
    const { plan } = this.#options;
    const body = plan.looksAtBody(operation.id) ? await jsonOf(request) : undefined;
    const { path } = splitTarget(target);
    const taken = plan.take({ id: entry.id, operation: operation.id, key, path, body, obstacleTo });
    const last = taken.at(-1);
    const faults = taken.map(({ fault }) => fault);
    return last ? this.#meet(faults, last.rule, exchange, operation) : this.#serve(exchange);
  }

  /** Lets a request meet faults. The journal names the last of them, and its rule. */
  #meet(
    faults: readonly Fault[],
    rule: number | null,
    exchange: Exchange,
    operation: Operation,
  ): Promise<Response> {
    const last = faults.at(-1);
    if (last) {
      const { fault } = last;
      exchange.entry.fault = { fault, rule };
      this.#options.emit({ event: "fault_injected", fault, operation: operation.id });
    }
    return this.#inject(faults, exchange, operation);
  }

  async #inject(
    [first, ...others]: readonly Fault[],
    exchange: Exchange,
    operation: Operation,
  ): Promise<Response> {
    if (!first) return this.#serve(exchange);
    const { fault, delayMs, retryAfterSeconds } = first;
    const { request } = exchange.call;
    const refuse = (failure: Failure, own: Readonly<Record<string, string>> = {}) => {
      const { headers, ...rest } = renderFailure(failure, operation);
      return this.#respond(exchange, { ...rest, headers: { ...headers, ...own } });
    };
    const { rateLimit: limit = RATE_LIMIT } = this.#options;
    if (UNREAD.has(fault)) await noteBody(exchange);
    const declared = isDeclared(fault) ? declaredFailure(fault, operation, exchange.call.target) : undefined;
    if (declared) return refuse(declared);
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
        await discard(await this.#serve(exchange));
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
        const response = await this.#serve(exchange);
        // A response without a body has no middle.
        if (fault === "lost" || !response.body || request.method === "HEAD") socket?.close();
        else if (socket) await sendCut(response, socket);
        await discard(response);
        // The runtime can send no more. The journal shows the head.
        return new Response(null, response);
      }
      case "delay":
        exchange.connections.timeout(request, Math.ceil(delayMs / 1000) + AFTER_DELAY_SECONDS);
        // A client that has gone must not keep a stopped sandbox running.
        await setTimeout(delayMs, undefined, { ref: false });
        return this.#inject(others, exchange, operation);
      case "slow": {
        const response = await this.#serve(exchange);
        if (request.method === "HEAD") return response;
        exchange.connections.timeout(request, Math.ceil(delayMs / 1000) + AFTER_DELAY_SECONDS);
        return slowed(response, delayMs);
      }
      default:
        return this.#serve(exchange, first);
    }
  }

  /** What keeps a request from meeting a fault: a request without a cursor has none that could expire. */
  #obstacleTo(fault: FaultName, { request, target }: SpaceCall, operation: Operation): string | undefined {
    if (isDeclared(fault))
      return declaredFailure(fault, operation, target)
        ? undefined
        : `is no status of ${operation.id}'s refusals`;
    if (BREAKING.has(fault)) return this.#options.calls ? undefined : CANNOT_BREAK;
    if (fault === "expired_cursor") return /[?&]cursor=/.test(target) ? undefined : "needs a `cursor`";
    if (fault !== "stream_pause" && fault !== "stream_repeat") return undefined;
    const isStream = operation.streams === true && prefersEventStream(request.headers.get("accept"));
    return isStream ? undefined : "needs a stream of events";
  }

  /** The client's connection; `undefined` if the client has gone. */
  #socketOf(exchange: Exchange): ClientSocket | undefined {
    const { port, calls } = this.#options;
    const client = exchange.connections.requestIP(exchange.call.request);
    return client && calls ? new ClientSocket(client, port, calls) : undefined;
  }

  /** Resolves once the connection has closed: a response would leave before the reset. */
  async #reset(exchange: Exchange): Promise<void> {
    const { signal } = exchange.call.request;
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => resolve());
    this.#socketOf(exchange)?.reset();
    if (!signal.aborted) await closed;
  }

  #proxyPage(exchange: Exchange, status: keyof typeof PROXY_PAGES): Promise<Response> {
    const title = PROXY_PAGES[status];
    const body = `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<h1>${title}</h1>\r\n</body>\r\n</html>\r\n`;
    const page = new Response(body, { status: Number(status), headers: { "Content-Type": "text/html" } });
    return this.#noted(exchange, page);
  }

  #respond(exchange: Exchange, response: HttpResponse): Promise<Response> {
    return this.#noted(exchange, exchange.instance.ownResponse(exchange.call.request, response));
  }
}

/** What a strict sandbox responds to what nobody declares. The service comes first where it responds with 401 or 403. */
function refusalOf({ request, target, key }: SpaceCall, operation: Operation): HttpResponse | undefined {
  const { scope } = operation;
  const isAllowed = SANDBOX_KEYS.some(
    ({ name, scopes, state }) =>
      name === key && state === "valid" && (scope === undefined || scopes.includes(scope)),
  );
  if (!isAllowed) return undefined;
  const failure = undeclared(operation, splitTarget(target).query, request.headers);
  return failure && renderFailure(failure, operation);
}

/** Notes the body of a request that the service does not read: without it, a journal cannot tell creates apart. */
async function noteBody({ call: { request }, entry }: Exchange): Promise<void> {
  const length = Number(request.headers.get("content-length"));
  // A client may go away meanwhile; then there is no body, and nobody to answer.
  if (length > 0 && length <= NOTED_MAX_BYTES)
    entry.received(await request.bytes().catch(() => new Uint8Array()));
}

/** Ends what would produce a body that nobody reads: a stream of events would stay open. */
async function discard(response: Response): Promise<void> {
  if (!response.bodyUsed) await response.body?.cancel();
}

/** Names the preferences that were honoured (RFC 7240, section 3). */
function applied({ entry }: Exchange, response: Response, preferences: string): Response {
  response.headers.set(PREFERENCE_APPLIED, preferences);
  entry.alsoAnswered(PREFERENCE_APPLIED, preferences);
  return response;
}
