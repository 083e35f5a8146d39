import { CATALOGUE } from "../src/operations/catalogue.ts";

/** The headers with which a client tells a service what it wants: a misspelt one is likely to be one of these. */
export const MEANT_HEADERS: readonly string[] = [
  ...new Set(
    CATALOGUE.flatMap(({ parameters }) =>
      Object.keys(parameters).filter((name) => parameters[name]?.in === "header"),
    ),
  ),
  "Accept",
  "Accept-Encoding",
  "Authorization",
  "Content-Encoding",
  "Content-Type",
  "If-None-Match",
  "Prefer",
  "User-Agent",
  "X-Request-Id",
].toSorted();

/** Headers of requests that standards define or that browsers, libraries, tracers and proxies add by themselves. */
const OTHERS = [
  "accept-charset",
  "accept-language",
  "access-control-request-headers",
  "access-control-request-method",
  "access-control-request-private-network",
  "baggage",
  "b3",
  "cache-control",
  "connection",
  "content-digest",
  "content-language",
  "content-length",
  "cookie",
  "date",
  "dnt",
  "early-data",
  "expect",
  "forwarded",
  "from",
  "host",
  "http2-settings",
  "if-match",
  "if-modified-since",
  "if-range",
  "if-unmodified-since",
  "keep-alive",
  "max-forwards",
  "origin",
  "pragma",
  "priority",
  "proxy-authorization",
  "proxy-connection",
  "range",
  "referer",
  "repr-digest",
  "save-data",
  "signature",
  "signature-input",
  "te",
  "traceparent",
  "tracestate",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "upgrade-insecure-requests",
  "via",
  "want-content-digest",
  "want-repr-digest",
  "x-real-ip",
  "x-requested-with",
];
const KNOWN: ReadonlySet<string> = new Set([...MEANT_HEADERS.map((name) => name.toLowerCase()), ...OTHERS]);
const FAMILIES = /^(?:sec|x-forwarded|x-b3)-/;

/** Whether an operation declares a header of requests, or the world beyond this interface knows it. */
export function isKnownHeader(name: string): boolean {
  return KNOWN.has(name) || FAMILIES.test(name);
}
