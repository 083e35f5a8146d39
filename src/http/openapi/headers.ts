import type { Operation } from "../../operations/operation.ts";

/**
 * Response headers, as components of the document. A value with double quotes is shown in the description, since some
 * generators copy examples into string literals without escaping them.
 */
export const HEADER_COMPONENTS = {
  "X-Request-Id": text(
    "Identifies this request in the operator's log: the client's own id if it sent a valid one (1 to 128 printable " +
      "ASCII characters without spaces), otherwise a new one.",
    "019aa5c3-5f6e-7000-a3d0-5f1d8e1f2a3b",
  ),
  "X-Content-Type-Options": text("Tells browsers not to guess the media type.", "nosniff"),
  "WWW-Authenticate": text(
    "How to authenticate (RFC 6750). If the key is valid but lacks the operation's scope, it names that scope: " +
      '`Bearer error="insufficient_scope", scope="pets:write"`.',
    "Bearer",
  ),
  "Accept-Encoding": text(
    "On a 415 for the request's `Content-Encoding`: the codings that a request body may have (RFC 9110).",
    "identity",
  ),
  "Retry-After": {
    description: "How many seconds to wait before the next attempt.",
    schema: { type: "integer", format: "int32", minimum: 1 },
    example: 1,
  },
  "RateLimit-Policy": text(
    "Present if the operator limits requests: each API key may make `q` requests in `w` seconds " +
      '(IETF draft "RateLimit header fields for HTTP"). For example: `"default";q=100;w=60`.',
  ),
  RateLimit: text(
    "How many requests this API key has left (`r`), and in how many seconds it gains another (`t`). " +
      'For example: `"default";r=99;t=1`.',
  ),
  ETag: text(
    "Identifies this version of the resource. Send it as `If-None-Match`, quotes included, to learn whether it has " +
      'changed (RFC 9110). For example: `"n4bQgYhMfWWaL-qgxVrQFA"`.',
  ),
  "Cache-Control": {
    description:
      "`private, no-cache` on a successful GET: only this client may store the response, and must revalidate it before " +
      "each use. `no-store` on an error: no cache may store it.",
    schema: { type: "string" },
    examples: { success: { value: "private, no-cache" }, error: { value: "no-store" } },
  },
  Vary: text("The request headers that the response depends on.", "Accept-Encoding, Origin"),
  Location: text("The URL of the created resource, relative to this host.", "/v1/pets/1"),
  "Idempotent-Replayed": text(
    "Present, with the value `true`, if an earlier request with the same `Idempotency-Key` created this resource.",
    "true",
  ),
  Link: text(
    'Related URLs, relative to this host (RFC 8288). `rel="next"`: the next page of a list, present exactly when there ' +
      'is one. `rel="successor-version"`: the replacement of a deprecated operation. For example: ' +
      '`</v1/pets?limit=20&cursor=AAAAAAAAABRvtCTtmAAVRYIiwmvQ0WDm>; rel="next"`.',
  ),
  Allow: text("On a 405: the methods that the path supports (RFC 9110).", "GET, HEAD, POST"),
  Deprecation: text(
    "In every response of a deprecated operation: when it was deprecated, as `@` and a Unix time in seconds (RFC 9745).",
    "@1764892800",
  ),
  Sunset: text(
    "In every response of a deprecated operation: when it will be removed (RFC 8594).",
    "Thu, 05 Dec 2030 00:00:00 GMT",
  ),
  "Access-Control-Allow-Origin": text(
    "On a request with an `Origin`: which web pages may read this response. The value is `*`, or the request's origin " +
      "if the operator allows that one. Without this header, a browser hides the response from pages of other origins.",
    "*",
  ),
  "Access-Control-Expose-Headers": text(
    "The headers of this response that a page of another origin may read.",
    "ETag, Link, Location, Retry-After, X-Request-Id",
  ),
};

export type HeaderName = keyof typeof HEADER_COMPONENTS;

/** What every response of an operation may carry. */
export function commonHeaders({ deprecation }: Operation): HeaderName[] {
  return [
    "X-Request-Id",
    "X-Content-Type-Options",
    "RateLimit-Policy",
    "RateLimit",
    "Access-Control-Allow-Origin",
    "Access-Control-Expose-Headers",
    ...(deprecation ? (["Deprecation", "Sunset", "Link"] as const) : []),
  ];
}

/** What a response to a GET carries besides. */
export const VALIDATION_HEADERS: readonly HeaderName[] = ["ETag", "Cache-Control", "Vary"];

/** A response's headers, as references to the components. */
export function headerReferences(names: readonly HeaderName[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** What any value of a header is: no control character but the tab (RFC 9110, section 5.5). The HTTP parser refuses others. */
const SENDABLE = "^[^\\x00-\\x08\\x0a-\\x1f]*$";

/** The request headers that every operation takes, or every operation that reads. */
export const PARAMETER_COMPONENTS = {
  "If-None-Match": requestHeader(
    "If-None-Match",
    "The `ETag` of an earlier response. If nothing has changed since, the response is a 304 without a body.",
  ),
  "X-Request-Id": requestHeader(
    "X-Request-Id",
    "The client's own id for this request, which the response and the operator's log repeat: 1 to 128 printable " +
      "ASCII characters without spaces. The service replaces any other value with a new id.",
  ),
};

function text(description: string, example?: string) {
  return { description, schema: { type: "string" }, ...(example !== undefined && { example }) };
}

/** A header whose every value is taken: its pattern keeps tools from values that no header can have. */
function requestHeader(name: string, description: string) {
  const schema = { type: "string", pattern: SENDABLE };
  return { name, in: "header", required: false, description, schema };
}
