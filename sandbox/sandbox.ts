import type { Config } from "../src/config/settings.ts";
import { andThen, type MaybePromise } from "../src/domain/maybe-promise.ts";
import { addressOf, ownServer } from "../src/http/address.ts";
import { Routes } from "../src/http/request/routes.ts";
import { isBelow, rawTarget, splitTarget } from "../src/http/request/target.ts";
import { BunServers, type Handle } from "../src/http/runtime/bun-servers.ts";
import type { Connections } from "../src/http/runtime/connections.ts";
import type { ObservationSink } from "../src/observations/observation.ts";
import { operationsOffered } from "../src/operations/catalogue.ts";
import type { Telemetry } from "../src/service/telemetry.ts";
import { loadSystemCalls, type SystemCalls } from "./client-socket.ts";
import { CONTROL_PAGE, CONTROL_PATH, Control } from "./control.ts";
import { controlDocument } from "./control-document.ts";
import { declaredFailure } from "./declared-failure.ts";
import type { FaultRule } from "./faults.ts";
import type { InitialState } from "./initial-state.ts";
import { Journal } from "./journal.ts";
import { JournalFilters } from "./journal-filters.ts";
import { JournalMemory } from "./journal-memory.ts";
import { SANDBOX_ENVIRONMENT, SANDBOX_KEYS } from "./keys.ts";
import { allowPreferences } from "./own-responses.ts";
import { SandboxInstance } from "./sandbox-instance.ts";
import { Space } from "./space.ts";
import { inFile, inMemory } from "./space-storage.ts";
import { Spaces } from "./spaces.ts";
import type { StoreFile } from "./store-file.ts";
import { strictOperation } from "./strict.ts";

/** The configuration of a sandbox, whatever the environment says of a service: it offers every operation. */
export function sandboxConfig(config: Config): Config {
  return {
    ...config,
    ENVIRONMENT: SANDBOX_ENVIRONMENT,
    STABILITY: "experimental",
    TRUST_PROXY: false,
    HSTS_SECONDS: undefined,
    METRICS_PORT: undefined,
    OTEL_EXPORTER_OTLP_ENDPOINT: undefined,
  };
}

interface SandboxOptions {
  /** Of `sandboxConfig`. */
  readonly config: Config;
  readonly telemetry: Telemetry;
  /** Where to keep the store of the first space; left out: in memory. */
  readonly file?: StoreFile | undefined;
  readonly initial: InitialState;
  /** The names by which clients reach it, besides localhost and the host of the configuration. */
  readonly names: readonly string[];
  /** The faults with which each space begins. */
  readonly faults?: readonly FaultRule[];
  /** Whether what an operation does not declare is refused. */
  readonly isStrict?: boolean;
  /** Whether no operation is deprecated. */
  readonly withoutDeprecation?: boolean;
  /** The library of C, by which the sandbox breaks connections; left out: the system's own. */
  readonly libc?: string | undefined;
}

/**
 * A service for developers of clients, with public API keys. It is the service that `serve` runs, once for each space, with
 * clocks that can be set and a layer that injects faults.
 */
export class Sandbox {
  /** Its address for clients on this machine, without a path. */
  readonly address: string;
  /** Rejects if a reset fails: a space without a store serves nothing, so the sandbox has ended. */
  readonly failed: Promise<never>;
  readonly #servers: BunServers;
  readonly #spaces: Spaces;
  readonly #control: Control;

