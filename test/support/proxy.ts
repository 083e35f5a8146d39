import { connect, createServer, type Socket } from "node:net";

/** What passes in the place of data: it later, `cut`, which ends both connections, or `undefined`, which leaves it as it is. */
type Passed = Buffer | Promise<Buffer> | "cut" | undefined;

/** How a proxy changes the data that passes. */
export interface Interference {
  /** What the server gets instead. */
  toServer?(data: Buffer, link: Link): Passed;
  /** What the client gets instead. */
  toClient?(data: Buffer, link: Link): Passed;
  /** Whether clients' connections stay open when the server's end, as after the loss of a machine that says no goodbye. */
  readonly holdsClients?: boolean;
  /** The delay in each direction, in milliseconds. */
  readonly delayMs?: number;
}

/** One connection through the proxy. */
export interface Link {
  cut(): void;
}

/** A proxy before a server on this machine: a test sees and changes the data that passes; gone with `await using`. */
export interface Proxy extends AsyncDisposable {
  readonly port: number;
  interference: Interference;
}

/** @param ports of one server, or of several that get connections in turn */
export async function startProxy(
  ports: number | readonly number[],
  interference: Interference = {},
): Promise<Proxy> {
  const servers = [ports].flat();
  let turn = 0;
  const sockets = new Set<Socket>();
  const proxy = { port: 0, interference };
  const listener = createServer((client) => {
    const server = connect(servers[turn++ % servers.length] as number, "127.0.0.1");
    let isConnected = false;
    server.once("connect", () => {
      isConnected = true;
    });
    const link: Link = {
      cut() {
        client.destroy();
        server.destroy();
      },
    };
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        const holds = socket === server && isConnected && proxy.interference.holdsClients;
        if (!holds) link.cut();
      });
    }
    const pass = (data: Buffer, target: Socket, interfere: "toServer" | "toClient") => {
      const { delayMs } = proxy.interference;
      const changed = proxy.interference[interfere]?.(data, link) ?? data;
      if (changed === "cut") link.cut();
      else if (changed instanceof Promise) void changed.then((data) => target.write(data));
      else if (delayMs === undefined) target.write(changed);
      else setTimeout(() => target.write(changed), delayMs);
    };
    client.on("data", (data: Buffer) => pass(data, server, "toServer"));
    server.on("data", (data: Buffer) => pass(data, client, "toClient"));
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  proxy.port = (listener.address() as { port: number }).port;
  return Object.assign(proxy, {
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  });
}
