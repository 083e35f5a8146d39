import { within } from "../async/within.ts";
import type { Environment } from "../domain/environment.ts";
import type { EventSink } from "../domain/event.ts";
import { StoreFailure } from "../domain/failure.ts";
import type { MaybePromise } from "../domain/maybe-promise.ts";
import type { RequestObserver, StreamCounts } from "../domain/observation.ts";
import type { Store } from "../domain/store.ts";
import type { Operation } from "../operations/operation.ts";
import { addressOf, ownServer } from "./address.ts";
import type { Connections } from "./connections.ts";
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

/** A certificate chain and its key, in PEM. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

export interface ServerOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Set if other processes of this service share the port: `first` in the process that listens first. */
  readonly siblings?: "first" | "others" | undefined;
  readonly tls?: Tls | undefined;
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
   * How long a connection may be idle after a request with a valid key, with `trustProxy` after any; else
   * `IDLE_TIMEOUT_SECONDS`.
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

/** Answers a request. */
export type Handle = (request: Request, connections: Connections) => MaybePromise<Response>;

type BunServer = Bun.Server<undefined>;

/** Resolves when all processes that share the port have reached the same point. */
type Barrier = () => Promise<void>;

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

/**
 * The ciphers for clients that know only TLS 1.2: forward secrecy and authenticated encryption (RFC 9325, section 4.2).
 * The runtime's default also has AES128-SHA, with CBC and without forward secrecy. TLS 1.3 leaves no choice.
 */
const TLS_1_2_CIPHERS = [
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
].join(":");

/** Our own limit on bodies is stricter; above this one the runtime sends an empty 413. */
const RUNTIME_BODY_MAX = Number.MAX_SAFE_INTEGER;
/** Some proxies close a connection that is silent for 30 s. */
const HEARTBEAT_MS = 15_000;
/** Seconds until the runtime cuts off a client that sends nothing or very slowly: longer than any response takes. */
const IDLE_TIMEOUT_SECONDS = 12;
/** Once no client has sent a request for this long, all of them are assumed to wait for a response… */
const QUIET_MS = 100;
/** …but no response is held for longer than this. */
const DRAIN_MAX_MS = 500;

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
  const handle = layered(handler, options.layer);
  let server = listen(options.port, options.tls);
  /** Servers with a former certificate that still have connections. */
  const drainingServers = new Set<BunServer>();
  const descriptors = new DescriptorWatch(emit);
  const port = server.port as number;
  const address = addressOf(options.host, port, options.tls !== undefined);
  const servers =
    options.servers.length > 0 ? options.servers : [ownServer(options.host, address, options.environment)];

  /** The document names the port, so it can be made only once the service listens. */
  function openApi(): string {
    return openApiDocument(operations, servers);
  }

  function listen(port: number, tls: Tls | undefined) {
    // Sharing a port hides that another program uses it, so first listen without sharing.
    if (options.siblings === "first" || (tls && !options.siblings)) {
      const alone = { hostname: options.host, port, reusePort: false, development: false };
      Bun.serve({ ...alone, fetch: () => new Response() }).stop(true);
    }
    return serve(port, tls);
  }

  function serve(port: number, tls: Tls | undefined) {
    return Bun.serve({
      hostname: options.host,
      port,
      ...(tls && { tls: { ...tls, ciphers: TLS_1_2_CIPHERS } }),
      // A certificate is replaced by a second server on the same port. The default would be true: the runtime shares
      // its ports with every program if `development` is false.
      reusePort: tls !== undefined || options.siblings !== undefined,
      development: false,
      idleTimeout: IDLE_TIMEOUT_SECONDS,
      maxRequestBodySize: RUNTIME_BODY_MAX,
      fetch: (request, server) =>
        endsConnection(request) ? answerLast(request, server) : handle(request, server),
    });
  }

  /** Answers, and closes the connection. */
  async function answerLast(request: Request, server: BunServer): Promise<Response> {
    const response = await handle(request, server);
    response.headers.set("Connection", "close");
    return response;
  }

  /**
   * Holds responses until every client waits for one: then a server can be stopped without losing a request. Stopping
   * cuts off connections that the runtime considers idle, also one on which a request is just arriving. Clients whose
   * responses left earlier would connect again, to a socket that is about to close.
   *
   * @returns a function that releases the responses, each of which closes its connection
   */
  async function drain(server: BunServer, maximumMs: number): Promise<() => void> {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const begun = performance.now();
    let last = begun;
    let held = 0;
    server.reload({
      async fetch(request, server) {
        last = performance.now();
        held++;
        const response = await answerLast(request, server);
        await released;
        return response;
      },
    });
    for (;;) {
      const now = performance.now();
      // Requests from before this drain are answered first: their responses do not say that the connection ends.
      const quiet = server.pendingRequests <= held && now - last >= QUIET_MS;
      if (quiet || now - begun >= maximumMs) return release;
      await Bun.sleep(QUIET_MS / 10);
    }
  }

  return {
    address,
    isReady: async () => (await readiness.missing()) === undefined,
    streams: () => hub.counts,
    port,
    async replaceTls(tls, barrier = async () => {}) {
      const former = server;
      server = serve(port, tls);
      drainingServers.add(former);
      // Streams would keep the former certificate for as long as they last.
      hub.endAll("certificate_replaced");
      const release = await drain(former, DRAIN_MAX_MS);
      await barrier();
      // The former server accepts no more connections, and ends with its last one. The kernel resets connections that
      // it has not accepted yet, before their clients have sent anything.
      void former.stop().then(() => drainingServers.delete(former));
      await barrier();
      release();
    },
    async stop(seconds, barrier = async () => {}) {
      readiness.stop();
      descriptors.stop();
      hub.close();
      const deadline = performance.now() + seconds * 1000;
      const timeLeft = () => Math.max(0, deadline - performance.now());
      const servers = [server, ...drainingServers];
      const drainMs = Math.min(DRAIN_MAX_MS, timeLeft());
      const releases = await Promise.all(servers.map((each) => drain(each, drainMs)));
      const atMost = (work: Promise<unknown>) => within(timeLeft(), work, () => {}).catch(() => {});
      // A client whose response is released connects again: by then no process may accept it just to close the connection.
      await atMost(barrier());
      const stopped = Promise.all(servers.map((each) => each.stop()));
      await atMost(barrier());
      for (const release of releases) release();
      await atMost(stopped);
      await Promise.all(servers.map((each) => each.stop(true)));
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

/** @throws the runtime's error if the certificate cannot be used */
export function tryTls(host: string, tls: Tls): void {
  Bun.serve({ hostname: host, port: 0, tls, development: false, fetch: () => new Response() }).stop(true);
}

/** Whether no other request may be read from the connection of this one. */
function endsConnection(request: Request): boolean {
  if (request.method === "GET") return false;
  // The runtime treats bytes after a CONNECT as a tunnel's. And proxies may disagree about the end of a body with two
  // lengths (RFC 9112, section 6.3); the runtime joins the lengths with a comma.
  return request.method === "CONNECT" || request.headers.get("content-length")?.includes(",") === true;
}
