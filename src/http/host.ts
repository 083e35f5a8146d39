/** `uri-host [ ":" port ]` of RFC 9110, section 7.2; it may be empty. */
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(?::[0-9]*)?$/;

/**
 * Whether a `Host` is one that a request may have (RFC 9112, section 3.2). The runtime joins two
 * fields with a comma and a space, which no host holds, so this refuses two of them also. Its absence
 * from an HTTP/1.1 request the runtime refuses by itself.
 */
export function isAcceptableHost(host: string | null): boolean {
  return host === null || HOST.test(host);
}
