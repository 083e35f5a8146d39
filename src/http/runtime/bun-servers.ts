import type { MaybePromise } from "../../domain/maybe-promise.ts";
import { within } from "../../system/within.ts";
import type { Connections } from "./connections.ts";

/** A certificate chain and its key, in PEM. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

/** Answers a request. */
export type Handle = (request: Request, connections: Connections) => MaybePromise<Response>;

/** Resolves when all processes that share the port have reached the same point. */
export type Barrier = () => Promise<void>;

/** Where the service listens. */
export interface Endpoint {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Set if other processes of this service share the port: `first` in the process that listens first. */
  readonly siblings?: "first" | "others" | undefined;
  readonly tls?: Tls | undefined;
}

type BunServer = Bun.Server<undefined>;

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
/** Seconds until the runtime cuts off a client that sends nothing or very slowly: longer than any response takes. */
const IDLE_TIMEOUT_SECONDS = 12;
/** Once no client has sent a request for this long, all of them are assumed to wait for a response… */
const QUIET_MS = 100;
/** …but no response is held for longer than this. */
const DRAIN_MAX_MS = 500;

/** The runtime's server on a port, and former ones with an earlier certificate that still have connections. */
export class BunServers {
  readonly port: number;
  readonly #endpoint: Endpoint;
  readonly #handle: Handle;
  #current: BunServer;
  readonly #former = new Set<BunServer>();

  /** @throws the runtime's error, with a `code` such as EADDRINUSE, if it cannot listen */
  constructor(endpoint: Endpoint, handle: Handle) {
    const { host, port, siblings, tls } = endpoint;
    this.#endpoint = endpoint;
    this.#handle = handle;
    // Sharing a port hides that another program uses it, so first listen without sharing.
    if (siblings === "first" || (tls && !siblings)) {
      const alone = { hostname: host, port, reusePort: false, development: false };
      Bun.serve({ ...alone, fetch: () => new Response() }).stop(true);
    }
    this.#current = this.#serve(port, tls);
    this.port = this.#current.port as number;
  }

  /**
   * Serves new connections with another certificate, and resolves when no new connection gets the former one.
   *
   * @param endStreams ends the event streams, which would keep the former certificate for as long as they last
   * @throws the runtime's error if the certificate cannot be used; then the former one stays in force
   */
  async replaceTls(tls: Tls, barrier: Barrier, endStreams: () => void): Promise<void> {
    const former = this.#current;
    this.#current = this.#serve(this.port, tls);
    this.#former.add(former);
    endStreams();
    const release = await this.#drain(former, DRAIN_MAX_MS);
    await barrier();
    // The former server accepts no more connections, and ends with its last one. The kernel resets connections that
    // it has not accepted yet, before their clients have sent anything.
    void former.stop().then(() => this.#former.delete(former));
    await barrier();
    release();
  }

  /** Stops accepting, finishes open requests and closes connections; after this many seconds it cuts off the rest. */
  async stop(seconds: number, barrier: Barrier): Promise<void> {
    const deadline = performance.now() + seconds * 1000;
    const timeLeft = () => Math.max(0, deadline - performance.now());
    const servers = [this.#current, ...this.#former];
    const drainMs = Math.min(DRAIN_MAX_MS, timeLeft());
    const releases = await Promise.all(servers.map((each) => this.#drain(each, drainMs)));
    const atMost = (work: Promise<unknown>) => within(timeLeft(), work, () => {}).catch(() => {});
    // A client whose response is released connects again: by then no process may accept it just to close the connection.
    await atMost(barrier());
    const stopped = Promise.all(servers.map((each) => each.stop()));
    await atMost(barrier());
    for (const release of releases) release();
    await atMost(stopped);
    await Promise.all(servers.map((each) => each.stop(true)));
  }

  #serve(port: number, tls: Tls | undefined): BunServer {
    const { host, siblings } = this.#endpoint;
    return Bun.serve({
      hostname: host,
      port,
      ...(tls && { tls: { ...tls, ciphers: TLS_1_2_CIPHERS } }),
      // A certificate is replaced by a second server on the same port. The default would be true: the runtime shares
      // its ports with every program if `development` is false.
      reusePort: tls !== undefined || siblings !== undefined,
      development: false,
      idleTimeout: IDLE_TIMEOUT_SECONDS,
      maxRequestBodySize: RUNTIME_BODY_MAX,
      fetch: (request, server) =>
        endsConnection(request) ? this.#answerLast(request, server) : this.#handle(request, server),
    });
  }

  /** Answers, and closes the connection. */
  async #answerLast(request: Request, server: BunServer): Promise<Response> {
    const response = await this.#handle(request, server);
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
  async #drain(server: BunServer, maximumMs: number): Promise<() => void> {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const begun = performance.now();
    let last = begun;
    let held = 0;
    server.reload({
      fetch: async (request, server) => {
        last = performance.now();
        held++;
        const response = await this.#answerLast(request, server);
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
