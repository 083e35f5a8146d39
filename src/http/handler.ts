import { AsyncLocalStorage } from "node:async_hooks";
import type { ApiKey } from "../domain/api-key.ts";
import { Cursors } from "../domain/cursor.ts";
import { Failure } from "../domain/failure.ts";
import type { MaybePromise } from "../domain/maybe-promise.ts";
import { holdsUnder, type Revision } from "../domain/revision.ts";
import { KeysChanged, type Store } from "../domain/store.ts";
import type { Operation, Plan } from "../operations/operation.ts";
import { AccessControl } from "./access-control.ts";
import type { Handle } from "./bun-servers.ts";
import { isFresh } from "./cache/cached-response.ts";
import { ResponseCache } from "./cache/response-cache.ts";
import type { Connections } from "./connections.ts";
import { Cors } from "./cors.ts";
import { openStream } from "./events/open-stream.ts";
import { Exchange } from "./exchange.ts";
import type { HandlerOptions, Service } from "./options.ts";
import { RateLimiter } from "./rate-limit/rate-limit.ts";
import { isAcceptableHost } from "./request/host.ts";
import { requestIdOf } from "./request/request-id.ts";
import { rawTarget } from "./request/target.ts";
import { answerResponse } from "./response/answer-response.ts";
import { CommonHeaders } from "./response/common-headers.ts";
import { overloaded } from "./response/failure-response.ts";
import type { Rendered } from "./response/rendered.ts";
import { Responder } from "./response/responder.ts";
import { responseOf } from "./response/response.ts";
import { Routes } from "./routes.ts";
import { planOf, readInput, receiveInput, withParameters } from "./run-operation.ts";
import { runTurn } from "./run-turn.ts";
import { traced } from "./traced.ts";
import { Turn } from "./turn.ts";

const invalidHost = new Failure("invalid_host", {});

/**
 * The life of every request:
 *
 * ```
 * arrive ─┬─ respond                    a refusal, a public page, or a cached response that is still fresh
 *         ├─ write ── respond           a write whose key was seen before
 *         └─ turn: load ── finish ─┬─ respond
 *                   ▲              ├─ write ── respond
 *                   └──────────────┘    again, with what is still missing: the key was looked up first, or has changed
 * ```
 *
 * A turn (`turn.ts`, `run-turn.ts`) takes the requests that arrive together through `#load` and `#finish`.
 */
export class Handler implements Service {
  /** Responds to a request, in case of doubt with a failure: it neither throws nor rejects. */
  readonly handle: Handle;
  readonly #options: HandlerOptions;
  readonly #store: Store;
  readonly #routes: Routes;
  readonly #commonHeaders: CommonHeaders;
  readonly #access: AccessControl;
  readonly #cors: Cors;
  readonly #cursors: Cursors;
  readonly #cache: ResponseCache;
  readonly #responder: Responder;
  readonly #turn: Turn<Exchange>;

  constructor(options: HandlerOptions) {
    const { operations, store, environment, rateLimit, observer } = options;
    this.handle = traced((request, connections) => this.#handle(request, connections), observer);
    this.#options = options;
    this.#store = store;
    this.#routes = new Routes(operations);
    const limiter = rateLimit && new RateLimiter(rateLimit, options.rateLimitStore);
    this.#access = new AccessControl(environment, limiter);
    this.#cors = new Cors(options.allowedOrigins, operations, options.allowedHeaders);
    this.#cursors = new Cursors(options.cursorSecret);
    this.#commonHeaders = new CommonHeaders(this.#cors, options);
    this.#cache = new ResponseCache(this.#routes);
    this.#responder = new Responder(options);
    const phases = {
      load: this.#load.bind(this),
      finish: this.#finish.bind(this),
      postpone: (exchange: Exchange) => this.#turn.join(exchange),
      fail: this.#responder.fail.bind(this.#responder),
    };
    this.#turn = new Turn((turn) => runTurn(turn, store, phases), store.revisionAtHand() !== undefined);
  }

  #handle(request: Request, connections: Connections): MaybePromise<Response> {
    const { observer, clock } = this.#options;
    const started = observer ? performance.now() : 0;
    const now = clock();
    const exchange = new Exchange(request, connections, this.#commonHeaders.of(request, now), now, started);
    if (observer?.around) exchange.context = AsyncLocalStorage.snapshot();
    try {
      this.#arrive(exchange);
    } catch (error) {
      this.#responder.fail(exchange, error);
    }
    return exchange.response ?? this.#responder.later(exchange);
  }

  /** Arrival: responds if that needs no store, else finds the lane of the request. */
  #arrive(exchange: Exchange): void {
    let outcome = this.#turnAway(exchange) ?? this.#route(exchange);
    if (!outcome && !exchange.match) {
      void this.#show(exchange);
      return;
    }
    outcome ??= this.#access.recognize(exchange) ?? this.#fromCache(exchange);
    if (outcome) this.#responder.send(exchange, outcome);
    else if (!exchange.isRead && this.#access.mayGoAhead(exchange)) void this.#write(exchange);
    else this.#turn.join(exchange);
  }

  /** Refuses a request before any other work, and closes its connection. */
  #turnAway(exchange: Exchange): Failure | undefined {
    const { hub, maxRequests } = this.#options;
    // The runtime counts a stream as a request in progress.
    const isFull = exchange.connections.pendingRequests - hub.count > maxRequests;
    if (!isFull && isAcceptableHost(exchange.request.headers.get("host"))) return undefined;
    // A supervisor restarts a service that is not alive: load must not turn it away.
    if (isFull && exchange.path === "/livez") return undefined;
    exchange.match = this.#routes.find(exchange.request.method, exchange.target);
    exchange.headers.Connection = "close";
    return isFull ? overloaded : invalidHost;
  }

