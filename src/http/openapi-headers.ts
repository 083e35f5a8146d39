/** The headers of answers, as the document's components. */
export const HEADER_COMPONENTS = {
  "X-Request-Id": text(
    "Names this request in the operator's log: the client's own where it sent one of 1 to 128 printable " +
      "ASCII characters without spaces, else a new one.",
    "019aa5c3-5f6e-7000-a3d0-5f1d8e1f2a3b",
  ),
  "X-Content-Type-Options": text("The media type is as declared.", "nosniff"),
  "WWW-Authenticate": {
    description:
      "How to authenticate; where the key is valid but may not do this, which scope it lacks (RFC 6750).",
    schema: { type: "string" },
    examples: {
      unauthorized: { value: "Bearer" },
      insufficient_scope: { value: 'Bearer error="insufficient_scope", scope="pets:write"' },
    },
  },
  "Retry-After": {
    description: "Seconds to wait before the next try.",
    schema: { type: "integer", minimum: 1 },
    example: 1,
  },
  "RateLimit-Policy": text(
    "How many requests (`q`) each API key may make in how many seconds (`w`), where the operator limits them " +
      '(IETF draft "RateLimit header fields for HTTP").',
    '"default";q=100;w=60',
  ),
  RateLimit: text(
    "How many requests this API key may still make (`r`), and in how many seconds one more is regained (`t`).",
    '"default";r=99;t=1',
  ),
  ETag: text(
    "Names this state of what was asked for: send it as `If-None-Match` to learn whether it still holds (RFC 9110).",
    '"n4bQgYhMfWWaL-qgxVrQFA"',
  ),
  "Cache-Control": {
    description:
      "What is answered to a GET may be kept by this client alone, which asks before each use; refusals by nobody.",
    schema: { type: "string" },
    examples: { answer: { value: "private, no-cache" }, refusal: { value: "no-store" } },
  },
  Vary: text("The request headers that the answer depends on.", "Accept-Encoding, Origin"),
  Location: text("The address of what was created, relative to this host.", "/v1/pets/1"),
  Link: {
    description:
      'Related addresses, relative to this host (RFC 8288). `rel="next"`: the next page of a list, there ' +
      'exactly when more follow. `rel="successor-version"`: what replaces a deprecated operation.',
    schema: { type: "string" },
    examples: {
      next: { value: '</v1/pets?limit=20&cursor=AAAAAAAAABRvtCTtmAAVRYIiwmvQ0WDm>; rel="next"' },
      "successor-version": { value: '</v1/pets>; rel="successor-version"' },
    },
  },
  Deprecation: text(
    "Since when the operation is deprecated: `@` and seconds since 1970 (RFC 9745).",
    "@1764892800",
  ),
  Sunset: text("When the operation will be removed (RFC 8594).", "Thu, 05 Dec 2030 00:00:00 GMT"),
};

export type HeaderName = keyof typeof HEADER_COMPONENTS;

function text(description: string, example: string) {
  return { description, schema: { type: "string" }, example };
}
