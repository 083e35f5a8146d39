import { Failure } from "../../domain/failure.ts";
import type { AnsweredRequest, RequestObserver } from "../../domain/observation.ts";
import type { EventHub } from "../events/event-hub.ts";
import type { Exchange } from "../exchange.ts";
import type { PublicPages } from "../pages/public-pages.ts";
import { clientAddress } from "../request/client-address.ts";
import { splitTarget } from "../request/target.ts";
import { BASE_PATH } from "../routes.ts";
import { failureResponse } from "./failure-response.ts";
import { negotiate } from "./negotiate.ts";
import type { Rendered } from "./rendered.ts";
import { responseOf } from "./response.ts";
import { UnreadLimit } from "./unread.ts";

export interface ResponderOptions {
  readonly pages: PublicPages;
  readonly hub: EventHub;
  readonly trustProxy: boolean;
  readonly keepAliveSeconds: number;
  /** Observes every request, if present. */
  readonly observer: RequestObserver | undefined;
}

/** The refusal of requests and responses for which there is no room. */
export const overloaded = new Failure("overloaded", {});

/** The end of every request's life: sends its response and notifies the observers. */
export class Responder {
  readonly #options: ResponderOptions;
  readonly #unreadLimit = new UnreadLimit();
  /** Requests without a response yet. The rest of the requests in progress are responses that clients have not read. */
  #waiting = 0;

  constructor(options: ResponderOptions) {
    this.#options = options;
  }

  /** Returns a promise of the response, for the runtime. */
  later(exchange: Exchange): Promise<Response> {
    this.#waiting++;
    return exchange.later();
  }

  respond(exchange: Exchange, answer: Rendered): void {
    const { request, caller, connections } = exchange;
    const { observer, trustProxy, keepAliveSeconds, hub } = this.#options;
    if (exchange.isWaiting) this.#waiting--;
    exchange.isWaiting = false;
    let rendered = negotiate(request, answer);
    // The response of a create is small, and is always sent: the animal is stored.
    const unread = connections.pendingRequests - this.#waiting - hub.count;
    if (exchange.isRead && this.#unreadLimit.refuses(rendered, unread)) {
      // A closed connection makes room.
      exchange.headers.Connection = "close";
      rendered = failureResponse(overloaded, exchange.match?.operation);
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
    const { request, requestId, match, caller, connections } = exchange;
    const { pages, trustProxy } = this.#options;
    const { path } = splitTarget(exchange.target);
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
