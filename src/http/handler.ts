import { AsyncLocalStorage } from "node:async_hooks";
import type { ApiKey } from "../domain/api-key.ts";
import { Cursors } from "../domain/cursor.ts";
import type { Environment } from "../domain/environment.ts";
import type { EventSink } from "../domain/event.ts";
import { Failure, StoreFailure } from "../domain/failure.ts";
import type { MaybePromise } from "../domain/maybe-promise.ts";
import { holdsUnder, type Revision } from "../domain/revision.ts";
import { KeysChanged, type Store } from "../domain/store.ts";
import type { Operation, Plan, Subscription } from "../operations/operation.ts";
import { AccessControl } from "./access-control.ts";
import type { CachedKey } from "./authenticate.ts";
import { type CachedResponse, isFresh, ResponseCache } from "./cache/response-cache.ts";
import type { Connections } from "./connections.ts";
import { type AllowedOrigins, Cors } from "./cors.ts";
import { isOutOfDescriptors } from "./descriptors.ts";
import { eventStreamResponse } from "./events/event-stream-response.ts";
import { Exchange } from "./exchange.ts";
import { type RateLimit, RateLimiter } from "./rate-limit/rate-limit.ts";
import type { RateLimitStore } from "./rate-limit/rate-limit-store.ts";
import { isAcceptableHost } from "./request/host.ts";
import { requestIdOf } from "./request/request-id.ts";
import { rawTarget, splitTarget } from "./request/target.ts";
import { answerResponse } from "./response/answer-response.ts";
import { CommonHeaders } from "./response/common-headers.ts";
import { failureResponse } from "./response/failure-response.ts";
import type { Rendered } from "./response/rendered.ts";
import { overloaded, Responder, type ResponderOptions } from "./response/responder.ts";
import { StrictTransport } from "./response/strict-transport.ts";
import { isBelowBase, type Route, Routes } from "./routes.ts";
import { planOf, readInput, receiveInput, withParameters } from "./run-operation.ts";
import { Turn } from "./turn.ts";

interface HandlerOptions extends ResponderOptions {
  readonly operations: readonly Operation[];
  readonly store: Store;
  /** Only keys of this environment are valid. */
  readonly environment: Environment;
  readonly cursorSecret: Uint8Array;
  readonly allowedOrigins: AllowedOrigins;
  readonly allowedHeaders?: readonly string[] | undefined;
  readonly rateLimit: RateLimit | undefined;
  /** Counts the requests of each key; by default, of this process alone. */
  readonly rateLimitStore?: RateLimitStore | undefined;
  /** The most requests in progress, unread responses included; further ones are refused. */
  readonly maxRequests: number;
  /** Whether the service itself speaks TLS. */
  readonly isTls: boolean;
  /** How long browsers must use only https (RFC 6797); if `undefined`, they are not told. */
  readonly hstsSeconds: number | undefined;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly emit: EventSink;
}

/** A turn asks the store for at most this long; the rest of its requests join the next. Reads from a cold disk may be slow. */
const TURN_MAX_MS = 5;

/** Seconds until the runtime closes the connection of a stream whose client does not read. */
const ABANDONED_SECONDS = 1;

const invalidHost = new Failure("invalid_host", {});

/**
 * The life of every request. `#receive` chooses its lane: a fresh cached response leaves at once, a create goes to
 * `#write`, and any other request joins the current turn of the event loop. `#run` takes the requests of a turn through
 * their phases: each one loads what it needs from the store, and then each one finishes. A request that needs the store
 * again, for example because its key has changed, joins another turn.
 */
export class Handler {
  readonly #options: HandlerOptions;
  readonly #store: Store;
  readonly #routes: Routes;
  readonly #access: AccessControl;
  readonly #cors: Cors;
  readonly #cursors: Cursors;
  readonly #commonHeaders: CommonHeaders;
  readonly #cache = new ResponseCache();
  readonly #responder: Responder;
  readonly #turn: Turn<Exchange>;
  readonly #find = (target: string) => this.#routes.find("GET", splitTarget(target));

