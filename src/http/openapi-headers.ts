/**
 * The headers of responses, as the document's components. A value that holds double quotes is shown in the description:
 * some generators copy examples into string literals as they are.
 */
export const HEADER_COMPONENTS = {
  "X-Request-Id": text(
    "Names this request in the operator's log: the client's own id where it sent one of 1 to 128 printable " +
      "ASCII characters without spaces, otherwise a new one.",
    "019aa5c3-5f6e-7000-a3d0-5f1d8e1f2a3b",
  ),
  "X-Content-Type-Options": text("The media type is as declared.", "nosniff"),
  "WWW-Authenticate": text(
    "How to authenticate (RFC 6750). Where the key is valid but lacks the operation's scope, the header names it: " +
      '`Bearer error="insufficient_scope", scope="pets:write"`.',
    "Bearer",
  ),
  "Accept-Encoding": text(
    "The content codings that a request body may have, on a 415 for its `Content-Encoding` (RFC 9110).",
    "identity",
  ),
  "Retry-After": {
    description: "Seconds to wait before the next try.",
    schema: { type: "integer", format: "int32", minimum: 1 },
    example: 1,
  },
  "RateLimit-Policy": text(
    "How many requests (`q`) each API key may make in how many seconds (`w`), where the operator limits them " +
      '(IETF draft "RateLimit header fields for HTTP"). For example: `"default";q=100;w=60`.',
  ),
  RateLimit: text(
    "How many requests this API key may still make (`r`), and in how many seconds it regains one (`t`). " +
      'For example: `"default";r=99;t=1`.',
  ),
  ETag: text(
    "Names this state of the resource: send it as `If-None-Match`, quotes included, to learn whether it still holds " +
      '(RFC 9110). For example: `"n4bQgYhMfWWaL-qgxVrQFA"`.',
  ),
  "Cache-Control": {
    description:
      "Only this client may keep the answer to a GET, and it must ask before each use; nobody may keep a refusal.",
    schema: { type: "string" },
    examples: { answer: { value: "private, no-cache" }, refusal: { value: "no-store" } },
  },
  Vary: text("The request headers that the answer depends on.", "Accept-Encoding, Origin"),
  Location: text("The address of what was created, relative to this host.", "/v1/pets/1"),
  "Idempotent-Replayed": text(
    "Present, with the value `true`, where an earlier request with the same `Idempotency-Key` added this animal.",
    "true",
  ),
  Link: text(
    'Related addresses, relative to this host (RFC 8288). `rel="next"`: the next page of a list, present exactly when ' +
      'more follow. `rel="successor-version"`: what replaces a deprecated operation. For example: ' +
      '`</v1/pets?limit=20&cursor=AAAAAAAAABRvtCTtmAAVRYIiwmvQ0WDm>; rel="next"`.',
  ),
  Allow: text("The methods that the path serves (RFC 9110), on a 405.", "GET, HEAD, POST"),
  Deprecation: text(
    "Since when the operation is deprecated: `@` and seconds since 1970 (RFC 9745).",
    "@1764892800",
  ),
  Sunset: text("When the operation will be removed (RFC 8594).", "Thu, 05 Dec 2030 00:00:00 GMT"),
  "Access-Control-Allow-Origin": text(
    "Which pages may read this answer, where the request has an `Origin`: any, or the one that asked, if the operator " +
      "allows it. Without this header a browser shows the answer to no page of another origin.",
    "*",
  ),
  "Access-Control-Expose-Headers": text(
    "The headers of this answer that a page of another origin may read.",
    "ETag, Link, Location, Retry-After, X-Request-Id",
  ),
};

export type HeaderName = keyof typeof HEADER_COMPONENTS;

function text(description: string, example?: string) {
  return { description, schema: { type: "string" }, ...(example !== undefined && { example }) };
}
