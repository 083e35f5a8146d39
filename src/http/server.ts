import type { StreamCounts } from "../observations/request-observer.ts";
import { addressOf, ownServer } from "./address.ts";
import { openApiDocument, type ServerAddress } from "./openapi/document.ts";
import { type Barrier, BunServers, type Endpoint, type Tls } from "./runtime/bun-servers.ts";
import { DescriptorWatch } from "./runtime/descriptors.ts";
import { type ServiceOptions, startService } from "./service.ts";

export interface ServerOptions extends ServiceOptions, Endpoint {
  /** The addresses that the document names; if empty, this service's own. */
  readonly servers: readonly ServerAddress[];
}

/** A server that listens, in this process or as several workers. */
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

/**
 * Serves a store on a port of this process.
 *
 * @throws the runtime's error, with a `code` such as EADDRINUSE, when it cannot listen
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const service = await startService(options, openApi);
  const bunServers = new BunServers(options, service.handle);
  const descriptors = new DescriptorWatch(options.emit);
  const { port } = bunServers;
  const address = addressOf(options.host, port, options.tls !== undefined);
  const servers =
    options.servers.length > 0 ? options.servers : [ownServer(options.host, address, options.environment)];

  /** The document names the port, so it can be made only once the service listens. */
  function openApi(): string {
    return openApiDocument(options.operations, servers);
  }

  return {
    address,
    isReady: service.isReady,
    streams: service.streams,
    port,
    async replaceTls(tls, barrier = async () => {}) {
      await bunServers.replaceTls(tls, barrier, () => service.endStreams("certificate_replaced"));
    },
    async stop(seconds, barrier = async () => {}) {
      descriptors.stop();
      service.refuse();
      await bunServers.stop(seconds, barrier);
      await service.close(seconds);
    },
  };
}