  constructor(options: HandlerOptions) {
    const { store, rateLimit, rateLimitStore, hstsSeconds, isTls, trustProxy } = options;
    this.#options = options;
    this.#store = store;
    this.#routes = new Routes(options.operations);
    const limiter = rateLimit && new RateLimiter(rateLimit, rateLimitStore);
    this.#access = new AccessControl(options.environment, limiter);
    this.#cors = new Cors(options.allowedOrigins, options.operations, options.allowedHeaders);
    this.#cursors = new Cursors(options.cursorSecret);
    const strictTransport =
      hstsSeconds === undefined ? undefined : new StrictTransport(hstsSeconds, isTls, trustProxy);
    this.#commonHeaders = new CommonHeaders(this.#cors, limiter?.policy, strictTransport);
    this.#responder = new Responder(options);
    this.#turn = new Turn((turn) => this.#run(turn), store.revisionAtHand() !== undefined);
  }

  /** Responds to a request, in case of doubt with a failure: it neither throws nor rejects. */
  handle(request: Request, connections: Connections): MaybePromise<Response> {
    const { observer } = this.#options;
    if (!observer?.around) return this.#handle(request, connections);
    const traceparent = request.headers.get("traceparent");
    const tracestate = request.headers.get("tracestate");
    return observer.around({ traceparent, tracestate }, () => this.#handle(request, connections));
  }

  #handle(request: Request, connections: Connections): MaybePromise<Response> {
    const { observer, clock } = this.#options;
    const started = observer ? performance.now() : 0;
    const now = clock();
    const requestId = requestIdOf(request.headers.get("x-request-id"));
    const headers = this.#commonHeaders.of(request, now);
    const target = rawTarget(request.url);
    const exchange = new Exchange(request, connections, requestId, target, headers, now, started);
    if (observer?.around) exchange.context = AsyncLocalStorage.snapshot();
    try {
      this.#receive(exchange);
    } catch (error) {
      this.#fail(exchange, error);
    }
    return exchange.response ?? this.#responder.later(exchange);
  }

  /** Arrival: responds if that needs no store, else finds the lane of the request. */
  #receive(exchange: Exchange): void {
    const outcome = this.#turnAway(exchange) ?? this.#fromCache(exchange) ?? this.#check(exchange);
    if (outcome) this.#send(exchange, outcome);
    else if (!exchange.match) void this.#show(exchange);
    else if (!exchange.isRead && this.#access.mayGoAhead(exchange)) void this.#write(exchange);
    else this.#turn.join(exchange);
  }

