import { SCOPES, type Scope } from "../../src/domain/api-key.ts";
import type { Store } from "../../src/domain/store.ts";
import { type RunningServer, type ServerOptions, startServer } from "../../src/http/server.ts";
import type { CommitObserver } from "../../src/observations/commit-observer.ts";
import type { Observation } from "../../src/observations/observation.ts";
import type { AnsweredRequest } from "../../src/observations/request-observer.ts";
import { operationsOffered } from "../../src/operations/catalogue.ts";
import { newKey } from "../../src/service/new-key.ts";
import { openStore } from "../../src/stores/open.ts";
import type { TestDatabase } from "./database.ts";
import { createSqliteDatabase } from "./database.ts";

/** A service in this process, on a free port and a real database, gone with `await using`. */
export interface Service extends AsyncDisposable {
  readonly address: string;
  readonly database: TestDatabase;
  readonly store: Store;
  /** The events that it reported to telemetry. */
  readonly events: Observation[];
  /** The requests that it has answered. */
  readonly answered: AnsweredRequest[];
  /** A key with every scope. */
  readonly key: string;
  issueKey(scopes?: readonly Scope[], expiresAt?: number | null): Promise<{ id: number; key: string }>;
  /** Calls it with `key`, unless the headers say otherwise; redirects are not followed. */
  call(path: string, init?: RequestInit): Promise<Response>;
  /** Stops it as a signal would, within this many seconds. */
  stop(seconds: number): Promise<void>;
  /** Posts JSON text to `/v1/pets`. */
  create(body: string, headers?: Record<string, string>): Promise<Response>;
}

/** What a test may want otherwise; `commits` watches the store. */
export type ServiceOptions = Partial<ServerOptions> & { readonly commits?: CommitObserver };

/** @param start starts what serves the requests */
export async function startService(
  options: ServiceOptions = {},
  createDatabase: () => Promise<TestDatabase> = createSqliteDatabase,
  start: (options: ServerOptions) => Promise<Pick<RunningServer, "address" | "stop">> = startServer,
): Promise<Service> {
  const database = await createDatabase();
  const { clock = Date.now, commits } = options;
  const store = options.store ?? (await openStore(database.url, clock, { commits }));
  const events: Observation[] = [];
  const answered: AnsweredRequest[] = [];
  const server = await start({
    host: "127.0.0.1",
    port: 0,
    operations: operationsOffered("experimental"),
    store,
    environment: "production",
    servers: [],
    clock: Date.now,
    emit: (event) => events.push(event),
    observer: { answered: (request) => answered.push(request) },
    allowedOrigins: "*",
    rateLimit: undefined,
    trustProxy: false,
    maxRequests: 12_000,
    maxStreams: 10_000,
    keepAliveSeconds: 75,
    hstsSeconds: undefined,
    ...options,
  });
  const issueKey: Service["issueKey"] = async (scopes = SCOPES, expiresAt = null) => {
    const { key, stored } = newKey("production", { name: "test", scopes, createdAt: Date.now(), expiresAt });
    return { id: (await store.addKey(stored)).id, key };
  };
  const { key } = await issueKey();
  const call: Service["call"] = (path, init = {}) =>
    fetch(server.address + path, {
      redirect: "manual",
      ...init,
      headers: { authorization: `Bearer ${key}`, ...(init.headers as Record<string, string>) },
    });
  return {
    address: server.address,
    database,
    store,
    events,
    answered,
    key,
    issueKey,
    call,
    create: (body, headers = {}) =>
      call("/v1/pets", { method: "POST", body, headers: { "content-type": "application/json", ...headers } }),
    stop: (seconds) => server.stop(seconds),
    async [Symbol.asyncDispose]() {
      // The test has all its answers by now, so there is nothing to wait for.
      await server.stop(0);
      await store.close();
      await database[Symbol.asyncDispose]();
    },
  };
}
