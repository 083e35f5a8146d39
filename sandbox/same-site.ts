import { isIP } from "node:net";
import { withoutBrackets } from "../relay/public-address.ts";

/**
 * Why a request must not use the control interface; `undefined` if it may. A page of another site must not: neither
 * directly, which its `Origin` shows, nor under a name of its own that it lets resolve to this machine (DNS rebinding), which
 * `Host` shows. An address cannot be rebound.
 *
 * @param names the names of the sandbox besides localhost, in lower case
 */
export function foreignPart({ headers }: Request, names: ReadonlySet<string>): "origin" | "host" | undefined {
  const authority = headers.get("host") ?? "";
  const origin = headers.get("origin");
  const name = hostName(authority);
  const isOwn = name === "localhost" || names.has(name) || isIP(withoutBrackets(name)) !== 0;
  if (!isOwn) return "host";
  return origin !== null && origin !== `http://${authority}` ? "origin" : undefined;
}

/** The name in a `Host`, without its port and in lower case. */
export function hostName(authority: string): string {
  return authority.replace(/:[0-9]*$/, "").toLowerCase();
}
