import { Failure, StoreFailure } from "../domain/failure.ts";
import type { ObservationSink } from "../observations/observation.ts";
import type { AnsweredRequest, RequestObserver } from "../observations/request-observer.ts";
import type { Call } from "./call.ts";
import type { EventHub } from "./events/event-hub.ts";
import type { PublicPages } from "./pages/public-pages.ts";
import { clientAddress } from "./request/client-address.ts";
import { BASE_PATH } from "./request/routes.ts";
import type { HttpResponse } from "./response/http-response.ts";
import { negotiate } from "./response/negotiate.ts";
import { overloaded, renderFailure } from "./response/render.ts";
import { toRuntime } from "./response/to-runtime.ts";
import { UnreadLimit } from "./response/unread.ts";
import { isOutOfDescriptors } from "./runtime/descriptors.ts";

interface ResponderOptions {
  readonly observer: RequestObserver | undefined;
  readonly emit: ObservationSink;
  /** Knows the names of pages in metrics. */
  readonly pages: Pick<PublicPages, "routeOf">;
  /** Knows how many streams are open. */
  readonly hub: Pick<EventHub, "streams">;
  /** Whether a proxy sends us a trustworthy `X-Forwarded-For`. */
  readonly trustProxy: boolean;
  /** How long a connection may be idle after a request with a valid key, with `trustProxy` after any request. */
  readonly keepAliveSeconds: number;
}

/** Makes the response to each request, and notifies the observers. */
export class Responder {
  readonly #options: ResponderOptions;
  readonly #unreadLimit = new UnreadLimit();
  /** Requests without a response yet. The rest of the requests in progress are responses that clients have not read. */
  #waiting = 0;

  constructor(options: ResponderOptions) {
    this.#options = options;
  }

  /** Responds once it is known with what. */
  async respondLater(call: Call, response: Promise<HttpResponse | Failure>): Promise<Response> {
    this.#waiting++;
    try {
      const outcome = await response;
      this.#waiting--;
      return this.respond(call, outcome);
    } catch (error) {
      this.#waiting--;
      return this.fail(call, error);
    }
  }

  /** Responds to a request, in case of doubt with a failure. */
  respond(call: Call, outcome: HttpResponse | Failure): Response {
    try {
      return this.#respond(call, outcome, false);
    } catch (error) {
      return this.fail(call, error);
    }
  }

  /** Responds to a request that met an exception, and reports the exception to the log. */
  fail(call: Call, error: unknown): Response {
    const { request, requestId } = call;
    const { emit } = this.#options;
    // A client that left in the middle of its body gets no response, and nothing needs repair.
    if (request.signal.aborted) return this.#respond(call, new Failure("internal_error", {}), true);
    if (error instanceof StoreFailure) {
      emit({ event: "store_failed", requestId, error });
      return this.#respond(call, new Failure(error.code, {}), false);
    }
    emit({ event: "request_failed", requestId, error });
    const failure = isOutOfDescriptors(error) ? overloaded : new Failure("internal_error", {});
    return this.#respond(call, failure, false);
  }

  /**
   * Makes the response, and notifies the observers.
   *
   * @param isAbandoned whether the client went away before it had sent its whole body
   */
  #respond(call: Call, outcome: HttpResponse | Failure, isAbandoned: boolean): Response {
    const { request, identified, connections, match } = call;
    const { observer, trustProxy, keepAliveSeconds } = this.#options;
    const rendered = outcome instanceof Failure ? renderFailure(outcome, match?.operation) : outcome;
    // The response to a write is small, and is always sent: what it reports is stored.
    const response = call.isRead ? this.#negotiate(call, rendered) : rendered;
    // The runtime begins each request with its own idle time. A proxy's connection carries requests of many clients, and
    // after a preflight or a wrong key the proxy still pools it.
    if (response.body instanceof ReadableStream) connections.timeout(request, 0);
    else if (trustProxy || (identified && !(identified instanceof Failure)))
      connections.timeout(request, keepAliveSeconds);
    const sent = toRuntime(response, call.requestId, call.headers);
    if (observer) observer.answered(this.#describe(call, response, isAbandoned));
    return sent;
  }

  /** The response to a request that reads, as its client accepts it; a refusal if there is no room for it. */
  #negotiate(call: Call, rendered: HttpResponse): HttpResponse {
    const { request, connections, match } = call;
    const response = negotiate(request, rendered);
    const unread = connections.pendingRequests - this.#waiting - this.#options.hub.streams.size;
    if (!this.#unreadLimit.refuses(response, unread)) return response;
    // A closed connection makes room.
    call.headers.Connection = "close";
    return renderFailure(overloaded, match?.operation);
  }

  #describe(call: Call, { status, failure }: HttpResponse, isAbandoned: boolean): AnsweredRequest {
    const { request, method, requestId, path, match, identified, connections } = call;
    const { pages, trustProxy } = this.#options;
    const operation = match?.operation;
    const { refusal, keyId } =
      identified instanceof Failure ? identified.detail : { refusal: undefined, keyId: identified?.id };
    return {
      requestId,
      method,
      path,
      route: operation ? BASE_PATH + operation.path : pages.routeOf(path),
      operation: operation?.id,
      status,
      failure: failure?.code,
      keyRefusal: refusal,
      keyId,
      cacheHit: call.isRead && operation && status < 400 ? call.isCacheHit : undefined,
      abandoned: isAbandoned,
      microseconds: (performance.now() - call.started) * 1000,
      get client() {
        return clientAddress(request, connections, trustProxy);
      },
    };
  }
}
