import type { EventSink } from "../domain/event.ts";
import { StoreFailure } from "../domain/failure.ts";
import type { StreamCounts } from "../domain/observation.ts";
import { addressOf, ownServer } from "./address.ts";
import { EventHub } from "./events/event-hub.ts";
import { Handler } from "./handler.ts";
import { KeyUses } from "./key-uses.ts";
import { openApiDocument } from "./openapi/document.ts";
import { failureCodesOf } from "./openapi/failure-codes.ts";
import { openApiYaml } from "./openapi/yaml.ts";
import type { ServerOptions } from "./options.ts";
import { madeOnce } from "./pages/made-once.ts";
import { live, PublicPages, ready } from "./pages/public-pages.ts";
import { Readiness } from "./pages/readiness.ts";
import { SitePages } from "./pages/site-page.ts";
import { preEncode, text } from "./response/http-response.ts";
import { type Barrier, BunServers, type Tls } from "./runtime/bun-servers.ts";
import { assertCanLoad, DescriptorWatch } from "./runtime/descriptors.ts";

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
  const { operations, store, storeIdentity } = options;
  const readiness = new Readiness(store, options.emit);
  const readyz = ready(() => readiness.missing(), storeIdentity);
  const pages = new PublicPages(
    {
      "/livez": live,
      "/readyz": readyz,
      "/healthz": readyz,
      "/openapi.json": madeOnce(async () => preEncode(text("application/json", openApi()))),
      "/openapi.yaml": madeOnce(async () => {
        assertCanLoad();
        return preEncode(text("application/yaml", await openApiYaml(openApi())));
      }),
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
  const keyUses = new KeyUses(store, emit);
  const cursorSecret = await store.cursorSecret();
  const handler = new Handler({ ...options, emit, hub, keyUses, pages, cursorSecret });
  const bunServers = new BunServers(options, options.layer?.(handler) ?? handler.handle);
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
      await keyUses.stop();
    },
  };
}

/** Whether the store itself fails, rather than being too busy. */
function isUnavailable(error: unknown): boolean {
  return error instanceof StoreFailure && error.code === "store_unavailable";
}
