import { connect, createServer, type Server, type Socket } from "node:net";
import { Link } from "./link.ts";

/**
 * The address that clients of a sandbox use. It passes each connection on to the service behind it, and can break the
 * connection, which the runtime's HTTP server cannot: by a reset, or in the middle of a response.
 */
export class FaultProxy {
  readonly #listener: Server;
  readonly #clients = new Set<Socket>();
  /** By the port from which the service sees the connection. */
  readonly #links = new Map<number, Link>();
  /** The port of the service on this machine. */
  readonly #service: number;

  private constructor(service: number) {
    this.#service = service;
    this.#listener = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
      this.#clients.add(client);
      client.on("close", () => this.#clients.delete(client));
      client.on("error", () => {});
      this.#join(client);
    });
  }

  /**
   * @param service the port of the service on this machine
   * @throws the runtime's error, with a `code` such as EADDRINUSE, if it cannot listen
   */
  static async listen(host: string, port: number, service: number): Promise<FaultProxy> {
    const proxy = new FaultProxy(service);
    await new Promise<void>((resolve, reject) => {
      // The runtime leaves out the code for a name that does not resolve.
      proxy.#listener.once("error", (error: NodeJS.ErrnoException) => {
        error.code ??= "EINVAL";
        reject(error);
      });
      proxy.#listener.listen(port, host, resolve);
    });
    return proxy;
  }

  get port(): number {
    return (this.#listener.address() as { port: number }).port;
  }

  /** Finds a client's connection by the port from which the service sees it. */
  link(port: number | undefined): Link | undefined {
    return this.#links.get(port ?? 0);
  }

  /** Accepts no more connections. */
  refuse(): void {
    this.#listener.close();
  }

  /** Accepts no more connections, and closes those that are open. */
  stop(): void {
    this.refuse();
    for (const client of this.#clients) client.destroySoon();
  }

  #join(client: Socket): void {
    const service = connect({ port: this.#service, host: "127.0.0.1", noDelay: true }, () => {
      if (client.destroyed) {
        service.destroy();
        return;
      }
      const { localPort = 0 } = service;
      const link = new Link(client, service);
      this.#links.set(localPort, link);
      service.on("close", () => {
        // The kernel may have given the same port to another connection.
        if (this.#links.get(localPort) === link) this.#links.delete(localPort);
      });
    });
    service.on("error", () => client.destroy());
  }
}
