import type { ApiKey } from "../domain/api-key.ts";
import { Cursors } from "../domain/cursor.ts";
import type { EventSink } from "../domain/event.ts";
import { Failure, StoreFailure } from "../domain/failure.ts";
import type { AnsweredRequest, RequestObserver } from "../domain/observation.ts";
import { KeysChanged, type Store } from "../domain/store.ts";
import type { Answer, Operation } from "../operations/operation.ts";
import { answerResponse, withDeprecation } from "./answer-response.ts";
import { Authenticator, type Remembered } from "./authenticate.ts";
import { BoundedCache } from "./bounded-cache.ts";
import { type Connections, clientAddress } from "./client-address.ts";
import { type AllowedOrigins, Cors } from "./cors.ts";
import { failureResponse } from "./failure-response.ts";
import { guardedStore } from "./guarded-store.ts";
import { isAcceptableHost } from "./host.ts";
import { negotiate } from "./negotiate.ts";
import type { PublicPages } from "./public-pages.ts";
import { type RateLimit, RateLimiter } from "./rate-limit.ts";
import type { RateMemory } from "./rate-memory.ts";
import { readBody } from "./read-body.ts";
import { readParameters } from "./read-parameters.ts";
import type { Rendered } from "./rendered.ts";
import { requestIdOf } from "./request-id.ts";
import { responseOf } from "./response.ts";
import { BASE_PATH, type Found, type Route, Routes } from "./routes.ts";
import { rawTarget, splitTarget, type Target } from "./target.ts";

export interface HandlerOptions {
  readonly operations: readonly Operation[];
  readonly pages: PublicPages;
  readonly store: Store;
  readonly cursorSecret: Uint8Array;
  readonly allowedOrigins: AllowedOrigins;
  readonly rateLimit: RateLimit | undefined;
  /** Where requests are counted; left out, in this process alone. */
  readonly rateMemory?: RateMemory | undefined;
  readonly trustProxy: boolean;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly emit: EventSink;
  /** Who is told of every request, if anyone. */
  readonly observer: RequestObserver | undefined;
}

/** A request on its way, with the headers that its answer will carry whatever becomes of it. */
interface Exchange {
  readonly request: Request;
  readonly requestId: string;
  /** Path and query, as they came. */
  readonly raw: string;
  readonly target: Target;
  readonly headers: Record<string, string>;
  /** Below the base path, once it is known. */
  found: Found | undefined;
  caller: ApiKey | Failure<"unauthorized"> | undefined;
  /** Whether the answer is one that was kept. */
  kept: boolean;
  /** Whether the client went away in the middle of its body. */
  abandoned: boolean;
}

/** An answer that holds while the stock's revision stands, with where it was found. */
interface Kept {
  readonly found: Found;
  readonly rendered: Rendered;
  readonly asOf: number;
}

/** What an operation takes of a request. */
interface Input {
  readonly body: unknown;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Work that was begun before its caller's key was looked at. */
interface Early {
  readonly caller: ApiKey;
  readonly input: Input | Failure | Promise<Input | Failure>;
  readonly outcome: Promise<Answer | Failure | "keys_changed">;
}

/** Over how many of them it is reckoned whether kept pages are mostly outdated. */
const OUTDATED_OVER = 16;

/** Rendered answers kept at once, in bytes; half of it for what is compressed of them. */
const KEPT_MAX_BYTES = 16 * 1024 * 1024;

/** The life of every request. */
export class Handler {
  readonly #options: HandlerOptions;
  readonly #routes: Routes;
  readonly #authenticator: Authenticator;
  readonly #limiter: RateLimiter | undefined;
  readonly #cors: Cors;
  readonly #cursors: Cursors;
  readonly #kept = new BoundedCache<Kept>(KEPT_MAX_BYTES);
  /** How large a part of the kept pages that are asked for is outdated, of late. */
  #outdated = 0;

  constructor(options: HandlerOptions) {
    this.#options = options;
    this.#routes = new Routes(options.operations);
    this.#authenticator = new Authenticator(options.store);
    this.#limiter = options.rateLimit && new RateLimiter(options.rateLimit, options.rateMemory);
    this.#cors = new Cors(options.allowedOrigins);
    this.#cursors = new Cursors(options.cursorSecret);
  }

