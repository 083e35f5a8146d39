import type { ApiKey } from "../domain/api-key.ts";
import type { Cursors } from "../domain/cursor.ts";
import { Failure } from "../domain/failure.ts";
import { andThen, type MaybePromise, recover } from "../domain/maybe-promise.ts";
import type { Revision } from "../domain/revision.ts";
import { type DatedReply, KeysChanged, type Store } from "../domain/store.ts";
import type { Feed } from "../feed/feed.ts";
import type { OperationResponse } from "../operations/operation.ts";
import { type AccessControl, forgotten, permitted } from "./access-control.ts";
import { ResponseCache } from "./cache/response-cache.ts";
import { type ApiCall, Call, isOfApi } from "./call.ts";
import type { ConfirmedCaller, KnownCaller, UnknownCaller } from "./caller.ts";
import type { EventHub } from "./events/event-hub.ts";
import { openStream } from "./open-stream.ts";
import type { PublicPages } from "./pages/public-pages.ts";
import { type Input, readInput, receive } from "./request/input.ts";
import type { Route, Routes } from "./request/routes.ts";
import { isAcceptableHost } from "./request/target.ts";
import type { Responder } from "./responder.ts";
import type { CommonHeaders } from "./response/common-headers.ts";
import type { Cors } from "./response/cors.ts";
import type { HttpResponse } from "./response/http-response.ts";
import { overloaded, render } from "./response/render.ts";
import type { Handle } from "./runtime/bun-servers.ts";
import type { Connections } from "./runtime/connections.ts";

const invalidHost = new Failure("invalid_host", {});

/** The name of the read that requests of a turn share if they need the revision alone. A request's target has a slash. */
const REVISION = "revision";

/** An exception of an operation that reads: its client learns of it once the key is known to be valid. */
class Thrown {
  constructor(readonly error: unknown) {}
}

/** What handling requests needs. */
interface HandlerOptions {
  readonly store: Store;
  readonly routes: Routes;
  readonly access: AccessControl;
  readonly cursors: Cursors;
  readonly cors: Cors;
  readonly commonHeaders: CommonHeaders;
  /** What needs no key. */
  readonly pages: Pick<PublicPages, "answer">;
  readonly hub: EventHub;
  readonly responder: Responder;
  /** Hears of each write, which may have events, while a stream is open. */
  readonly feed: Pick<Feed, "wake">;
  /** The most requests in progress, unread responses included. */
  readonly maxRequests: number;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Whether somebody wants to know how long each request takes. */
  readonly isMeasured: boolean;
}

/** What came of an operation that reads. */
type Outcome = OperationResponse | Failure | Thrown;

/** Handles requests: makes the runtime's `Response` of its `Request`. Begin with `handle`. */
export class Handler {
  readonly #options: HandlerOptions;
  readonly #store: Store;
  readonly #access: AccessControl;
  readonly #cache: ResponseCache;
  readonly #finders: { readonly cache: ResponseCache; readonly routes: Routes };

  constructor(options: HandlerOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#access = options.access;
    this.#cache = new ResponseCache(options.routes);
    this.#finders = { cache: this.#cache, routes: options.routes };
  }

  /** Responds to a request, in case of doubt with a failure: it neither throws nor rejects. */
  readonly handle: Handle = (request, connections) => {
    const { responder } = this.#options;
    const call = this.#receive(request, connections);
    try {
      const response = this.#respond(call);
      return response instanceof Promise
        ? responder.respondLater(call, response)
        : responder.respond(call, response);
    } catch (error) {
      return responder.fail(call, error);
    }
  };

  #receive(request: Request, connections: Connections): Call {
    const { clock, isMeasured, commonHeaders } = this.#options;
    const started = isMeasured ? performance.now() : 0;
    const now = clock();
    return new Call(request, connections, commonHeaders.of(request, now), now, started, this.#finders);
  }

