import type { EventSink } from "../domain/event.ts";
import type { Store } from "../domain/store.ts";
import type { Operation } from "../operations/operation.ts";
import { Handler } from "./handle.ts";
import { openApiDocument, type ServerAddress } from "./openapi.ts";
import { live, PublicPages, ready, redirect } from "./public-pages.ts";
import { referencePage } from "./reference-page.ts";
import { text } from "./rendered.ts";
import { BASE_PATH } from "./routes.ts";

export interface ServerOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly operations: readonly Operation[];
  readonly store: Store;
  /** The addresses that the document names; where there is none, this service's own. */
  readonly servers: readonly ServerAddress[];
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly emit: EventSink;
  readonly observeRequests: boolean;
}

export interface RunningServer {
  /** Where it can be called from this machine, with no path: `http://127.0.0.1:8080`. */
  readonly address: string;
  /** Stops accepting, finishes what was begun within so many seconds, then cuts the rest off. */
  stop(seconds: number): Promise<void>;
}

/** Our own check of bodies is stricter; what is over this, the runtime refuses with an empty 413. */
const RUNTIME_BODY_MAX = Number.MAX_SAFE_INTEGER;
const READY_WITHIN_MS = 1000;

/** @throws the runtime's error, with `code` EADDRINUSE and the like, when it cannot listen */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { operations, store, clock, emit, observeRequests } = options;
  let stopping = false;
  const cursorSecret = await store.cursorSecret();
  const isReady = async () => !stopping && (await withinBound(store.check()));
  const pages = new PublicPages({
    "/": redirect("/docs"),
    "/livez": live,
    "/readyz": ready(isReady),
    "/openapi.json": () => text("application/json", document),
    ...referencePage,
  });
  const handler = new Handler({ operations, pages, store, cursorSecret, clock, emit, observeRequests });
  const server = Bun.serve({
    hostname: options.host,
    port: options.port,
    development: false,
    maxRequestBodySize: RUNTIME_BODY_MAX,
    fetch: (request) => handler.handle(request),
  });
  const address = addressOf(options.host, server.port as number);
  const servers = options.servers.length > 0 ? options.servers : [ownAddress(address)];
  const document = openApiDocument(operations, servers);

  return {
    address,
    async stop(seconds) {
      stopping = true;
      const finished = server.stop();
      await Promise.race([finished, Bun.sleep(seconds * 1000)]);
      await server.stop(true);
    },
  };
}

/** This service as the document's server. */
export function ownAddress(address: string): ServerAddress {
  return { url: address + BASE_PATH, description: "This service" };
}

/** The address to call a service at that listens on a host: one that listens everywhere is also here. */
export function addressOf(host: string, port: number): string {
  const name = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

async function withinBound(check: Promise<void>): Promise<boolean> {
  const passed = check.then(
    () => true,
    () => false,
  );
  return Promise.race([passed, Bun.sleep(READY_WITHIN_MS).then(() => false)]);
}