  /** Answers a request: with what was asked, or with a failure. It neither throws nor rejects. */
  handle(request: Request, connections: Connections): Response | Promise<Response> {
    const { observer } = this.#options;
    if (!observer?.around) return this.#handle(request, connections);
    const traceparent = request.headers.get("traceparent");
    const tracestate = request.headers.get("tracestate");
    return observer.around({ traceparent, tracestate }, () => this.#handle(request, connections));
  }

  #handle(request: Request, connections: Connections): Response | Promise<Response> {
    const { observer } = this.#options;
    const started = observer ? performance.now() : 0;
    const exchange = this.#begin(request);
    const respond = (answer: Rendered) => {
      const rendered = negotiate(request, answer);
      observer?.answered(this.#answered(exchange, rendered, connections, started));
      return responseOf(rendered, exchange.headers);
    };
    // What is there already is sent at once: to wait, even for nothing, costs a tenth of a request.
    const ready = this.#repeat(exchange);
    return ready ? respond(ready) : this.#render(exchange).then(respond);
  }

  #begin(request: Request): Exchange {
    const requestId = requestIdOf(request.headers.get("x-request-id"));
    const origin = request.headers.get("origin");
    const raw = rawTarget(request.url);
    const headers: Record<string, string> = { "X-Request-Id": requestId };
    if (origin !== null) Object.assign(headers, this.#cors.headersFor(origin));
    // The runtime adds it to every answer but these.
    if (request.method === "HEAD") headers.Date = new Date(this.#options.clock()).toUTCString();
    return {
      request,
      requestId,
      raw,
      target: splitTarget(raw),
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
    if (revision instanceof Promise || kept.asOf < revision.stock) return undefined;
    const now = this.#options.clock();
    const caller = this.#authenticator.recall(request.headers.get("authorization"), revision.keys, now);
    if (!caller) return undefined;
    exchange.found = kept.found;
    exchange.caller = caller;
    const refusal = this.#refuse(caller, kept.found, exchange, now);
    exchange.kept = !refusal;
    return refusal ?? kept.rendered;
  }

  async #render(exchange: Exchange): Promise<Rendered> {
    const { request, target, headers } = exchange;
    if (!isAcceptableHost(request.headers.get("host"))) {
      headers.Connection = "close";
      return failureResponse(new Failure("invalid_host", {}));
    }
    const preflight = this.#cors.preflight(request);
    if (preflight) return preflight;
    if (isBelowBase(target.path)) return this.#answer(exchange);
    try {
      return await this.#options.pages.answer(request.method, target.path);
    } catch (error) {
      return failureResponse(this.#failureOf(error, exchange));
    }
  }

  /** Authentication comes first, then the target, then what the operation needs, then its work. */
  async #answer(exchange: Exchange): Promise<Rendered> {
    const { request, raw, target } = exchange;
    const { store } = this.#options;
    const now = this.#options.clock();
    const kept = isRead(request) ? this.#kept.get(raw) : undefined;
    const found = kept?.found ?? this.#routes.find(request.method, target);
    exchange.found = found;
    try {
      const authorization = request.headers.get("authorization");
      const asked = store.revision();
      const early = asked instanceof Promise ? this.#goAhead(exchange, found, kept, now) : undefined;
      let judged = this.#authenticator.authenticate(authorization, asked, now);
      judged.catch(() => {});
      const written = early && !isRead(request) ? await early.outcome : undefined;
      // The store has looked at the keys itself when it stored this.
      if (written && !(written instanceof Failure) && written !== "keys_changed") {
        exchange.caller = early?.caller;
        return answerResponse(found.route as Route, written);
      }
      let revision = asked;
      if (written === "keys_changed") {
        revision = store.revision();
        judged = this.#authenticator.authenticate(authorization, revision, now);
      }
      const caller = await judged;
      exchange.caller = caller;
      const refusal = this.#refuse(caller, found, exchange, now);
      if (refusal) return refusal;
      const { stock } = revision instanceof Promise ? await revision : revision;
      exchange.kept = kept !== undefined && kept.asOf >= stock;
      if (kept) this.#outdated += ((exchange.kept ? 0 : 1) - this.#outdated) / OUTDATED_OVER;
      if (kept && exchange.kept) return kept.rendered;
      const route = found.route as Route;
      const outcome =
        written instanceof Failure
          ? written
          : early && isRead(request)
            ? await early.outcome
            : await this.#run(route, caller as ApiKey, await (early?.input ?? this.#read(request, route)));
      const rendered = withDeprecation(
        route.operation,
        outcome instanceof Failure ? failureResponse(outcome) : answerResponse(route, outcome as Answer),
      );
      if (isRead(request) && rendered.status === 200) this.#keep(raw, { found, rendered, asOf: stock });
      return rendered;
    } catch (error) {
      return withDeprecation(found.operation, failureResponse(this.#failureOf(error, exchange)));
    }
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
    if (isRead(request) ? kept && this.#outdated < 0.5 : this.#limiter) return undefined;
    const input = this.#read(request, route);
    const outcome = this.#runEarly(route, presumed, input);
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
    if (!this.#limiter) return undefined;
    Object.assign(headers, this.#limiter.policy);
    if (caller instanceof Failure) return undefined;
    const verdict = this.#limiter.take(caller.id, now);
    Object.assign(headers, verdict.headers);
    const { retryAfterSeconds } = verdict;
    return retryAfterSeconds > 0
      ? new Failure("rate_limited", { ...this.#limiter.limit, retryAfterSeconds })
      : undefined;
  }

  async #runEarly(
    route: Route,
    { key, asOf }: Remembered,
    input: Input | Failure | Promise<Input | Failure>,
  ): Promise<Answer | Failure | "keys_changed"> {
    try {
      return await this.#run(route, key, input instanceof Promise ? await input : input, asOf);
    } catch (error) {
      if (error instanceof KeysChanged) return "keys_changed";
      throw error;
    }
  }

  /** What the operation needs of a request: its body first, then its parameters. */
  #read(request: Request, route: Route): Input | Failure | Promise<Input | Failure> {
    const { body } = route.operation;
    const withBody = (body: unknown): Input | Failure => {
      if (body instanceof Failure) return body;
      const parameters = readParameters(route, request.headers);
      return parameters instanceof Failure ? parameters : { body, parameters };
    };
    return body ? readBody(request, body.schema).then(withBody) : withBody(undefined);
  }

  /** @param keysAsOf the revision of the keys that the caller's was good at, where the store is to see to it */
  async #run(
    { operation }: Route,
    caller: ApiKey,
    input: Input | Failure,
    keysAsOf?: number,
  ): Promise<Answer | Failure> {
    if (input instanceof Failure) return input;
    const { store } = this.#options;
    const context = {
      store: keysAsOf === undefined ? store : guardedStore(store, keysAsOf),
      cursors: this.#cursors,
    };
    return operation.run(context, { caller, ...input });
  }

  #keep(raw: string, kept: Kept): void {
    // Its key and headers count too, roughly.
    this.#kept.set(raw, kept, raw.length + 1000 + 2 * (kept.rendered.body?.length ?? 0));
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
    return new Failure("internal_error", {});
  }

  #answered(
    { request, requestId, target, found, caller, kept, abandoned }: Exchange,
    { status, failure }: Rendered,
    connections: Connections,
    started: number,
  ): AnsweredRequest {
    const { pages, trustProxy } = this.#options;
    const operation = found?.operation;
    const { refusal, keyId } =
      caller instanceof Failure ? caller.detail : { refusal: undefined, keyId: caller?.id };
    return {
      requestId,
      method: request.method,
      path: target.path,
      route: operation ? BASE_PATH + operation.path : pages.has(target.path) ? target.path : undefined,
      operation: operation?.id,
      status,
      failure: failure?.code,
      keyRefusal: refusal,
      keyId,
      kept: isRead(request) && found?.operation && status < 400 ? kept : undefined,
      abandoned,
      microseconds: (performance.now() - started) * 1000,
      get client() {
        return clientAddress(request, connections, trustProxy);
      },
    };
  }
}

function isBelowBase(path: string): boolean {
  return path === BASE_PATH || path.startsWith(`${BASE_PATH}/`);
}

function isRead({ method }: Request): boolean {
  return method === "GET" || method === "HEAD";
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
