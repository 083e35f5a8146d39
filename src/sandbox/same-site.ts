import { isIP } from "node:net";

/**
 * Whether a request to the control interface may be served. A page of another site must not use it: neither directly,
 * which its `Origin` shows, nor under a name of its own that it lets resolve to this machine (DNS rebinding), which
 * `Host` shows. An address cannot be rebound.
 *
 * @param host the address or name that the sandbox listens on
 */
export function isSameSite({ headers }: Request, host: string): boolean {
  const authority = headers.get("host") ?? "";
  const origin = headers.get("origin");
  if (origin !== null && origin !== `http://${authority}`) return false;
  const name = authority.replace(/:[0-9]*$/, "").toLowerCase();
  return name === "localhost" || name === host.toLowerCase() || isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0;
}
