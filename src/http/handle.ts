import type { ApiKey } from "../domain/api-key.ts";
import type { Environment } from "../domain/environment.ts";
import type { EventSink } from "../domain/event.ts";
import { andThen, type Eventual, orElse } from "../domain/eventual.ts";
import { Failure, StoreFailure } from "../domain/failure.ts";
import type { RequestObserver } from "../domain/observation.ts";
import type { Revision } from "../domain/revision.ts";
import type { Store } from "../domain/store.ts";
import type { Answer, Operation } from "../operations/operation.ts";
import { answerResponse, withDeprecation } from "./answer-response.ts";
import { Authenticator } from "./authenticate.ts";
import { asksToClose } from "./connection-option.ts";
import type { Connections } from "./connections.ts";
import { type AllowedOrigins, Cors } from "./cors.ts";
import { isOutOfDescriptors } from "./descriptors.ts";
import { answeredRequest, type Exchange, isRead } from "./exchange.ts";
import { failureResponse } from "./failure-response.ts";
import { isAcceptableHost } from "./host.ts";
import { isFresh, type Kept, KeptPages } from "./kept-pages.ts";
import { negotiate } from "./negotiate.ts";
import { type Input, Performer } from "./perform.ts";
import type { PublicPages } from "./public-pages.ts";
import { type RateLimit, RateLimiter } from "./rate-limit.ts";
import type { RateMemory } from "./rate-memory.ts";
import type { Rendered } from "./rendered.ts";
import { requestIdOf } from "./request-id.ts";
import { responseOf } from "./response.ts";
import { BASE_PATH, type Found, type Route, Routes } from "./routes.ts";
import { StrictTransport } from "./strict-transport.ts";
import { rawTarget, splitTarget, type Target } from "./target.ts";
import { isTooMuchUnread } from "./unread.ts";

interface HandlerOptions {
  readonly operations: readonly Operation[];
  readonly pages: PublicPages;
  readonly store: Store;
  /** Only keys of this one are good. */
  readonly environment: Environment;
  readonly cursorSecret: Uint8Array;
  readonly allowedOrigins: AllowedOrigins;
  readonly rateLimit: RateLimit | undefined;
  /** Where requests are counted; left out, in this process alone. */
  readonly rateMemory?: RateMemory | undefined;
  readonly trustProxy: boolean;
  /** Requests in progress, unread responses included; beyond it they are refused. */
  readonly maxRequests: number;
  /** How long a connection may be idle after a request with a valid key; with `trustProxy` after any. */
  readonly keepAliveSeconds: number;
  /** Whether the service itself speaks TLS. */
  readonly isTls: boolean;
  /** How long browsers are to use https alone (RFC 6797); left out, they are not told. */
  readonly hstsSeconds: number | undefined;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly emit: EventSink;
  /** Who is told of every request, if anyone. */
  readonly observer: RequestObserver | undefined;
}

/** To close a connection makes room. */
const overloaded = new Failure("overloaded", {});

/** Work that was begun before its caller's key was looked at. */
interface Early {
  readonly caller: ApiKey;
  readonly input: Eventual<Input | Failure>;
  readonly outcome: Promise<Answer | Failure | "keys_changed">;
}

/** The life of every request. */
export class Handler {
  readonly #options: HandlerOptions;
  readonly #routes: Routes;
  readonly #authenticator: Authenticator;
  readonly #limiter: RateLimiter | undefined;
  readonly #cors: Cors;
  readonly #performer: Performer;
  readonly #strictTransport: StrictTransport | undefined;
  readonly #kept = new KeptPages();
  readonly #find = (raw: string) => this.#routes.find("GET", splitTarget(raw));
  /** Requests that wait for what they need: the others in progress are responses that nobody has taken yet. */
  #waiting = 0;

  constructor(options: HandlerOptions) {
    this.#options = options;
    this.#routes = new Routes(options.operations);
    this.#authenticator = new Authenticator(options.store, options.environment);
    this.#limiter = options.rateLimit && new RateLimiter(options.rateLimit, options.rateMemory);
    this.#cors = new Cors(options.allowedOrigins);
    this.#performer = new Performer(options.store, options.cursorSecret);
    const { hstsSeconds, isTls, trustProxy } = options;
    this.#strictTransport =
      hstsSeconds === undefined ? undefined : new StrictTransport(hstsSeconds, isTls, trustProxy);
  }

