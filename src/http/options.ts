import type { ControlInterface } from "../../web/contract.ts";
import type { Environment } from "../domain/environment.ts";
import type { EventSink } from "../domain/event.ts";
import type { RequestObserver } from "../domain/observation.ts";
import type { Store } from "../domain/store.ts";
import type { Feed } from "../feed/feed.ts";
import type { Operation } from "../operations/operation.ts";
import type { EventHub } from "./events/event-hub.ts";
import type { KeyUses } from "./key-uses.ts";
import type { ServerAddress } from "./openapi/document.ts";
import type { PublicPages } from "./pages/public-pages.ts";
import type { RateLimit } from "./rate-limit/rate-limit.ts";
import type { RateLimitStore } from "./rate-limit/rate-limit-store.ts";
import type { AllowedOrigins, OtherHeaders } from "./response/cors.ts";
import type { HttpResponse } from "./response/http-response.ts";
import type { Endpoint, Tls } from "./runtime/bun-servers.ts";
import type { Connections } from "./runtime/connections.ts";

export interface ServerOptions extends ServiceOptions, Endpoint {
  /** The addresses that the document names; if empty, this service's own. */
  readonly servers: readonly ServerAddress[];
}

/** What serving a store needs, wherever it listens. */
export interface ServiceOptions {
  readonly operations: readonly Operation[];
  readonly store: Store;
  /** Which store it is, for `/readyz`; left out where stores have no identity. */
  readonly storeIdentity?: string | undefined;
  /** Only keys of this environment are valid. */
  readonly environment: Environment;
  readonly tls?: Tls | undefined;
  readonly allowedOrigins: AllowedOrigins;
  /** What pages of other origins may send and read, beside what every service lets them. */
  readonly otherHeaders?: OtherHeaders | undefined;
  readonly rateLimit: RateLimit | undefined;
  /** Counts the requests of each key; by default, of this process alone. */
  readonly rateLimitStore?: RateLimitStore | undefined;
  /** Whether a proxy sends us a trustworthy `X-Forwarded-For`. */
  readonly trustProxy: boolean;
  /** The most requests in progress in this process, unread responses included; further ones are refused. */
  readonly maxRequests: number;
  /** The most event streams that may be open at once in this process. */
  readonly maxStreams: number;
  /** How often an open stream gets a comment; left out, every 15 s. */
  readonly heartbeatMs?: number | undefined;
  /**
   * How long a connection may be idle after a request with a valid key, with `trustProxy` after any request; otherwise
   * 12 s.
   */
  readonly keepAliveSeconds: number;
  /** How long browsers must use only https (RFC 6797); if `undefined`, they are not told. */
  readonly hstsSeconds: number | undefined;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly emit: EventSink;
  /** Observes every request, if present. */
  readonly observer: RequestObserver | undefined;
  readonly interceptor?: Interceptor | undefined;
  /** Of a sandbox, for its pages. */
  readonly control?: ControlInterface | undefined;
}

/** Sees the bodies of requests, and the responses. It knows a request by the connections with which it came. */
export interface Interceptor {
  /** Called with the body of a request that an operation reads. */
  readonly received: (connections: Connections, body: Uint8Array) => void;
  /** Returns the response to send, which is compressed after this. */
  readonly respond: (connections: Connections, response: HttpResponse) => HttpResponse;
  /** Called with the response as it leaves. @param own the headers that belong to this response alone */
  readonly sent: (
    connections: Connections,
    response: HttpResponse,
    requestId: string,
    own: Readonly<Record<string, string>>,
  ) => void;
}

/** What handling requests needs beside the options of the service. */
export interface HandlerOptions extends ServiceOptions {
  readonly feed: Feed;
  readonly hub: EventHub;
  readonly keyUses: KeyUses;
  readonly pages: PublicPages;
  readonly cursorSecret: Uint8Array;
}
