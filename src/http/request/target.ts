import { isIPv6 } from "node:net";
import { Failure } from "../../domain/failure.ts";

/** The target of a request, still percent-encoded. */
interface Target {
  readonly path: string;
  /** Without its question mark; "" when there is none. */
  readonly query: string;
}

/** The query's parameters, percent-decoded, each with every value that was given. */
export type Query = ReadonlyMap<string, readonly string[]>;

/**
 * Everything after the authority of `request.url`. The runtime leaves the authority out if `Host` is not a host. The
 * target of a CONNECT is an authority alone (RFC 9112, section 3.2.3).
 */
export function rawTarget(url: string): string {
  if (url.startsWith("/")) return url;
  const start = url.indexOf("/", url.indexOf("://") + 3);
  return start < 0 ? url : url.slice(start);
}

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

/** Whether a target is a path or anything below it. */
export function isBelow(path: string, target: string): boolean {
  if (!target.startsWith(path)) return false;
  const next = target[path.length];
  return next === undefined || next === "/" || next === "?";
}

/** Divides a target at its first question mark. */
export function splitTarget(raw: string): Target {
  const mark = raw.indexOf("?");
  return mark < 0 ? { path: raw, query: "" } : { path: raw.slice(0, mark), query: raw.slice(mark + 1) };
}

/** Decodes percent escapes as UTF-8 (RFC 3986, section 2.1). */
export function decodeEscapes(text: string): string | Failure<"malformed_escape"> {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return new Failure("malformed_escape", { text });
  }
}

function decodeForm(text: string): string | Failure<"malformed_escape"> {
  return decodeEscapes(text.includes("+") ? text.replaceAll("+", " ") : text);
}

/** Reads a query as browsers write it (`application/x-www-form-urlencoded`). */
export function parseQuery(query: string): Query | Failure<"malformed_escape"> {
  const values = new Map<string, string[]>();
  if (query === "") return values;
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decodeForm(equals < 0 ? pair : pair.slice(0, equals));
    const value = decodeForm(equals < 0 ? "" : pair.slice(equals + 1));
    if (name instanceof Failure) return name;
    if (value instanceof Failure) return value;
    const others = values.get(name);
    if (others) others.push(value);
    else values.set(name, [value]);
  }
  return values;
}
