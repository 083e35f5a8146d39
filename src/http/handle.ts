import type { ApiKey } from "../domain/api-key.ts";
import { Cursors } from "../domain/cursor.ts";
import type { EventSink } from "../domain/event.ts";
import { Failure, StoreFailure } from "../domain/failure.ts";
import type { Store } from "../domain/store.ts";
import type { Answer, Operation } from "../operations/operation.ts";
import { answerResponse, withDeprecation } from "./answer-response.ts";
import { Authenticator } from "./authenticate.ts";
import { failureResponse } from "./failure-response.ts";
import { FreshCache } from "./fresh-cache.ts";
import type { PublicPages } from "./public-pages.ts";
import { readBody } from "./read-body.ts";
import { readParameters } from "./read-parameters.ts";
import type { Rendered } from "./rendered.ts";
import { requestIdOf } from "./request-id.ts";
import { BASE_PATH, type Found, type Route, Routes } from "./routes.ts";
import { rawTarget, splitTarget, type Target } from "./target.ts";

export interface HandlerOptions {
  readonly operations: readonly Operation[];
  readonly pages: PublicPages;
  readonly store: Store;
  readonly cursorSecret: Uint8Array;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly emit: EventSink;
  /** Whether to tell of every request. */
  readonly observeRequests: boolean;
}

/** An answer that holds until the store changes, with where it was found. */
interface Kept {
  readonly found: Found;
  readonly rendered: Rendered;
}

/** Rendered answers kept at once, in bytes. */
const KEPT_MAX_BYTES = 16 * 1024 * 1024;

/** The life of every request. */
export class Handler {
  readonly #options: HandlerOptions;
  readonly #routes: Routes;
  readonly #authenticator: Authenticator;
  readonly #cursors: Cursors;
  readonly #kept: FreshCache<Kept>;

  constructor(options: HandlerOptions) {
    this.#options = options;
    this.#routes = new Routes(options.operations);
    this.#authenticator = new Authenticator(options.store);
    this.#cursors = new Cursors(options.cursorSecret);
    this.#kept = new FreshCache(() => options.store.revision(), KEPT_MAX_BYTES);
  }

  /** Answers a request: with what was asked, or with a failure. It never rejects. */
  async handle(request: Request): Promise<Response> {
    const started = this.#options.observeRequests ? performance.now() : 0;
    const requestId = requestIdOf(request.headers.get("x-request-id"));
    const raw = rawTarget(request.url);
    const target = splitTarget(raw);
    const { status, headers, body } = isBelowBase(target.path)
      ? await this.#answer(request, requestId, raw, target)
      : await this.#options.pages.answer(request.method, target.path);
    if (this.#options.observeRequests) {
      const microseconds = Math.round((performance.now() - started) * 1000);
      const { method } = request;
      this.#options.emit({
        event: "request_answered",
        requestId,
        method,
        path: target.path,
        status,
        microseconds,
      });
    }
    return new Response(body, {
      status,
      headers: { ...headers, "X-Request-Id": requestId, "X-Content-Type-Options": "nosniff" },
    });
  }

  /** Authentication comes first, then the target, then what the operation needs, then its work. */
  async #answer(request: Request, requestId: string, raw: string, target: Target): Promise<Rendered> {
    const reads = request.method === "GET" || request.method === "HEAD";
    const now = this.#options.clock();
    const kept = reads ? this.#kept.get(raw) : undefined;
    const found = kept?.found ?? this.#routes.find(request.method, target);
    try {
      const caller = await this.#authenticator.authenticate(request.headers.get("authorization"), now);
      const refusal = refuse(caller, found.route, now);
      if (refusal) return withDeprecation(found.operation, failureResponse(refusal));
      if (kept) return kept.rendered;
      const asOf = this.#kept.asOf();
      const outcome = await this.#perform(request, found.route as Route);
      const rendered = withDeprecation(
        found.operation,
        outcome instanceof Failure ? failureResponse(outcome) : answerResponse(found.route as Route, outcome),
      );
      if (reads && rendered.status === 200)
        this.#kept.set(raw, { found, rendered }, asOf, rendered.body.length);
      return rendered;
    } catch (error) {
      return withDeprecation(found.operation, failureResponse(this.#failureOf(error, request, requestId)));
    }
  }

  async #perform(request: Request, route: Route): Promise<Answer | Failure> {
    const parameters = readParameters(route);
    if (parameters instanceof Failure) return parameters;
    const body = route.operation.body && (await readBody(request, route.operation.body.schema));
    if (body instanceof Failure) return body;
    const context = { store: this.#options.store, cursors: this.#cursors };
    return route.operation.run(context, { parameters, body });
  }

  /** What a client is told of an exception; the log gets the exception itself. */
  #failureOf(error: unknown, request: Request, requestId: string): Failure {
    // The client has gone in the middle of its body: there is nobody to answer and nothing to mend.
    if (request.signal.aborted) return new Failure("internal_error", {});
    if (error instanceof StoreFailure) {
      this.#options.emit({ event: "store_failed", requestId, error });
      return new Failure(error.code, {});
    }
    this.#options.emit({ event: "request_failed", requestId, error });
    return new Failure("internal_error", {});
  }
}

function isBelowBase(path: string): boolean {
  return path === BASE_PATH || path.startsWith(`${BASE_PATH}/`);
}

/** Why a caller is not served on a route, if so, in the order in which clients are told. */
function refuse(caller: ApiKey | Failure, route: Route | Failure, now: number): Failure | undefined {
  if (caller instanceof Failure) return caller;
  if (route instanceof Failure) return route;
  const { deprecation, scope } = route.operation;
  if (deprecation && now >= deprecation.sunset.getTime()) {
    return new Failure("operation_removed", { removedOn: deprecation.sunset, instead: deprecation.instead });
  }
  if (!caller.scopes.includes(scope)) return new Failure("insufficient_scope", { scope });
  return undefined;
}