  /** The response: a refusal, a public page, or what an operation gives to a caller that may ask for it. */
  #respond(call: Call): MaybePromise<HttpResponse | Failure> {
    const early = this.#refuseEarly(call);
    if (early) return early;
    const preflight = call.method === "OPTIONS" && this.#options.cors.preflight(call.request);
    if (preflight) return preflight;
    if (!isOfApi(call)) return this.#servePublicPage(call);
    const caller = this.#access.recognize(call);
    if (caller instanceof Failure) return caller;
    return call.isRead ? this.#read(call, caller) : this.#write(call, caller);
  }

  /**
   * Responds to a request that reads. For a known caller, it asks the store ahead: for what the operation needs and, at the
   * same time, whether the key is still what it was when it was last looked up. A cached response needs the second alone.
   */
  #read(call: ApiCall, caller: KnownCaller | UnknownCaller): MaybePromise<HttpResponse | Failure> {
    if (caller.state === "unknown") return this.#lookUpAndRead(call, caller);
    const atHand = call.cached && this.#store.revisionAtHand();
    if (atHand) {
      return this.#judgeAndRead(call, caller, { reply: undefined, revision: atHand, mayBeLater: false });
    }
    const route = permitted(call, caller);
    const isLikelyFresh = call.cached && !call.cached.isShortLived;
    const ahead: MaybePromise<DatedReply<Outcome | undefined>> =
      isLikelyFresh || route instanceof Failure ? this.#askRevision() : this.#ask(call, route, caller);
    return andThen(ahead, (dated) => this.#judgeAndRead(call, caller, dated));
  }

  /**
   * Responds to a request that reads, once it is known whether keys have changed since the caller's was looked up.
   *
   * @param dated what came of the operation, if it ran ahead, and a revision that is not older than the request
   */
  #judgeAndRead(
    call: ApiCall,
    caller: KnownCaller,
    dated: DatedReply<Outcome | undefined>,
  ): MaybePromise<HttpResponse | Failure> {
    const { reply: outcome, revision } = dated;
    // Nothing that was read leaves before the key is known to be valid.
    const confirmed = this.#access.confirm(call, caller, revision);
    if (confirmed instanceof Failure) return confirmed;
    if (confirmed.state === "unknown") return this.#lookUpAndRead(call, confirmed);
    const fresh = this.#takeFresh(call, revision);
    if (fresh) return fresh;
    return outcome ? this.#finishRead(call, confirmed, outcome, dated) : this.#readFor(call, confirmed);
  }

  /** Responds to a request that reads, whose key is looked up first: keys have changed since it was, or it never was. */
  #lookUpAndRead(call: ApiCall, caller: UnknownCaller): MaybePromise<HttpResponse | Failure> {
    return andThen(this.#lookUp(call, caller), (confirmed) => {
      if (confirmed instanceof Failure) return confirmed;
      return this.#takeFresh(call, confirmed.known.asOf) ?? this.#readFor(call, confirmed);
    });
  }

  /** Responds to a request that reads, whose caller is confirmed, and for which no fresh response is cached. */
  #readFor(call: ApiCall, caller: ConfirmedCaller): MaybePromise<HttpResponse | Failure> {
    return andThen(this.#ask(call, caller.route, caller.known), (dated) => {
      return this.#takeFresh(call, dated.revision) ?? this.#finishRead(call, caller, dated.reply, dated);
    });
  }

  /**
   * Carries out a write; its response leaves once the commit is on disk. For a known caller, the write goes ahead of the
   * verdict on the key, and the store takes it only if no key has changed.
   */
  async #write(call: ApiCall, caller: KnownCaller | UnknownCaller): Promise<HttpResponse | Failure> {
    let input: Input | Failure | undefined;
    let present = caller;
    const ahead = this.#access.mayGoAhead(call, caller);
    if (ahead) {
      const { known, route } = ahead;
      input = readInput(call.request, route, await receive(call.request, route));
      try {
        if (!(input instanceof Failure)) {
          const response = await this.#run(route, known.key, input, known.asOf);
          this.#access.accept(call, known);
          return this.#finishWrite(route, response);
        }
      } catch (error) {
        if (!(error instanceof KeysChanged)) throw error;
        present = forgotten(known);
      }
    }
    // No refusal leaves before the key is known to be valid.
    const confirmed = await this.#confirm(call, present);
    if (confirmed instanceof Failure) return confirmed;
    const { known, route } = confirmed;
    input ??= readInput(call.request, route, await receive(call.request, route));
    if (input instanceof Failure) return input;
    return this.#finishWrite(route, await this.#run(route, known.key, input, undefined));
  }

  /** Finds out whether a caller's key is valid, and whether it may do what it asks for. */
  async #confirm(call: ApiCall, caller: KnownCaller | UnknownCaller): Promise<ConfirmedCaller | Failure> {
    if (caller.state === "unknown") return this.#lookUp(call, caller);
    const { revision } = await this.#askRevision();
    const confirmed = this.#access.confirm(call, caller, revision);
    if (confirmed instanceof Failure || confirmed.state === "confirmed") return confirmed;
    return this.#lookUp(call, confirmed);
  }

  #lookUp(call: ApiCall, caller: UnknownCaller): MaybePromise<ConfirmedCaller | Failure> {
    return andThen(
      this.#store.read(() => this.#store.findKey(caller.hash)),
      ({ reply: key, revision }) => this.#access.admit(call, caller, key, revision),
    );
  }

  /** Asks for nothing but the revision, which tells whether keys have changed. */
  #askRevision(): MaybePromise<DatedReply<undefined>> {
    return this.#store.read(() => undefined, REVISION);
  }

  /** Asks for what an operation that reads needs, and runs it. */
  #ask(call: ApiCall, route: Route, { key }: KnownCaller): MaybePromise<DatedReply<Outcome>> {
    const { request, cached, target } = call;
    const run = () =>
      recover<Outcome>(
        () => this.#run(route, key, readInput(request, route), undefined),
        (error) => new Thrown(error),
      );
    return this.#store.read(run, cached && target);
  }

  /** Runs the operation, in its own file of `src/operations`, unless its input is refused. */
  #run(
    { operation }: Route,
    caller: ApiKey,
    input: Input | Failure,
    ifKeysAt: Revision | undefined,
  ): MaybePromise<OperationResponse | Failure> {
    if (input instanceof Failure) return input;
    const { body, parameters, isStream } = input;
    return operation.run(
      { store: this.#store, cursors: this.#options.cursors, ifKeysAt },
      { caller, body, parameters, isStream },
    );
  }

  /**
   * Makes the response to a read of what its operation returned or threw. Caches it under its revision, unless it may show more:
   * if a server went back to just that revision, nothing would make the response stale.
   */
  #finishRead(
    call: ApiCall,
    { known, route }: ConfirmedCaller,
    outcome: Outcome,
    { revision: asOf, mayBeLater }: Omit<DatedReply<unknown>, "reply">,
  ): HttpResponse | Failure {
    if (outcome instanceof Thrown) throw outcome.error;
    if (outcome instanceof Failure) return outcome;
    const { stream, isPersonal, invalidatedBy = "append" } = outcome;
    if (stream) return openStream(this.#options.hub, call, known, stream);
    const response = render(route.operation, outcome);
    if (isPersonal) return response;
    if (mayBeLater) {
      // The next request will find what is cached stale, too, and need not ask for the revision first.
      if (call.cached) call.cached.isShortLived = true;
      return response;
    }
    const isShortLived = call.cached !== undefined;
    return this.#cache.put(call.target, response, { invalidatedBy, asOf, isShortLived });
  }

  /** Makes the response to a write that is on disk, or that the operation refused. */
  #finishWrite({ operation }: Route, outcome: OperationResponse | Failure): HttpResponse | Failure {
    const { hub, feed } = this.#options;
    if (hub.streams.size > 0) feed.wake();
    return outcome instanceof Failure ? outcome : render(operation, outcome);
  }

  /** Takes the cached response if it is fresh at a revision, and notes in the call whether it was. */
  #takeFresh(call: ApiCall, revision: Revision): HttpResponse | undefined {
    const { cached, target } = call;
    const fresh = cached && this.#cache.fresh(target, cached, revision);
    call.isCacheHit = fresh !== undefined;
    return fresh;
  }

  /** Refuses a request before any other work, and closes its connection. */
  #refuseEarly(call: Call): Failure | undefined {
    const { hub, maxRequests } = this.#options;
    // The runtime counts a stream as a request in progress.
    const isFull = call.connections.pendingRequests - hub.streams.size > maxRequests;
    if (!isFull && isAcceptableHost(call.request.headers.get("host"))) return undefined;
    // A supervisor restarts a service that is not alive: load must not turn it away.
    if (isFull && call.path === "/livez") return undefined;
    call.headers.Connection = "close";
    return isFull ? overloaded : invalidHost;
  }

  #servePublicPage({ method, path, request }: Call): Promise<HttpResponse> {
    return this.#options.pages.answer(method, path, request.headers.get("accept"));
  }
}
