import { isIP } from "node:net";
import type { Connections } from "../runtime/connections.ts";

/**
 * The address of a request's client. Behind a trusted proxy it is the last address in `X-Forwarded-For`, which the proxy
 * has added. A client can make up the addresses before it. What is no address is not believed: it came from no proxy.
 */
export function clientAddress(
  request: Request,
  connections: Pick<Connections, "requestIP">,
  trustProxy: boolean,
): string | undefined {
  const forwarded = trustProxy ? lastAddress(request.headers.get("x-forwarded-for")) : undefined;
  return forwarded ?? connections.requestIP(request)?.address;
}

/** An address as some proxies write it: `203.0.113.7:4711`, `[2001:db8::7]:4711`. */
const WITH_PORT = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/;

function lastAddress(chain: string | null): string | undefined {
  const last = chain?.slice(chain.lastIndexOf(",") + 1).trim() ?? "";
  const [, bracketed, plain] = WITH_PORT.exec(last) ?? [];
  const address = bracketed ?? plain ?? last;
  return isIP(address) === 0 ? undefined : address;
}
