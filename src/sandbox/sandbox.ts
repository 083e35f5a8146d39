import type { Config } from "../config/settings.ts";
import { addressOf, ownServer } from "../http/address.ts";
import type { Service } from "../http/options.ts";
import type { Handle } from "../http/runtime/bun-servers.ts";
import type { Connections } from "../http/runtime/connections.ts";
import { operationsOffered } from "../operations/catalogue.ts";
import type { Telemetry } from "../service/telemetry.ts";
import { SandboxClock } from "./clock.ts";
import { Control } from "./control.ts";
import { FaultLayer } from "./fault-layer.ts";
import { FaultProxy } from "./fault-proxy.ts";
import { FaultPlan } from "./faults.ts";
import { Journal } from "./journal.ts";
import { SANDBOX_ENVIRONMENT } from "./keys.ts";
import { beginInstance, type SandboxInstance } from "./sandbox-instance.ts";
import type { StoreFile } from "./store-file.ts";

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

/**
 * A service for developers of clients, on a store of its own with public API keys. It is the service that `serve` runs,
 * with a clock that can be set, a layer that injects faults, and a proxy that can break connections.
 */
export class Sandbox {
  /** Its address for clients on this machine, without a path. */
  readonly address: string;
  /** Rejects if a reset fails, since no service runs after that. */
  readonly failed: Promise<never>;
  readonly #fail: (error: unknown) => void;
  readonly #proxy: FaultProxy;
  readonly #file: StoreFile;
  readonly #clock = new SandboxClock(Date.now);
  readonly #plan = new FaultPlan();
  readonly #journal = new Journal();
  readonly #begin: () => Promise<SandboxInstance>;
  #instance: Promise<SandboxInstance>;
  #isResetting = false;

  private constructor(config: Config, telemetry: Telemetry, file: StoreFile, proxy: FaultProxy) {
    const { HOST, ENVIRONMENT } = config;
    this.address = addressOf(HOST, proxy.port, false);
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => {});
    this.failed = promise;
    this.#fail = reject;
    this.#proxy = proxy;
    this.#file = file;
    const { layer, interceptor } = this.#layer(config, telemetry);
    const server = ownServer(HOST, this.address, ENVIRONMENT);
    const { now: clock } = this.#clock;
    this.#begin = async () => {
      const instance = await beginInstance({ config, telemetry, file, server, clock, layer, interceptor });
      proxy.passTo(instance.port);
      return instance;
    };
    this.#instance = this.#begin();
  }

  /**
   * @param config of `sandboxConfig`
   * @throws UnusableStore if the file is not a sandbox's store, or another sandbox uses it; the runtime's error if the port cannot be used
   */
  static async start(config: Config, telemetry: Telemetry, file: StoreFile): Promise<Sandbox> {
    const proxy = await FaultProxy.listen(config.HOST, config.PORT);
    try {
      file.lock();
      const sandbox = new Sandbox(config, telemetry, file, proxy);
      await sandbox.#instance;
      return sandbox;
    } catch (error) {
      proxy.stop();
      throw error;
    }
  }

  /** Finishes requests in progress for some seconds, then ends. */
  async stop(seconds: number): Promise<void> {
    this.#proxy.refuse();
    await (await this.#instance).stop(seconds);
    this.#proxy.stop();
  }

  #layer({ HOST, STABILITY, RATE_LIMIT }: Config, { emit }: Telemetry) {
    const link = (port: number | undefined) => this.#proxy.link(port);
    const faults = new FaultLayer({
      plan: this.#plan,
      journal: this.#journal,
      rateLimit: RATE_LIMIT,
      link,
      emit,
    });
    const control = new Control({
      host: HOST,
      operations: operationsOffered(STABILITY).map(({ id }) => id) as [string, ...string[]],
      plan: this.#plan,
      journal: this.#journal,
      clock: this.#clock,
      clockSet: async () => (await this.#instance).deleteExpired(),
      reset: (request, connections) => this.#reset(request, connections),
    });
    const layer =
      (service: Service): Handle =>
      (request, connections) =>
        control.covers(request)
          ? control.handle(request, connections)
          : faults.handle(request, connections, service);
    return { layer, interceptor: faults.interceptor };
  }

  /** Starts again with a new store, the real time and no faults. To other clients this looks like a restart of the service. */
  async #reset(request: Request, connections: Connections): Promise<void> {
    const own = this.#proxy.link(connections.requestIP(request)?.port);
    // Another reset at the same time has already closed this one's connection.
    if (this.#isResetting) return;
    this.#isResetting = true;
    const former = this.#instance;
    this.#proxy.interrupt(own);
    this.#instance = (async () => {
      await (await former).abandon();
      this.#file.remove();
      this.#plan.replace([]);
      this.#clock.reset();
      this.#journal.clear();
      return this.#begin();
    })();
    try {
      await this.#instance;
      this.#isResetting = false;
    } catch (error) {
      this.#proxy.stop();
      this.#fail(error);
    }
  }
}
