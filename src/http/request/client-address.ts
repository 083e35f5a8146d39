import type { Connections } from "../runtime/connections.ts";

/**
 * The address of a request's client. Behind a trusted proxy it is the last address in `X-Forwarded-For`, which the proxy
 * has added. A client can make up the addresses before it.
 */
export function clientAddress(
  request: Request,
  connections: Pick<Connections, "requestIP">,
  trustProxy: boolean,
): string | undefined {
  const forwarded = trustProxy
    ? request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim()
    : undefined;
  return forwarded || connections.requestIP(request)?.address;
}