  private constructor(options: SandboxOptions, servers: BunServers) {
    const { config, telemetry, file, initial } = options;
    const { HOST, ENVIRONMENT, STABILITY, RATE_LIMIT } = config;
    this.#servers = servers;
    this.address = addressOf(HOST, servers.port, false);
    const { promise: failed, reject: fail } = Promise.withResolvers<never>();
    failed.catch(() => {});
    this.failed = failed;
    const server = ownServer(HOST, this.address, ENVIRONMENT);
    const operations = operationsOffered(STABILITY).map(({ deprecation, ...operation }) =>
      deprecation && !options.withoutDeprecation ? { ...operation, deprecation } : operation,
    );
    const routes = new Routes(operations);
    const operationOf = (method: string, target: string) => routes.find(method, target)?.operation;
    const operationIds = operations.map(({ id }) => id) as [string, ...string[]];
    const document = controlDocument(this.address, operationIds);
    const control = { page: CONTROL_PAGE, document: JSON.stringify(document), key: SANDBOX_KEYS[0].key };
    const site = { control, paths: [CONTROL_PAGE] };
    const { emit } = telemetry;
    const calls = systemCalls(options.libc, emit);
    const { faults = [], isStrict = false } = options;
    const shared = { rateLimit: RATE_LIMIT, port: servers.port, calls, emit, operationOf, faults, isStrict };
    const served = isStrict ? operations.map(strictOperation) : operations;
    const memory = new JournalMemory();
    this.#spaces = new Spaces((id, keys, from) => {
      const open = file && id === "first" ? inFile(file, initial) : inMemory(initial);
      const start = (clock: () => number, state: Uint8Array | undefined) =>
        SandboxInstance.start({ config, telemetry, operations, served, open, clock, server, site }, state);
      const journal = new Journal((...request) => operationOf(...request)?.id ?? null, memory);
      return new Space({ ...shared, id, keys, from, start, journal, memory });
    });
    this.#control = new Control({
      names: new Set([HOST, ...options.names].map((name) => name.toLowerCase())),
      document,
      filters: new JournalFilters(operations, operationOf),
      listensOn: HOST,
      targets: {
        operations: operationIds,
        canBreak: calls !== undefined,
        declares: (id, status) =>
          operations.some((each) => each.id === id && declaredFailure(status, each, "") !== undefined),
        serves: (path, id) =>
          !path.includes("?") &&
          operations.some((each) => each.id === (id ?? each.id) && operationOf(each.method, path) === each),
        takesBody: (id) => operations.some((each) => each.id === id && each.body !== undefined),
      },
      spaces: this.#spaces,
      initial,
      orEnd: (work) =>
        work.catch((error) => {
          void this.stop(0);
          fail(error);
          return undefined;
        }),
    });
  }

  /**
   * @throws UnusableStore if the file is not a sandbox's store, or another sandbox uses it; the runtime's error if the
   *   port cannot be used
   */
  static async start(options: SandboxOptions): Promise<Sandbox> {
    const { HOST, PORT } = options.config;
    const { promise: started, resolve } = Promise.withResolvers<Sandbox>();
    // Requests may come before it has started.
    let handle: Handle = async (...request) => (await started).handle(...request);
    const servers = new BunServers({ host: HOST, port: PORT }, (...request) => handle(...request));
    try {
      options.file?.lock();
      const sandbox = new Sandbox(options, servers);
      await sandbox.#spaces.first.begin();
      handle = sandbox.handle.bind(sandbox);
      resolve(sandbox);
      return sandbox;
    } catch (error) {
      await servers.stop(0, async () => {});
      throw error;
    }
  }

  /** Finishes requests in progress for some seconds, then ends. */
  async stop(seconds: number): Promise<void> {
    this.#spaces.refuse();
    await this.#servers.stop(seconds, async () => {});
    await this.#spaces.end();
  }

  handle(request: Request, connections: Connections): MaybePromise<Response> {
    const { headers, url } = request;
    const target = rawTarget(url);
    if (isBelow(CONTROL_PATH, target) && splitTarget(target).path !== CONTROL_PAGE)
      return this.#control.handle(request, connections);
    const { space, key, fixed } = this.#spaces.choose(headers.get("authorization"));
    if (fixed !== undefined) headers.set("authorization", fixed);
    return andThen(space.handle(request, target, connections, key), allowPreferences);
  }
}

/** Without them the sandbox refuses some faults, and says so. */
function systemCalls(libc: string | undefined, emit: ObservationSink): SystemCalls | undefined {
  try {
    return loadSystemCalls(libc);
  } catch (error) {
    emit({ event: "connections_unbreakable", error });
    return undefined;
  }
}