  /** Refuses a request before any other work, and closes its connection. */
  #turnAway(exchange: Exchange): Failure | undefined {
    const { hub, maxRequests } = this.#options;
    // The runtime counts a stream as a request in progress.
    const isFull = exchange.connections.pendingRequests - hub.count > maxRequests;
    if (!isFull && isAcceptableHost(exchange.request.headers.get("host"))) return undefined;
    const target = splitTarget(exchange.target);
    // A supervisor restarts a service that is not alive: load must not turn it away.
    if (isFull && target.path === "/livez") return undefined;
    if (isBelowBase(target.path)) exchange.match = this.#routes.find(exchange.request.method, target);
    exchange.headers.Connection = "close";
    return isFull ? overloaded : invalidHost;
  }

  /** The cached response, if the store knows without waiting that it is fresh and the caller's key valid. */
  #fromCache(exchange: Exchange): Rendered | Failure | undefined {
    const cached = exchange.isRead ? this.#cache.get(exchange.target) : undefined;
    if (!cached) return undefined;
    exchange.cached = cached;
    exchange.match = cached.match;
    const revision = this.#store.revisionAtHand();
    if (!revision || !isFresh(cached, revision)) return undefined;
    const refusal = this.#access.recognize(exchange);
    const { known } = exchange;
    return known && holdsUnder(known.asOf, revision, "keys") ? this.#conclude(exchange, revision) : refusal;
  }

  /** The other checks that need no store: preflight, route, the form of the key. */
  #check(exchange: Exchange): Rendered | Failure | undefined {
    const { request, cached } = exchange;
    const target = splitTarget(exchange.target);
    const preflight = this.#cors.preflight(request);
    if (preflight || !isBelowBase(target.path)) return preflight;
    exchange.match = cached?.match ?? this.#routes.find(request.method, target);
    return exchange.known ? undefined : this.#access.recognize(exchange);
  }

  /** Runs a turn: its requests ask the store together, and then each one finishes. */
  #run(turn: readonly Exchange[]): void {
    const due = performance.now() + TURN_MAX_MS;
    let loaded = 0;
    const asked = new Map<string, Exchange>();
    const loadAll = (revision: MaybePromise<Revision>) => {
      do {
        const exchange = turn[loaded++] as Exchange;
        this.#attempt(exchange, () => this.#load(exchange, revision, asked));
      } while (loaded < turn.length && performance.now() < due);
      return revision;
    };
    let revision: MaybePromise<Revision>;
    try {
      revision = this.#store.together(loadAll);
    } catch (error) {
      // A store that refuses a whole turn would refuse its requests in the next turn too.
      for (const exchange of turn.filter(({ response }) => !response)) {
        this.#attempt(exchange, () => this.#fail(exchange, error));
      }
      return;
    }
    this.#finishAll(turn.slice(0, loaded), revision);
    for (; loaded < turn.length; loaded++) this.#turn.join(turn[loaded] as Exchange);
  }

  /**
   * Loading: asks the store for the key or, if the key was seen before, for what the operation needs.
   *
   * @param asked by target: the first request of this turn for it, which asks the store for all of them
   */
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
    const route = exchange.match?.route as Route;
    exchange.ask("plan", () => {
      const input = withParameters(request, route);
      const plan = planOf(route, known?.key as ApiKey, input, this.#cursors);
      exchange.plan = plan;
      return plan instanceof Failure ? plan : plan.ask(this.#store, undefined);
    });
  }

  #finishAll(exchanges: readonly Exchange[], revision: MaybePromise<Revision>): void {
    for (const exchange of exchanges) {
      // A request that failed to load has its response.
      if (exchange.response) continue;
      this.#attempt(exchange, () => {
        if (revision instanceof Promise || exchange.loading) void this.#finishLater(exchange, revision);
        else this.#finish(exchange, revision);
      });
    }
  }

  async #finishLater(exchange: Exchange, revision: MaybePromise<Revision>): Promise<void> {
    try {
      const asOf = await revision;
      await exchange.loading;
      exchange.loading = undefined;
      this.#finish(exchange, asOf);
    } catch (error) {
      this.#fail(exchange, error);
    }
  }

  /** Finishing: sends the response, or begins what the request still needs. */
  #finish(exchange: Exchange, revision: Revision): void {
    const outcome = this.#conclude(exchange, revision);
    if (outcome) this.#send(exchange, outcome);
    else if (exchange.caller && !exchange.isRead) void this.#write(exchange);
    else this.#turn.join(exchange);
  }

  /** The outcome of the request, if it has one yet. Nothing that was read leaves before the key is known to be valid. */
  #conclude(exchange: Exchange, revision: Revision): Rendered | Failure | undefined {
    const { cached, plan, asked, reply, error } = exchange;
    if (!exchange.caller) {
      this.#access.identify(exchange, revision);
      if (!exchange.caller) return undefined;
      const refusal = this.#access.count(exchange) ?? this.#access.refusal(exchange);
      if (refusal) return refusal;
    }
    if (cached && isFresh(cached, revision)) {
      cached.isShortLived = false;
      return this.#repeat(exchange, cached);
    }
    // Another request for it, of this turn or of one before, may have been answered since this one arrived.
    const latest = cached && this.#cache.get(exchange.target);
    if (latest && isFresh(latest, revision)) return this.#repeat(exchange, latest);
    exchange.isStale = cached !== undefined;
    if (asked !== "plan") return undefined;
    if (error !== undefined) throw error;
    const answer = plan instanceof Failure ? plan : (plan as Plan).answer(reply);
    if (answer instanceof Failure) return answer;
    if (answer.stream) return this.#openStream(exchange, answer.stream);
    const rendered = answerResponse(exchange.match?.operation as Operation, answer);
    if (answer.isPersonal) return rendered;
    return this.#cache.put(
      exchange.target,
      this.#find,
      rendered,
      answer.invalidatedBy ?? "append",
      revision,
      cached,
    );
  }

  #repeat(exchange: Exchange, { rendered }: CachedResponse): Rendered {
    exchange.isCacheHit = true;
    return rendered;
  }

  /** Opens a stream of events, which lasts as long as the caller's key. */
  #openStream(exchange: Exchange, subscription: Subscription): Rendered | Failure {
    const { request, requestId, connections } = exchange;
    const { hub } = this.#options;
    const { refusal } = hub;
    if (refusal) {
      exchange.headers.Connection = "close";
      return refusal === "stopping" ? new Failure("not_ready", { part: "stopping" }) : overloaded;
    }
    if (request.method === "HEAD") return eventStreamResponse(null);
    // The key may have been looked up in an earlier turn. The hub looks it up again if it has changed since then.
    const listener = {
      ...(exchange.known as CachedKey),
      requestId,
      hash: this.#access.hashOf(exchange),
      abandon: () => connections.timeout(request, ABANDONED_SECONDS),
    };
    return eventStreamResponse(hub.open(subscription, listener));
  }

  /** Reads the body of a write and stores it. The response leaves once the commit is on disk. */
  async #write(exchange: Exchange): Promise<void> {
    const { request, match, caller, known } = exchange;
    const route = match?.route as Route;
    try {
      if (!exchange.input) {
        const bytes = await receiveInput(request, route);
        exchange.input = bytes instanceof Failure ? bytes : readInput(request, route, bytes);
      }
      const plan = planOf(route, known?.key as ApiKey, exchange.input, this.#cursors);
      if (plan instanceof Failure) {
        // No refusal leaves before the key is known to be valid.
        if (caller) this.#send(exchange, plan);
        else this.#turn.join(exchange);
        return;
      }
      const reply = await plan.ask(this.#store, caller ? undefined : known?.asOf);
      exchange.caller = known?.key;
      this.#options.hub.wake();
      const answer = plan.answer(reply);
      this.#send(exchange, answer instanceof Failure ? answer : answerResponse(route.operation, answer));
    } catch (error) {
      if (error instanceof KeysChanged) {
        exchange.known = undefined;
        this.#turn.join(exchange);
      } else this.#fail(exchange, error);
    }
  }

  /** Responds with a page that needs no key. */
  async #show(exchange: Exchange): Promise<void> {
    try {
      const { path } = splitTarget(exchange.target);
      const { method, headers } = exchange.request;
      this.#send(exchange, await this.#options.pages.answer(method, path, headers.get("accept")));
    } catch (error) {
      this.#fail(exchange, error);
    }
  }

  #send(exchange: Exchange, outcome: Rendered | Failure): void {
    const isFailure = outcome instanceof Failure;
    const rendered = isFailure ? failureResponse(outcome, exchange.match?.operation) : outcome;
    this.#responder.respond(exchange, rendered);
  }

  /** Runs a step of a request in its own trace. An exception fails this request alone. */
  #attempt(exchange: Exchange, step: () => void): void {
    const attempt = () => {
      try {
        step();
      } catch (error) {
        this.#fail(exchange, error);
      }
    };
    if (exchange.context) exchange.context(attempt);
    else attempt();
  }

  /** Responds to a request whose step threw an exception, and reports the exception to the log. */
  #fail(exchange: Exchange, error: unknown): void {
    const { request, requestId } = exchange;
    // A client that left in the middle of its body gets no response, and nothing needs repair.
    exchange.isAbandoned = request.signal.aborted;
    if (exchange.isAbandoned) this.#send(exchange, new Failure("internal_error", {}));
    else if (error instanceof StoreFailure) {
      this.#options.emit({ event: "store_failed", requestId, error });
      this.#send(exchange, new Failure(error.code, {}));
    } else {
      this.#options.emit({ event: "request_failed", requestId, error });
      this.#send(exchange, new Failure(isOutOfDescriptors(error) ? "overloaded" : "internal_error", {}));
    }
  }
}
