import type { EventSink } from "../domain/event.ts";
import { StoreFailure } from "../domain/failure.ts";
import type { StreamCounts, StreamEnd } from "../domain/observation.ts";
import { Feed } from "../feed/feed.ts";
import { EventHub } from "./events/event-hub.ts";
import { Handler } from "./handler.ts";
import { KeyUses } from "./key-uses.ts";
import { failureCodesOf } from "./openapi/failure-codes.ts";
import { openApiYaml } from "./openapi/yaml.ts";
import type { ServiceOptions } from "./options.ts";
import { madeOnce } from "./pages/made-once.ts";
import { live, PublicPages, ready } from "./pages/public-pages.ts";
import { Readiness } from "./pages/readiness.ts";
import { SitePages } from "./pages/site-page.ts";
import { preEncode, text } from "./response/http-response.ts";
import { assertCanLoad } from "./runtime/descriptors.ts";

/** A service that handles requests, whichever server receives them. */
export interface RunningService {
  readonly handler: Handler;
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
    },
    new SitePages(openApi, failureCodesOf(operations), options.environment, options.control),
  );
  const emit: EventSink = (event) => {
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
  const cursorSecret = await store.cursorSecret();
  const handler = new Handler({ ...options, emit, feed, hub, keyUses, pages, cursorSecret });
  return {
    handler,
    isReady: async () => (await readiness.missing()) === undefined,
    streams: () => hub.counts,
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
