import type { ApiKey } from "../domain/api-key.ts";
import { Cursors } from "../domain/cursor.ts";
import { Failure } from "../domain/failure.ts";
import { andThen, type MaybePromise, recover } from "../domain/maybe-promise.ts";
import type { Revision } from "../domain/revision.ts";
import { KeysChanged, type Store } from "../domain/store.ts";
import { CATALOGUE } from "../operations/catalogue.ts";
import type { OperationResponse } from "../operations/operation.ts";
import { AccessControl } from "./access-control.ts";
import type { CachedKey } from "./authenticate.ts";
import { ResponseCache } from "./cache/response-cache.ts";
import { Call } from "./call.ts";
import { openStream } from "./open-stream.ts";
import type { HandlerOptions } from "./options.ts";
import { RateLimiter } from "./rate-limit/rate-limit.ts";
import { isAcceptableHost, requestIdOf } from "./request/headers.ts";
import { type Input, readInput, receiveInput } from "./request/input.ts";
import { type Route, Routes } from "./request/routes.ts";
import { Responder } from "./responder.ts";
import { CommonHeaders } from "./response/common-headers.ts";
import { Cors } from "./response/cors.ts";
import type { HttpResponse } from "./response/http-response.ts";
import { overloaded, render } from "./response/render.ts";
import { toRuntime } from "./response/to-runtime.ts";
import type { Handle } from "./runtime/bun-servers.ts";
import type { Connections } from "./runtime/connections.ts";
import { traced } from "./traced.ts";

const invalidHost = new Failure("invalid_host", {});

/** The name of the read that requests of a turn share if they need the revision alone. A request's target has a slash. */
const REVISION = "revision";

/** An exception of an operation that reads: its client learns of it once the key is known to be valid. */
class Thrown {
  constructor(readonly error: unknown) {}
}

/** Handles requests: makes the runtime's `Response` of its `Request`. Begin with `#handle`. */
export class Handler {
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

