import { connect } from "node:net";

export interface RawOptions {
  /** Ends the sending side after the last byte. */
  readonly end?: boolean;
  /** Listens no longer once this is in what came. */
  readonly until?: RegExp;
}

/** What a connection brought, and whether the service closed it. */
export interface RawAnswer {
  readonly text: string;
  readonly closed: boolean;
}

/**
 * Sends bytes as they are to a service's address, for what no HTTP client would send. Resolves when the service closes
 * the connection, or once `until` is in what came.
 */
export function sendRaw(
  address: string,
  bytes: string | Uint8Array,
  options: RawOptions = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect({ host: hostname, port: Number(port) });
    const finish = (closed: boolean) => {
      socket.destroy();
      resolve({ text, closed });
    };
    socket.setEncoding("latin1");
    socket.on("data", (chunk) => {
      text += chunk;
      if (options.until?.test(text)) finish(false);
    });
    socket.on("close", () => finish(true));
    socket.on("error", (error: NodeJS.ErrnoException) => {
      // A service that cuts us off while we send has answered in its way.
      if (error.code === "ECONNRESET" || error.code === "EPIPE") resolve({ text, closed: true });
      else reject(error);
    });
    socket.write(bytes);
    if (options.end) socket.end();
  });
}
