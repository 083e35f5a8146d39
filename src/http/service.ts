import { Cursors } from "../domain/cursor.ts";
import type { Environment } from "../domain/environment.ts";
import { StoreFailure } from "../domain/failure.ts";
import type { Store } from "../domain/store.ts";
import { Feed } from "../feed/feed.ts";
import type { ObservationSink } from "../observations/observation.ts";
import type { RequestObserver, StreamCounts, StreamEnd } from "../observations/request-observer.ts";
import { CATALOGUE } from "../operations/catalogue.ts";
import type { Operation } from "../operations/operation.ts";
import { AccessControl } from "./access-control.ts";
import { EventHub } from "./events/event-hub.ts";
import { Handler } from "./handler.ts";
import { KeyUses } from "./key-uses.ts";
import { failureCodesOf } from "./openapi/failure-codes.ts";
import { arazzoDocument } from "./openapi/workflows.ts";
import { openApiYaml } from "./openapi/yaml.ts";
import { madeOnce } from "./pages/made-once.ts";
import { live, PublicPages, ready } from "./pages/public-pages.ts";
import { Readiness } from "./pages/readiness.ts";
import { type OtherPages, SitePages } from "./pages/site-page.ts";
import { type RateLimit, RateLimiter } from "./rate-limit/rate-limit.ts";
import type { RateLimitStore } from "./rate-limit/rate-limit-store.ts";
import { Routes } from "./request/routes.ts";
import { Responder } from "./responder.ts";
import { CommonHeaders } from "./response/common-headers.ts";
import { type AllowedOrigins, Cors } from "./response/cors.ts";
import { preEncode, text } from "./response/http-response.ts";
import type { Handle, Tls } from "./runtime/bun-servers.ts";
import { assertCanLoad } from "./runtime/descriptors.ts";
import { traced } from "./traced.ts";

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
  readonly emit: ObservationSink;
  /** Observes every request, if present. */
  readonly observer: RequestObserver | undefined;
  /** What the site shows besides the pages of every service. */
  readonly site?: OtherPages | undefined;
}

/** A service that handles requests, whichever server receives them. */
export interface RunningService {
  readonly handle: Handle;
  /** Whether it can serve requests, as `/readyz` says. */
  isReady(): Promise<boolean>;
  streams(): StreamCounts;
  /** Ends all streams; their clients connect again. */
  endStreams(end: StreamEnd): void;
  /** Says that it is not ready, and ends all streams; requests are still answered. */
  refuse(): void;
  /** Records the last uses of keys, unless the stop may take no time. Call it after `refuse`, when no request is in progress. */
  close(seconds: number): Promise<void>;
}

/** Some proxies close a connection that is silent for 30 s. */
const HEARTBEAT_MS = 15_000;

/**
 * Starts what handles the requests of a store.
 *
 * @param openApi makes the OpenAPI document, which may need the port: it is called with the first request for it
 */
export async function startService(options: ServiceOptions, openApi: () => string): Promise<RunningService> {
  const { operations, store, storeIdentity } = options;
  const readiness = new Readiness(store, options.emit);
  const readyz = ready(() => readiness.missing(), storeIdentity);
  const pages = new PublicPages(
    {
      "/livez": live,
      "/readyz": readyz,
      "/healthz": readyz,
      "/openapi.json": madeOnce(async () => preEncode(text("application/json", openApi()), "thorough")),
      "/openapi.yaml": madeOnce(async () => {
        assertCanLoad();
        return preEncode(text("application/yaml", await openApiYaml(openApi())), "thorough");
      }),
      "/arazzo.json": madeOnce(async () =>
        preEncode(text("application/json", arazzoDocument(operations)), "thorough"),
      ),
    },
    new SitePages(openApi, failureCodesOf(operations), options.environment, options.site),
  );
  const emit: ObservationSink = (event) => {
    const isOfStore = event.event === "store_failed" || event.event === "feed_failed";
    if (isOfStore && isUnavailable(event.error)) readiness.doubt();
    options.emit(event);
  };
  const feed = new Feed(store, emit);
  const hub = new EventHub({
    feed,
    store,
    clock: options.clock,
    streamsMax: options.maxStreams,
    heartbeatMs: options.heartbeatMs ?? HEARTBEAT_MS,
    observer: options.observer,
  });
  const keyUses = new KeyUses(store, emit);
  const { observer, clock, maxRequests, trustProxy, keepAliveSeconds } = options;
  const limiter = options.rateLimit && new RateLimiter(options.rateLimit, options.rateLimitStore);
  const cors = new Cors(options.allowedOrigins, operations);
  const handler = new Handler({
    store,
    routes: new Routes(operations, CATALOGUE),
    access: new AccessControl(options.environment, limiter, keyUses),
    cursors: new Cursors(await store.cursorSecret()),
    cors,
    commonHeaders: new CommonHeaders(cors, options),
    pages,
    hub,
    feed,
    responder: new Responder({ observer, emit, pages, hub, trustProxy, keepAliveSeconds }),
    maxRequests,
    clock,
    isMeasured: observer !== undefined,
  });
  return {
    handle: traced(handler.handle, observer),
    isReady: async () => (await readiness.missing()) === undefined,
    streams: () => ({ open: hub.streams.size, eventsSent: hub.eventsSent }),
    endStreams: (end) => hub.endAll(end),
    refuse() {
      readiness.stop();
      hub.close();
    },
    close: (seconds) => keyUses.stop(seconds),
  };
}

/** Whether the store itself fails, rather than being too busy. */
function isUnavailable(error: unknown): boolean {
  return error instanceof StoreFailure && error.code === "store_unavailable";
}
