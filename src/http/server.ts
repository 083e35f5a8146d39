import { within } from "../async/within.ts";
import type { Environment } from "../domain/environment.ts";
import type { EventSink } from "../domain/event.ts";
import { StoreFailure } from "../domain/failure.ts";
import type { RequestObserver } from "../domain/observation.ts";
import type { Store } from "../domain/store.ts";
import type { Operation } from "../operations/operation.ts";
import { addressOf, ownServer } from "./address.ts";
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
  /** 0 picks a free one. */
  readonly port: number;
  /** Set where other processes of this service listen on the port: `first` when this one is to be the first. */
  readonly siblings?: "first" | "others" | undefined;
  readonly tls?: Tls | undefined;
  readonly operations: readonly Operation[];
  readonly store: Store;
  readonly environment: Environment;
  /** The addresses that the document names; where there is none, this service's own. */
  readonly servers: readonly ServerAddress[];
  readonly allowedOrigins: AllowedOrigins;
  readonly rateLimit: RateLimit | undefined;
  /** Where requests are counted; left out, in this process alone. */
  readonly rateLimitStore?: RateLimitStore | undefined;
  /** Whether a proxy stands before us whose `X-Forwarded-For` can be believed. */
  readonly trustProxy: boolean;
  /** Requests in progress in this process, unread responses included; beyond it they are refused. */
  readonly maxRequests: number;
  /** Streams of events that may be open at once in this process. */
  readonly maxStreams: number;
  /**
   * How long a connection may be idle after a request with a valid key, with `trustProxy` after any; else
   * `IDLE_TIMEOUT_SECONDS`.
   */
  readonly keepAliveSeconds: number;
  /** How long browsers are to use https alone (RFC 6797); left out, they are not told. */
  readonly hstsSeconds: number | undefined;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly emit: EventSink;
  /** Who is told of every request, if anyone. */
  readonly observer: RequestObserver | undefined;
}

type BunServer = Bun.Server<undefined>;

/** Resolves when all that share the port have come to the same point. */
type Meet = () => Promise<void>;

export interface RunningServer {
  /** Where it can be called from this machine, with no path: `http://127.0.0.1:8080`. */
  readonly address: string;
  readonly port: number;
  /** Whether it takes requests: what `/readyz` says. */
  isReady(): Promise<boolean>;
  /** How many event streams are open. */
  openStreams(): number;
  /**
   * Serves new connections with another certificate, and resolves when none gets the former one any
   * more. Those that there are keep theirs for as long as they last, which is to their next answer.
   *
   * @throws the runtime's error when the certificate cannot be used; then the former stays in force
   */
  replaceTls(tls: Tls, meet?: Meet): Promise<void>;
  /** Stops accepting, finishes what was begun, lets clients go; after so many seconds it cuts the rest off. */
  stop(seconds: number, meet?: Meet): Promise<void>;
}

/**
 * What is offered to a client that knows only TLS 1.2: forward secrecy and authenticated encryption (RFC 9325, section
 * 4.2). The runtime's default has AES128-SHA too, with CBC and without forward secrecy. TLS 1.3 has nothing to choose.
 */
const TLS_1_2_CIPHERS = [
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
].join(":");

/** Our own check of bodies is stricter; what is over this, the runtime refuses with an empty 413. */
const RUNTIME_BODY_MAX = Number.MAX_SAFE_INTEGER;
/** Seconds after which the runtime cuts off a client that is silent, or drips: longer than any answer takes. */
const IDLE_TIMEOUT_SECONDS = 12;
/** Once no client has sent a request for this long, all of them are assumed to wait for a response… */
const QUIET_MS = 100;
/** …but no response is held for longer than this. */
const HOLD_MAX_MS = 500;

