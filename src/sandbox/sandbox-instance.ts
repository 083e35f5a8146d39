import type { Config } from "../config/settings.ts";
import type { ServerAddress } from "../http/openapi/document.ts";
import type { ServerOptions } from "../http/options.ts";
import { startServer } from "../http/server.ts";
import { scheduleCleanup } from "../service/cleanup.ts";
import { serverOptions } from "../service/server-options.ts";
import type { Telemetry } from "../service/telemetry.ts";
import { openStore } from "../stores/open.ts";
import { addSandboxKeys } from "./keys.ts";
import { stock } from "./stock.ts";
import type { StoreFile } from "./store-file.ts";

/** Seconds in which the response to a reset can leave. */
const LAST_RESPONSE_SECONDS = 5;
/** Without it a page of another origin could not ask for a fault. */
const ALLOWED_HEADERS = ["Prefer"];

interface InstanceOptions {
  readonly config: Config;
  readonly telemetry: Telemetry;
  /** New, or made by an earlier sandbox. */
  readonly file: StoreFile;
  /** The sandbox as the OpenAPI document's server. */
  readonly server: ServerAddress;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly layer: ServerOptions["layer"];
  readonly interceptor: ServerOptions["interceptor"];
}

/** The service of a sandbox, from its start or a reset to the next reset. */
export interface SandboxInstance {
  /** On 127.0.0.1, for the fault proxy. */
  readonly port: number;
  /** Deletes what the clock says has expired. */
  deleteExpired(): Promise<void>;
  /** Finishes requests in progress for some seconds, then ends. */
  stop(seconds: number): Promise<void>;
  /** Closes the store at once. The response in progress, which is that of a reset, still leaves. */
  abandon(): Promise<void>;
}

/** @throws UnusableStore if the file is not a sandbox's store */
export async function beginInstance(options: InstanceOptions): Promise<SandboxInstance> {
  const { config, telemetry, clock } = options;
  const { emit } = telemetry;
  const open = () => openStore(`sqlite:${options.file.path}`, clock, { kind: "sandbox", emit });
  let store = await open();
  try {
    const isBegun = (await store.listKeys()).length > 0;
    // The keys are added last: animals without keys are left from a sandbox that was killed while it started.
    if (!isBegun && (await store.findAnimal(1n))) {
      await store.close();
      options.file.remove();
      store = await open();
    }
    if (!isBegun) await stock(store);
    await addSandboxKeys(store);
    const server = await startServer({
      ...serverOptions(config, store, telemetry),
      host: "127.0.0.1",
      port: 0,
      servers: [options.server],
      clock,
      allowedHeaders: ALLOWED_HEADERS,
      layer: options.layer,
      interceptor: options.interceptor,
      tls: undefined,
    });
    const cleanup = scheduleCleanup(store, { keepMs: config.EVENTS_KEEP, clock }, emit);
    return {
      port: server.port,
      async deleteExpired() {
        // Each call deletes a bounded number of rows.
        while ((await store.deleteExpired()) > 0);
        while ((await store.deleteExpiredEvents(clock() - config.EVENTS_KEEP)) > 0);
      },
      async stop(seconds) {
        cleanup.stop();
        await server.stop(seconds);
        await store.close();
      },
      async abandon() {
        cleanup.stop();
        void server.stop(LAST_RESPONSE_SECONDS);
        await store.close();
        // The runtime keeps the files of a closed database open until it has collected the last prepared statement.
        Bun.gc(true);
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}
