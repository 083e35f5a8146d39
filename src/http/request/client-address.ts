import type { Connections } from "../connections.ts";

/**
 * The address of a request's client. Behind a proxy that is trusted it is the last that the proxy has
 * added to `X-Forwarded-For`; those before it anyone can make up.
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
