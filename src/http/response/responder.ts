import { Failure, StoreFailure } from "../../domain/failure.ts";
import type { AnsweredRequest } from "../../domain/observation.ts";
import { isOutOfDescriptors } from "../descriptors.ts";
import type { Exchange } from "../exchange.ts";
import type { HandlerOptions } from "../options.ts";
import { clientAddress } from "../request/client-address.ts";
import { BASE_PATH } from "../routes.ts";
import { failureResponse, overloaded } from "./failure-response.ts";
import { negotiate } from "./negotiate.ts";
import type { Rendered } from "./rendered.ts";
import { responseOf } from "./response.ts";
import { UnreadLimit } from "./unread.ts";

/** The end of every request's life: sends its response and notifies the observers. */
export class Responder {
  readonly #options: HandlerOptions;
  readonly #unreadLimit = new UnreadLimit();
  /** Requests without a response yet. The rest of the requests in progress are responses that clients have not read. */
  #waiting = 0;

  constructor(options: HandlerOptions) {
    this.#options = options;
  }

  /** Returns a promise of the response, for the runtime. */
  later(exchange: Exchange): Promise<Response> {
    this.#waiting++;
    return exchange.later();
  }

  /** Responds to a request whose step threw an exception, and reports the exception to the log. */
  fail(exchange: Exchange, error: unknown): void {
    const { request, requestId } = exchange;
    const { emit } = this.#options;
    // A client that left in the middle of its body gets no response, and nothing needs repair.
    exchange.isAbandoned = request.signal.aborted;
    if (exchange.isAbandoned) this.send(exchange, new Failure("internal_error", {}));
    else if (error instanceof StoreFailure) {
      emit({ event: "store_failed", requestId, error });
      this.send(exchange, new Failure(error.code, {}));
    } else {
      emit({ event: "request_failed", requestId, error });
      this.send(exchange, isOutOfDescriptors(error) ? overloaded : new Failure("internal_error", {}));
    }
  }

  send(exchange: Exchange, outcome: Rendered | Failure): void {
    const { request, caller, connections, match } = exchange;
    const { observer, trustProxy, keepAliveSeconds, hub } = this.#options;
    const answer = outcome instanceof Failure ? failureResponse(outcome, match?.operation) : outcome;
    if (exchange.isWaiting) this.#waiting--;
    exchange.isWaiting = false;
    let rendered = negotiate(request, answer);
    // The response of a create is small, and is always sent: the animal is stored.
    const unread = connections.pendingRequests - this.#waiting - hub.count;
    if (exchange.isRead && this.#unreadLimit.refuses(rendered, unread)) {
      // A closed connection makes room.
      exchange.headers.Connection = "close";
      rendered = failureResponse(overloaded, match?.operation);
    }
    // The runtime begins each request with its own idle time. A proxy's connection carries requests of many clients, and
    // after a preflight or a wrong key the proxy still pools it.
    if (rendered.body instanceof ReadableStream) connections.timeout(request, 0);
    else if (trustProxy || (caller && !(caller instanceof Failure)))
      connections.timeout(request, keepAliveSeconds);
    const response = responseOf(rendered, exchange.requestId, exchange.headers);
    if (observer) observer.answered(this.#describe(exchange, rendered));
    exchange.respond(response);
  }

  #describe(exchange: Exchange, { status, failure }: Rendered): AnsweredRequest {
    const { request, requestId, path, match, caller, connections } = exchange;
    const { pages, trustProxy } = this.#options;
    const operation = match?.operation;
    const { refusal, keyId } =
      caller instanceof Failure ? caller.detail : { refusal: undefined, keyId: caller?.id };
    return {
      requestId,
      method: request.method,
      path,
      route: operation ? BASE_PATH + operation.path : pages.routeOf(path),
      operation: operation?.id,
      status,
      failure: failure?.code,
      keyRefusal: refusal,
      keyId,
      cacheHit: exchange.isRead && operation && status < 400 ? exchange.isCacheHit : undefined,
      abandoned: exchange.isAbandoned,
      microseconds: (performance.now() - exchange.started) * 1000,
      get client() {
        return clientAddress(request, connections, trustProxy);
      },
    };
  }
}