  /** Answers a request: with what was asked, or with a failure. It neither throws nor rejects. */
  handle(request: Request, connections: Connections): Eventual<Response> {
    const { observer } = this.#options;
    if (!observer?.around) return this.#handle(request, connections);
    const traceparent = request.headers.get("traceparent");
    const tracestate = request.headers.get("tracestate");
    return observer.around({ traceparent, tracestate }, () => this.#handle(request, connections));
  }

  #handle(request: Request, connections: Connections): Eventual<Response> {
    const { observer } = this.#options;
    const started = observer ? performance.now() : 0;
    const exchange = this.#begin(request);
    if (connections.pendingRequests > this.#options.maxRequests && !isLiveness(exchange)) {
      return this.#respond(exchange, this.#turnAway(exchange, overloaded), connections, started);
    }
    // What is there already is sent at once: to wait, even for nothing, costs a tenth of a request.
    const answer = this.#repeat(exchange) ?? this.#render(exchange);
    if (!(answer instanceof Promise)) return this.#respond(exchange, answer, connections, started);
    this.#waiting++;
    return answer.then((rendered) => {
      this.#waiting--;
      return this.#respond(exchange, rendered, connections, started);
    });
  }

  /** A refusal before any check of the key; the connection is closed. */
  #turnAway(exchange: Exchange, failure: Failure): Rendered {
    const { request, raw, headers } = exchange;
    const target = splitTarget(raw);
    if (isBelowBase(target.path)) exchange.found = this.#routes.find(request.method, target);
    headers.Connection = "close";
    return withDeprecation(exchange.found?.operation, failureResponse(failure));
  }

  #respond(exchange: Exchange, answer: Rendered, connections: Connections, started: number): Response {
    const { request, caller } = exchange;
    const { observer, pages, trustProxy, keepAliveSeconds } = this.#options;
    let rendered = negotiate(request, answer);
    // What a create has stored is told, whatever it takes; it is small.
    if (isRead(request) && isTooMuchUnread(rendered, connections.pendingRequests - this.#waiting)) {
      rendered = this.#turnAway(exchange, overloaded);
    }
    // The runtime begins each request with its own idle time. A proxy's connection carries requests of many clients, and
    // after a preflight or a wrong key the proxy still pools it.
    if (trustProxy || (caller && !(caller instanceof Failure)))
      connections.timeout(request, keepAliveSeconds);
    if (observer) {
      const microseconds = (performance.now() - started) * 1000;
      observer.answered(answeredRequest(exchange, rendered, pages, connections, trustProxy, microseconds));
    }
    return responseOf(rendered, exchange.requestId, exchange.headers);
  }

  #begin(request: Request): Exchange {
    const requestId = requestIdOf(request.headers.get("x-request-id"));
    const origin = request.headers.get("origin");
    const headers = origin === null ? {} : this.#cors.headersFor(origin);
    Object.assign(headers, this.#limiter?.policy);
    // The runtime adds it to every answer but these.
    if (request.method === "HEAD") headers.Date = new Date(this.#options.clock()).toUTCString();
    if (asksToClose(request.headers.get("connection"))) headers.Connection = "close";
    if (this.#strictTransport?.appliesTo(request)) Object.assign(headers, this.#strictTransport.header);
    return {
      request,
      requestId,
      raw: rawTarget(request.url),
      headers,
      found: undefined,
      caller: undefined,
      kept: false,
      abandoned: false,
    };
  }

  /** The answer that is kept, where a caller that is known asks again and nothing has changed since. */
  #repeat(exchange: Exchange): Rendered | undefined {
    const { request, raw } = exchange;
    const kept = isRead(request) ? this.#kept.get(raw) : undefined;
    if (!kept || !isAcceptableHost(request.headers.get("host"))) return undefined;
    const revision = this.#options.store.revision();
    if (revision instanceof Promise || !isFresh(kept, revision)) return undefined;
    const now = this.#options.clock();
    const caller = this.#authenticator.recall(request.headers.get("authorization"), revision, now);
    if (!caller) return undefined;
    exchange.found = kept.found;
    exchange.caller = caller;
    const refusal = this.#refuse(caller, kept.found, exchange, now);
    exchange.kept = !refusal;
    return refusal ?? kept.rendered;
  }

  #render(exchange: Exchange): Eventual<Rendered> {
    const { request, raw } = exchange;
    if (!isAcceptableHost(request.headers.get("host"))) {
      return this.#turnAway(exchange, new Failure("invalid_host", {}));
    }
    const preflight = this.#cors.preflight(request);
    if (preflight) return preflight;
    const target = splitTarget(raw);
    return isBelowBase(target.path) ? this.#answer(exchange, target) : this.#show(exchange, target);
  }

  /** Answers with a page that needs no key. */
  async #show(exchange: Exchange, { path }: Target): Promise<Rendered> {
    try {
      return await this.#options.pages.answer(exchange.request.method, path);
    } catch (error) {
      return failureResponse(this.#failureOf(error, exchange));
    }
  }

  /** Authentication comes first, then the target, then what the operation needs, then its work. */
  #answer(exchange: Exchange, target: Target): Eventual<Rendered> {
    const { request, raw } = exchange;
    const now = this.#options.clock();
    const kept = isRead(request) ? this.#kept.get(raw) : undefined;
    const found = kept?.found ?? this.#routes.find(request.method, target);
    exchange.found = found;
    return orElse(
      () => {
        const revision = this.#options.store.revision();
        return revision instanceof Promise
          ? this.#answerAhead(exchange, found, kept, revision, now)
          : this.#answerUnder(revision, exchange, found, kept, now);
      },
      (error) => withDeprecation(found.operation, failureResponse(this.#failureOf(error, exchange))),
    );
  }

  #answerUnder(
    revision: Revision,
    exchange: Exchange,
    found: Found,
    kept: Kept | undefined,
    now: number,
  ): Eventual<Rendered> {
    const { request } = exchange;
    const authorization = request.headers.get("authorization");
    return andThen(this.#authenticator.authenticate(authorization, revision, now), (caller) => {
      const settled = this.#settle(exchange, found, kept, caller, revision, now);
      if (settled) return settled;
      const route = found.route as Route;
      const input = this.#performer.read(request, route);
      const outcome = andThen(input, (input) => this.#performer.run(route, caller as ApiKey, input));
      return andThen(outcome, (outcome) => this.#finish(exchange, found, outcome, revision));
    });
  }

  /** The same, where the store has to be asked for its revision. */
  async #answerAhead(
    exchange: Exchange,
    found: Found,
    kept: Kept | undefined,
    asked: Promise<Revision>,
    now: number,
  ): Promise<Rendered> {
    const { request } = exchange;
    const authorization = request.headers.get("authorization");
    const early = this.#goAhead(exchange, found, kept, now);
    const judging = this.#authenticator.authenticateAhead(authorization, asked, now);
    judging.catch(() => {});
    const written = early && !isRead(request) ? await early.outcome : undefined;
    // The store has looked at the keys itself when it stored this.
    if (written && !(written instanceof Failure) && written !== "keys_changed") {
      exchange.caller = early?.caller;
      return withDeprecation(found.operation, answerResponse(found.route as Route, written));
    }
    const again = written === "keys_changed";
    const revision = await (again ? this.#options.store.revision() : asked);
    const caller = await (again ? this.#authenticator.authenticate(authorization, revision, now) : judging);
    const settled = this.#settle(exchange, found, kept, caller, revision, now);
    if (settled) return settled;
    const route = found.route as Route;
    const outcome =
      written instanceof Failure
        ? written
        : early && isRead(request)
          ? await early.outcome
          : await this.#performer.run(
              route,
              caller as ApiKey,
              await (early?.input ?? this.#performer.read(request, route)),
            );
    return this.#finish(exchange, found, outcome as Answer | Failure, revision);
  }

  /** What answers a caller before any work: the refusal, or a page that was kept and holds still. */
  #settle(
    exchange: Exchange,
    found: Found,
    kept: Kept | undefined,
    caller: ApiKey | Failure<"unauthorized">,
    revision: Revision,
    now: number,
  ): Rendered | undefined {
    exchange.caller = caller;
    const refusal = this.#refuse(caller, found, exchange, now);
    if (refusal || !kept) return refusal;
    exchange.kept = this.#kept.holds(kept, revision);
    return exchange.kept ? kept.rendered : undefined;
  }

  #finish({ request, raw }: Exchange, found: Found, outcome: Answer | Failure, revision: Revision): Rendered {
    const { operation } = found.route as Route;
    if (outcome instanceof Failure) return withDeprecation(operation, failureResponse(outcome));
    const rendered = withDeprecation(operation, answerResponse(found.route as Route, outcome));
    const { status, restsOn = "stock" } = outcome;
    return isRead(request) && status === 200
      ? this.#kept.keep(raw, this.#find, rendered, restsOn, revision)
      : rendered;
  }

  /**
   * Where the store has to be asked for its revision, the rest of the work goes with the question, in one round
   * trip, for a caller whose key was good when it was last looked at. Nothing that is read is told before the
   * key is known to be good still, and nothing is written but by a store that looks at the keys itself.
   */
  #goAhead({ request }: Exchange, { route }: Found, kept: Kept | undefined, now: number): Early | undefined {
    const presumed = this.#authenticator.presume(request.headers.get("authorization"), now);
    if (!presumed || route instanceof Failure || refusalOf(presumed.key, route, now)) return undefined;
    // What is kept will mostly do, unless of late it mostly did not. And where requests are counted, a create
    // is counted before it is made.
    if (isRead(request) ? kept && this.#kept.mostlyHold : this.#limiter) return undefined;
    const input = this.#performer.read(request, route);
    const outcome = this.#performer.runAhead(route, presumed, input);
    // Whether it failed matters only where it is asked for.
    outcome.catch(() => {});
    return { caller: presumed.key, input, outcome };
  }

  /** Why a caller is not served, if so, in the order in which clients are told. */
  #refuse(caller: ApiKey | Failure, found: Found, exchange: Exchange, now: number): Rendered | undefined {
    const refusal = this.#limit(caller, exchange, now) ?? refusalOf(caller, found.route, now);
    return refusal && withDeprecation(found.operation, failureResponse(refusal));
  }

  /** Counts the request, where there is a limit, and tells the caller how it stands. */
  #limit(caller: ApiKey | Failure, { headers }: Exchange, now: number): Failure | undefined {
    if (!this.#limiter || caller instanceof Failure) return undefined;
    const verdict = this.#limiter.take(caller.id, now);
    Object.assign(headers, verdict.headers);
    const { retryAfterSeconds } = verdict;
    return retryAfterSeconds > 0
      ? new Failure("rate_limited", { ...this.#limiter.limit, retryAfterSeconds })
      : undefined;
  }

  /** What a client is told of an exception; the log gets the exception itself. */
  #failureOf(error: unknown, exchange: Exchange): Failure {
    const { request, requestId } = exchange;
    // The client has gone in the middle of its body: there is nobody to answer and nothing to mend.
    exchange.abandoned = request.signal.aborted;
    if (exchange.abandoned) return new Failure("internal_error", {});
    if (error instanceof StoreFailure) {
      this.#options.emit({ event: "store_failed", requestId, error });
      return new Failure(error.code, {});
    }
    this.#options.emit({ event: "request_failed", requestId, error });
    return new Failure(isOutOfDescriptors(error) ? "overloaded" : "internal_error", {});
  }
}

/** Whoever restarts what is not alive must not be turned away by load. */
function isLiveness({ raw }: Exchange): boolean {
  return splitTarget(raw).path === "/livez";
}

function isBelowBase(path: string): boolean {
  return path === BASE_PATH || path.startsWith(`${BASE_PATH}/`);
}

function refusalOf(caller: ApiKey | Failure, route: Route | Failure, now: number): Failure | undefined {
  if (caller instanceof Failure) return caller;
  if (route instanceof Failure) return route;
  const { deprecation, scope } = route.operation;
  if (deprecation && now >= deprecation.sunset.getTime()) {
    return new Failure("operation_removed", { removedOn: deprecation.sunset, instead: deprecation.instead });
  }
  if (!caller.scopes.includes(scope)) return new Failure("insufficient_scope", { scope });
  return undefined;
}