/** @throws the runtime's error, with a `code` such as EADDRINUSE, when it cannot listen */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { operations, store } = options;
  const readiness = new Readiness(store, options.emit);
  const pages = new PublicPages(
    {
      "/livez": live,
      "/readyz": ready(() => readiness.missing()),
      "/healthz": ready(() => readiness.missing()),
      "/openapi.json": () => document,
      "/openapi.yaml": madeOnce(async () => toLast(text("application/yaml", await openApiYaml(openApi)))),
    },
    new SitePages(() => openApi, failureCodesOf(operations), options.environment),
  );
  const emit: EventSink = (event) => {
    if (event.event === "store_failed" && isUnavailable(event.error)) readiness.doubt();
    options.emit(event);
  };
  const hub = new EventHub({ store, clock: options.clock, streamsMax: options.maxStreams });
  const handler = new Handler({
    ...options,
    emit,
    hub,
    isTls: options.tls !== undefined,
    pages,
    cursorSecret: await store.cursorSecret(),
  });
  let server = listen(options.port, options.tls);
  /** Those with a former certificate that still have connections. */
  const formers = new Set<BunServer>();
  const descriptors = new DescriptorWatch(emit);
  const port = server.port as number;
  const address = addressOf(options.host, port, options.tls !== undefined);
  const servers =
    options.servers.length > 0 ? options.servers : [ownServer(options.host, address, options.environment)];
  const openApi = openApiDocument(operations, servers);
  const document = toLast(text("application/json", openApi));

  function listen(port: number, tls: Tls | undefined) {
    // To share a port hides that another program has it, so that is found out first.
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
      // A certificate is replaced by a second server on the same port. Left out, it would be true: the
      // runtime shares its ports with everyone where `development` is false.
      reusePort: tls !== undefined || options.siblings !== undefined,
      development: false,
      idleTimeout: IDLE_TIMEOUT_SECONDS,
      maxRequestBodySize: RUNTIME_BODY_MAX,
      fetch: (request, server) =>
        endsConnection(request) ? answerLast(request, server) : handler.handle(request, server),
    });
  }

  /** Answers, and closes the connection. */
  async function answerLast(request: Request, server: BunServer): Promise<Response> {
    const response = await handler.handle(request, server);
    response.headers.set("Connection", "close");
    return response;
  }

  /**
   * Holds answers back until everyone who calls waits for one: then a server can be stopped without losing
   * a request. Stopping cuts off what the runtime takes for idle, which is also a connection on which a
   * request is just arriving; and clients that had been sent away before would come back, to a socket that
   * is about to close under them. Returns what lets the answers go, each closing its connection.
   */
  async function hold(server: BunServer, maximumMs: number): Promise<() => void> {
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
      // What came before is answered first: its client was not told that its connection ends.
      const quiet = server.pendingRequests <= held && now - last >= QUIET_MS;
      if (quiet || now - begun >= maximumMs) return release;
      await Bun.sleep(QUIET_MS / 10);
    }
  }

  return {
    address,
    isReady: async () => (await readiness.missing()) === undefined,
    openStreams: () => hub.count,
    port,
    async replaceTls(tls, meet = async () => {}) {
      const former = server;
      server = serve(port, tls);
      formers.add(former);
      // Streams would keep the former certificate for as long as they last.
      hub.endAll();
      const release = await hold(former, HOLD_MAX_MS);
      await meet();
      // It accepts no more from here on, and lasts until its last connection has gone. What still waits in the
      // kernel to be accepted by it is reset, before it has sent anything.
      void former.stop().then(() => formers.delete(former));
      await meet();
      release();
    },
    async stop(seconds, meet = async () => {}) {
      readiness.stop();
      descriptors.stop();
      hub.close();
      const deadline = performance.now() + seconds * 1000;
      const timeLeft = () => Math.max(0, deadline - performance.now());
      const servers = [server, ...formers];
      const holding = Math.min(HOLD_MAX_MS, timeLeft());
      const releases = await Promise.all(servers.map((each) => hold(each, holding)));
      const atMost = (work: Promise<unknown>) => within(timeLeft(), work, () => {}).catch(() => {});
      // A client that is let go comes back: by then no process may accept it, only to close under it.
      await atMost(meet());
      const stopped = Promise.all(servers.map((each) => each.stop()));
      await atMost(meet());
      for (const release of releases) release();
      await atMost(stopped);
      await Promise.all(servers.map((each) => each.stop(true)));
    },
  };
}

/** Whether the store itself fails, where it could also have too much to do. */
function isUnavailable(error: unknown): boolean {
  return error instanceof StoreFailure && error.code === "store_unavailable";
}

/** @throws the runtime's error when a certificate cannot be used */
export function tryTls(host: string, tls: Tls): void {
  Bun.serve({ hostname: host, port: 0, tls, development: false, fetch: () => new Response() }).stop(true);
}

/** Whether no other request may be read from the connection of this one. */
function endsConnection(request: Request): boolean {
  if (request.method === "GET") return false;
  // What follows a CONNECT the runtime takes for a tunnel's. And where a body with two lengths ends, others
  // on the way may see otherwise (RFC 9112, section 6.3); the runtime joins them with a comma.
  return request.method === "CONNECT" || request.headers.get("content-length")?.includes(",") === true;
}