  /** Finds what a request is for: an operation, unless its path is outside `/v1`. Answers a preflight. */
  #route(exchange: Exchange): Rendered | undefined {
    if (this.#cache.find(exchange)) return undefined;
    const { request } = exchange;
    const preflight = this.#cors.preflight(request);
    if (!preflight) exchange.match = this.#routes.find(request.method, exchange.target);
    return preflight;
  }

  /** The outcome by the cache, if the store knows without waiting that the response is fresh and the caller's key valid. */
  #fromCache(exchange: Exchange): Rendered | Failure | undefined {
    const { cached, known } = exchange;
    const revision = cached && known && this.#store.revisionAtHand();
    if (!revision || !isFresh(cached, revision) || !holdsUnder(known.asOf, revision, "keys"))
      return undefined;
    return this.#conclude(exchange, revision);
  }

  /** Loading: asks the store for the key or, if the key was seen before, for what the operation needs. */
  #load(exchange: Exchange, revision: MaybePromise<Revision>, asked: Map<string, Exchange>): void {
    const { request, target, caller, known, cached, isRead, isStale } = exchange;
    const isAtHand = !(revision instanceof Promise);
    exchange.asked = undefined;
    if (!caller && (!known || (isAtHand && !holdsUnder(known.asOf, revision, "keys")))) {
      const hash = this.#access.hashOf(exchange);
      exchange.ask("key", () => this.#store.findKey(hash));
      return;
    }
    // Until the revision is known, a cached response is taken for fresh: most are, and the query would be wasted.
    const isCached = cached && !isAtHand && !isStale && !cached.isShortLived;
    if (!isRead || isCached || this.#access.refusal(exchange)) return;
    const first = asked.get(target);
    if (first) {
      exchange.shareQuestion(first);
      return;
    }
    if (cached) asked.set(target, exchange);
    exchange.ask("plan", () => {
      const { route } = exchange;
      const input = withParameters(request, route);
      const plan = planOf(route, known?.key as ApiKey, input, this.#cursors);
      exchange.plan = plan;
      return plan instanceof Failure ? plan : plan.ask(this.#store, undefined);
    });
  }

  /** Finishing: responds, or begins what the request still needs. */
  #finish(exchange: Exchange, revision: Revision): void {
    const outcome = this.#conclude(exchange, revision);
    if (outcome) this.#responder.send(exchange, outcome);
    else if (exchange.caller && !exchange.isRead) void this.#write(exchange);
    else this.#turn.join(exchange);
  }

  /** The outcome of the request, if it has one yet. Nothing that was read leaves before the key is known to be valid. */
  #conclude(exchange: Exchange, revision: Revision): Rendered | Failure | undefined {
    const refusal = this.#access.confirm(exchange, revision);
    if (refusal || !exchange.caller) return refusal;
    const cached = this.#cache.fresh(exchange, revision);
    if (cached || exchange.asked !== "plan") return cached;
    const reply = exchange.takeReply();
    const { plan, match } = exchange;
    const answer = plan instanceof Failure ? plan : (plan as Plan).answer(reply);
    if (answer instanceof Failure) return answer;
    const { stream, isPersonal, invalidatedBy = "append" } = answer;
    if (stream) return openStream(this.#options.hub, exchange, stream, this.#access.hashOf(exchange));
    const rendered = answerResponse(match?.operation as Operation, answer);
    return isPersonal ? rendered : this.#cache.put(exchange, rendered, invalidatedBy, revision);
  }

  /** Reads the body of a write and stores it. The response leaves once the commit is on disk. */
  async #write(exchange: Exchange): Promise<void> {
    const { request, route, caller, known } = exchange;
    try {
      if (!exchange.input) {
        const bytes = await receiveInput(request, route);
        exchange.input = bytes instanceof Failure ? bytes : readInput(request, route, bytes);
      }
      const plan = planOf(route, known?.key as ApiKey, exchange.input, this.#cursors);
      if (plan instanceof Failure) {
        // No refusal leaves before the key is known to be valid.
        if (caller) this.#responder.send(exchange, plan);
        else this.#turn.join(exchange);
        return;
      }
      const reply = await plan.ask(this.#store, caller ? undefined : known?.asOf);
      exchange.caller = known?.key;
      this.#options.hub.wake();
      const answer = plan.answer(reply);
      const isFailure = answer instanceof Failure;
      this.#responder.send(exchange, isFailure ? answer : answerResponse(route.operation, answer));
    } catch (error) {
      if (error instanceof KeysChanged) {
        exchange.known = undefined;
        this.#turn.join(exchange);
      } else this.#responder.fail(exchange, error);
    }
  }

  /** Responds with a page that needs no key. */
  async #show(exchange: Exchange): Promise<void> {
    try {
      const { path, request } = exchange;
      const accept = request.headers.get("accept");
      this.#responder.send(exchange, await this.#options.pages.answer(request.method, path, accept));
    } catch (error) {
      this.#responder.fail(exchange, error);
    }
  }

  operationOf({ method, url }: Request): Operation | undefined {
    return this.#routes.find(method, rawTarget(url))?.operation;
  }

  respondWith(rendered: Rendered, request: Request): Response {
    const requestId = requestIdOf(request.headers.get("x-request-id"));
    return responseOf(rendered, requestId, this.#commonHeaders.of(request, this.#options.clock()));
  }
}