  constructor(options: HandlerOptions) {
    const { operations, store, environment, rateLimit, observer } = options;
    this.handle = traced((request, connections) => this.#handle(request, connections), observer);
    this.#options = options;
    this.#store = store;
    this.#routes = new Routes(operations, CATALOGUE);
    const limiter = rateLimit && new RateLimiter(rateLimit, options.rateLimitStore);
    this.#access = new AccessControl(environment, limiter, options.keyUses);
    this.#cors = new Cors(options.allowedOrigins, operations, options.otherHeaders);
    this.#cursors = new Cursors(options.cursorSecret);
    this.#commonHeaders = new CommonHeaders(this.#cors, options);
    this.#cache = new ResponseCache(this.#routes);
    this.#responder = new Responder(options);
  }

  #handle(request: Request, connections: Connections): MaybePromise<Response> {
    const { observer, clock } = this.#options;
    const started = observer ? performance.now() : 0;
    const now = clock();
    const call = new Call(request, connections, this.#commonHeaders.of(request, now), now, started);
    try {
      const response = this.#answerWithoutStore(call) ?? this.#answer(call);
      if (response instanceof Promise) return this.#responder.respondLater(call, response);
      return this.#responder.respond(call, response);
    } catch (error) {
      return this.#responder.fail(call, error);
    }
  }

  /** The response, if it needs nothing from the store: a refusal, a public page, or a cached response that is still fresh. */
  #answerWithoutStore(call: Call): MaybePromise<HttpResponse | Failure> | undefined {
    const { request, target } = call;
    const early = this.#refuseEarly(call);
    if (early) return early;
    call.cached = call.isRead ? this.#cache.find(target) : undefined;
    const preflight = this.#cors.preflight(request);
    if (preflight) return preflight;
    call.match = call.cached?.match ?? this.#routes.find(request.method, target);
    if (!call.match) return this.#servePublicPage(call);
    const refusal = this.#access.recognize(call);
    if (refusal) return refusal;
    const revision = call.cached && call.known && this.#store.revisionAtHand();
    const fresh = revision && this.#takeFresh(call, revision);
    return fresh && (this.#access.confirm(call, revision) ?? (call.caller ? fresh : undefined));
  }

  /**
   * The response to a request of an operation. It asks the store for what the operation needs and, at the same time,
   * whether the caller's key is still what it was when it was last looked up. Runs again with what has turned out to be
   * missing: the key, or what has changed since a response was cached.
   */
  #answer(call: Call): MaybePromise<HttpResponse | Failure> {
    const { known, cached, target } = call;
    if (!call.isRead && (call.caller || (!call.input && this.#access.mayGoAhead(call))))
      return this.#write(call);
    if (!known) {
      const hash = this.#access.hashOf(call);
      return andThen(
        this.#store.read(() => this.#store.findKey(hash)),
        ({ reply: key, revision }) =>
          this.#access.admit(call, key, revision) ?? this.#takeFresh(call, revision) ?? this.#answer(call),
      );
    }
    const reading = this.#needsRevisionOnly(call)
      ? this.#store.read(() => undefined, REVISION)
      : this.#store.read(() => this.#read(call, known), cached && target);
    return andThen(reading, ({ reply: outcome, revision }) => {
      // Nothing that was read leaves before the key is known to be valid.
      const refusal = this.#access.confirm(call, revision);
      if (refusal) return refusal;
      if (!call.caller) return this.#answer(call);
      return (
        this.#takeFresh(call, revision) ??
        (outcome ? this.#respondToRead(call, outcome, revision) : this.#answer(call))
      );
    });
  }

  /**
   * Whether the store is asked for nothing but the revision: for a write, a refusal, or a cached response, which is taken
   * for fresh, since most are.
   */
  #needsRevisionOnly(call: Call): boolean {
    const isLikelyFresh = call.cached && !call.isStale && !call.cached.isShortLived;
    return !call.isRead || isLikelyFresh || this.#access.refusal(call) !== undefined;
  }

  /** Runs an operation that reads. */
  #read({ request, route }: Call, known: CachedKey): MaybePromise<OperationResponse | Failure | Thrown> {
    return recover<OperationResponse | Failure | Thrown>(
      () => this.#run(route, known.key, readInput(request, route), undefined),
      (error) => new Thrown(error),
    );
  }

  /** Carries out a write. Its response leaves once the commit is on disk. */
  async #write(call: Call): Promise<HttpResponse | Failure> {
    const { request, route, caller, known } = call;
    const { key, asOf } = known as CachedKey;
    const { interceptor } = this.#options;
    const noteBody = interceptor && ((body: Uint8Array) => interceptor.received(call.connections, body));
    call.input ??= await receiveInput(request, route, noteBody);
    // No refusal leaves before the key is known to be valid.
    if (call.input instanceof Failure) return caller ? call.input : this.#answer(call);
    try {
      // If the caller is not confirmed yet, the store takes the change only if no key has changed.
      const response = await this.#run(route, key, call.input, caller ? undefined : asOf);
      this.#access.accept(call, key);
      this.#options.feed.wake();
      return response instanceof Failure ? response : render(route.operation, response);
    } catch (error) {
      if (!(error instanceof KeysChanged)) throw error;
      call.known = undefined;
      return this.#answer(call);
    }
  }

  /** Runs the operation, in its own file of `src/operations`, unless its input is refused. */
  #run(
    { operation }: Route,
    caller: ApiKey,
    input: Input | Failure,
    ifKeysAt: Revision | undefined,
  ): MaybePromise<OperationResponse | Failure> {
    if (input instanceof Failure) return input;
    return operation.run({ store: this.#store, cursors: this.#cursors, ifKeysAt }, { caller, ...input });
  }

  /** Makes the response to a read of what its operation returned or threw. Caches it for others if it may. */
  #respondToRead(
    call: Call,
    outcome: OperationResponse | Failure | Thrown,
    asOf: Revision,
  ): HttpResponse | Failure {
    if (outcome instanceof Thrown) throw outcome.error;
    if (outcome instanceof Failure) return outcome;
    const { stream, isPersonal, invalidatedBy = "append" } = outcome;
    if (stream) return openStream(this.#options.hub, call, stream, this.#access.hashOf(call));
    const response = render(call.route.operation, outcome);
    if (isPersonal) return response;
    const isShortLived = call.cached !== undefined;
    return this.#cache.put(call.target, response, { invalidatedBy, asOf, isShortLived });
  }

  /** Takes the cached response if it is fresh at a revision. Notes in the call whether it was. */
  #takeFresh(call: Call, revision: Revision): HttpResponse | undefined {
    const { cached, target } = call;
    const fresh = cached && this.#cache.fresh(target, cached, revision);
    call.isCacheHit = fresh !== undefined;
    call.isStale = fresh === undefined;
    return fresh;
  }

  /** Refuses a request before any other work, and closes its connection. */
  #refuseEarly(call: Call): Failure | undefined {
    const { hub, maxRequests } = this.#options;
    // The runtime counts a stream as a request in progress.
    const isFull = call.connections.pendingRequests - hub.count > maxRequests;
    if (!isFull && isAcceptableHost(call.request.headers.get("host"))) return undefined;
    // A supervisor restarts a service that is not alive: load must not turn it away.
    if (isFull && call.path === "/livez") return undefined;
    call.match = this.#routes.find(call.request.method, call.target);
    call.headers.Connection = "close";
    return isFull ? overloaded : invalidHost;
  }

  #servePublicPage({ path, request }: Call): Promise<HttpResponse> {
    return this.#options.pages.answer(request.method, path, request.headers.get("accept"));
  }

  /** Makes the runtime's response of a response from elsewhere. */
  respondWith(response: HttpResponse, request: Request, connections: Connections): Response {
    const requestId = requestIdOf(request.headers.get("x-request-id"));
    const own = this.#commonHeaders.of(request, this.#options.clock());
    this.#options.interceptor?.sent(connections, response, requestId, own);
    return toRuntime(response, requestId, own);
  }
}
