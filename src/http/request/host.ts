import { isIPv6 } from "node:net";

/** A host by name or IPv4 address: `reg-name [ ":" port ]` (RFC 3986, section 3.2). The name may be empty. */
const NAMED = /^(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*(?::[0-9]*)?$/;
/** A host in brackets, and its port: an IPv6 address, or one of a later version. */
const BRACKETED = /^\[([^\]]*)\](?::[0-9]*)?$/;
const IP_FUTURE = /^v[0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+$/i;

/**
 * Whether a request may have this `Host` (RFC 9112, section 3.2). The runtime joins two fields with a comma and a space,
 * which no host contains, so two fields are refused too. The runtime itself refuses an HTTP/1.1 request without one.
 */
export function isAcceptableHost(host: string | null): boolean {
  return host === null || NAMED.test(host) || isBracketed(host);
}

function isBracketed(host: string): boolean {
  const address = BRACKETED.exec(host)?.[1];
  // `isIPv6` accepts a zone, which a `Host` may not have.
  return address !== undefined && ((isIPv6(address) && !address.includes("%")) || IP_FUTURE.test(address));
}
