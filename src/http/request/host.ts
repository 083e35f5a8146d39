import { isIPv6 } from "node:net";

/** A `Host` that names its host: `reg-name [ ":" port ]` of RFC 3986, section 3.2; it may be empty. */
const NAMED = /^(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*(?::[0-9]*)?$/;
/** One that has its host in brackets: what stands in them, the port after them. */
const BRACKETED = /^\[([^\]]*)\](?::[0-9]*)?$/;
const IP_FUTURE = /^v[0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+$/i;

/**
 * Whether a `Host` is one that a request may have (RFC 9112, section 3.2). The runtime joins two
 * fields with a comma and a space, which no host holds, so this refuses two of them also. Its absence
 * from an HTTP/1.1 request the runtime refuses by itself.
 */
export function isAcceptableHost(host: string | null): boolean {
  return host === null || NAMED.test(host) || isBracketed(host);
}

function isBracketed(host: string): boolean {
  const address = BRACKETED.exec(host)?.[1];
  // A zone is no part of an address here, though `isIPv6` would take one.
  return address !== undefined && ((isIPv6(address) && !address.includes("%")) || IP_FUTURE.test(address));
}
