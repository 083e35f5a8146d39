import type { Environment } from "../domain/environment.ts";
import type { EventSink } from "../domain/event.ts";
import { StoreFailure } from "../domain/failure.ts";
import type { RequestObserver, StreamCounts } from "../domain/observation.ts";
import type { Store } from "../domain/store.ts";
import type { Operation } from "../operations/operation.ts";
import { addressOf, ownServer } from "./address.ts";
import { type Barrier, BunServers, type Endpoint, type Handle, type Tls } from "./bun-servers.ts";
import type { AllowedOrigins } from "./cors.ts";
import { DescriptorWatch } from "./descriptors.ts";
import { EventHub } from "./events/event-hub.ts";
import { Handler } from "./handler.ts";
import { openApiDocument, type ServerAddress } from "./openapi/document.ts";
import { failureCodesOf } from "./openapi/failure-codes.ts";
import { openApiYaml } from "./openapi/yaml.ts";
import { madeOnce } from "./pages/made-once.ts";
import { live, PublicPages, ready } from "./pages/public-pages.ts";
import { Readiness } from "./pages/readiness.ts";
import { SitePages } from "./pages/site-page.ts";
import type { RateLimit } from "./rate-limit/rate-limit.ts";
import type { RateLimitStore } from "./rate-limit/rate-limit-store.ts";
import { text, toLast } from "./response/rendered.ts";

export interface ServerOptions extends Endpoint {
  readonly operations: readonly Operation[];
  readonly store: Store;
  readonly environment: Environment;
  /** The addresses that the document names; if empty, this service's own. */
  readonly servers: readonly ServerAddress[];
  readonly allowedOrigins: AllowedOrigins;
  /** Request headers that pages may send beside those of the operations. */
  readonly allowedHeaders?: readonly string[] | undefined;
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
  /** Stands between the runtime and the handler, if present. */
  readonly layer?: ((next: Handle) => Handle) | undefined;
}

export interface RunningServer {
  /** Where it can be called from this machine, with no path: `http://127.0.0.1:8080`. */
  readonly address: string;
  readonly port: number;
  /** Whether it can serve requests, as `/readyz` says. */
  isReady(): Promise<boolean>;
  streams(): StreamCounts;
  /**
   * Serves new connections with another certificate, and resolves when no new connection gets the former one. An open
   * connection keeps the former certificate until it ends with its next response.
   *
   * @throws the runtime's error if the certificate cannot be used; then the former one stays in force
   */
  replaceTls(tls: Tls, barrier?: Barrier): Promise<void>;
  /** Stops accepting, finishes open requests and closes connections; after this many seconds it cuts off the rest. */
  stop(seconds: number, barrier?: Barrier): Promise<void>;
}

/** Some proxies close a connection that is silent for 30 s. */
const HEARTBEAT_MS = 15_000;

/** @throws the runtime's error, with a `code` such as EADDRINUSE, when it cannot listen */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { operations, store } = options;
  const readiness = new Readiness(store, options.emit);
  const pages = new PublicPages(
    {
      "/livez": live,
      "/readyz": ready(() => readiness.missing()),
      "/healthz": ready(() => readiness.missing()),
      "/openapi.json": madeOnce(async () => toLast(text("application/json", openApi()))),
      "/openapi.yaml": madeOnce(async () => toLast(text("application/yaml", await openApiYaml(openApi())))),
    },
    new SitePages(openApi, failureCodesOf(operations), options.environment),
  );
  const emit: EventSink = (event) => {
    const isOfStore = event.event === "store_failed" || event.event === "feed_failed";
    if (isOfStore && isUnavailable(event.error)) readiness.doubt();
    options.emit(event);
  };
  const hub = new EventHub({
    store,
    clock: options.clock,
    emit,
    streamsMax: options.maxStreams,
    heartbeatMs: options.heartbeatMs ?? HEARTBEAT_MS,
    observer: options.observer,
  });
  const handler = new Handler({
    ...options,
    emit,
    hub,
    isTls: options.tls !== undefined,
    pages,
    cursorSecret: await store.cursorSecret(),
  });
  const bunServers = new BunServers(options, layered(handler, options.layer));
  const descriptors = new DescriptorWatch(emit);
  const { port } = bunServers;
  const address = addressOf(options.host, port, options.tls !== undefined);
  const servers =
    options.servers.length > 0 ? options.servers : [ownServer(options.host, address, options.environment)];

  /** The document names the port, so it can be made only once the service listens. */
  function openApi(): string {
    return openApiDocument(operations, servers);
  }

  return {
    address,
    isReady: async () => (await readiness.missing()) === undefined,
    streams: () => hub.counts,
    port,
    async replaceTls(tls, barrier = async () => {}) {
      await bunServers.replaceTls(tls, barrier, () => hub.endAll("certificate_replaced"));
    },
    async stop(seconds, barrier = async () => {}) {
      readiness.stop();
      descriptors.stop();
      hub.close();
      await bunServers.stop(seconds, barrier);
    },
  };
}

function layered(handler: Handler, layer: ServerOptions["layer"]): Handle {
  const handle = handler.handle.bind(handler);
  return layer ? layer(handle) : handle;
}

/** Whether the store itself fails, rather than being too busy. */
function isUnavailable(error: unknown): boolean {
  return error instanceof StoreFailure && error.code === "store_unavailable";
}
