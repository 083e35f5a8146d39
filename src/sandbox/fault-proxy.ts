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
  /** The port of the service on this machine; pending while there is none. */
  #service = Promise.withResolvers<number>();

  private constructor() {
    this.#listener = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
      this.#clients.add(client);
      client.on("close", () => this.#clients.delete(client));
      client.on("error", () => {});
      void this.#join(client);
    });
  }

  /** @throws the runtime's error, with a `code` such as EADDRINUSE, if it cannot listen */
  static async listen(host: string, port: number): Promise<FaultProxy> {
    const proxy = new FaultProxy();
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

  /** Passes connections on to a service, beginning with those that wait. */
  passTo(port: number): void {
    this.#service.resolve(port);
  }

  /** Closes every connection but this one. New ones wait for the next service. */
  interrupt(except?: Link): void {
    this.#service = Promise.withResolvers();
    for (const link of this.#links.values()) if (link !== except) link.close();
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

  async #join(client: Socket): Promise<void> {
    const { promise } = this.#service;
    const port = await promise;
    const service = connect({ port, host: "127.0.0.1", noDelay: true }, () => {
      // The sandbox was reset meanwhile, and this service is about to end.
      if (promise !== this.#service.promise) {
        service.destroy();
        void this.#join(client);
        return;
      }
      if (client.destroyed) {
        service.destroy();
        return;
      }
      const { localPort = 0 } = service;
      const link = new Link(client, service);
      this.#links.set(localPort, link);
      service.on("close", () => {
        // The kernel may have given the same port to a connection to the service after a reset.
        if (this.#links.get(localPort) === link) this.#links.delete(localPort);
      });
    });
    service.on("error", () => client.destroy());
  }
}
