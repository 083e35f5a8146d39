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

/** Printable ASCII without spaces. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** The client's own request id if it can be repeated in a header, else a new one (UUIDv7, RFC 9562). */
export function requestIdOf(given: string | null): string {
  return given !== null && REQUEST_ID.test(given) ? given : Bun.randomUUIDv7();
}

const CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i;

/** Whether a `Connection` asks to close the connection after the response (RFC 9112, section 9.6). */
export function asksToClose(connection: string | null): boolean {
  return connection !== null && connection !== "keep-alive" && CLOSE.test(connection);
}

/**
 * Whether an `Accept` (RFC 9110, section 12.5.1) prefers server-sent events to JSON. It must name `text/event-stream`.
 * If it gives JSON the same weight, the client gets JSON.
 */
export function prefersEventStream(accept: string | null): boolean {
  if (accept === null || !/text\/event-stream/i.test(accept)) return false;
  const weights = new Map(accept.split(",").map(weightOf));
  const stream = weights.get("text/event-stream") ?? 0;
  const json = weights.get("application/json") ?? weights.get("application/*");
  if (stream === 0) return false;
  return json === undefined ? stream >= (weights.get("*/*") ?? 0) : stream > json;
}

/** A media range and its weight; a weight that is not a number counts as 0. */
function weightOf(item: string): [range: string, weight: number] {
  const [range = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
  const given = parameters.find((parameter) => parameter.startsWith("q="));
  return [range, given === undefined ? 1 : Number(given.slice("q=".length)) || 0];
}
