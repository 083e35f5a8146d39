/** The document's introduction: Markdown (CommonMark). */
export const INTRODUCTION = `The stock of an animal store, and what happens to it.

## Authentication
Every request needs an API key: \`Authorization: Bearer <API_KEY>\`. Each operation names the scope that the key
must have.

## Identifiers
Identifiers are signed 64-bit integers, sent as JSON numbers and exact to the last digit. Read them with a JSON
library that keeps every digit: JavaScript's \`JSON.parse\` rounds integers beyond 2^53.

## Pagination
A list is a plain JSON array in ascending order of \`id\`, unless \`sort\` says otherwise. If there is a next page, the
\`Link\` header holds its URL with \`rel="next"\` (RFC 8288). Follow that URL unchanged: its cursor is opaque. Following
these links visits each item exactly once, even while other clients write. From the newest to the oldest, it visits each
item that existed when you began.

## Safe retries
Send an \`Idempotency-Key\` with a POST to be able to retry it safely when its response is lost. For 24 hours, the
same key with the same content returns the first response again and stores nothing. The same key with different
content, or for another operation, returns 422.

## Caching
Every 200 response to a GET has an \`ETag\`. Send it as \`If-None-Match\` next time: if nothing has changed, the
response is a 304 without a body.

## Rate limits
If the operator limits requests per API key, every response describes the limit in \`RateLimit-Policy\`, and each
response to a valid key says in \`RateLimit\` what is left of it. A request over the limit returns 429 with
\`Retry-After\`.

## Errors
A request that fails returns an \`Error\`. Branch on its \`code\`, which never changes meaning. Show or log its
\`message\`, which says what would be right; its wording may change. If the response has a \`Retry-After\` header, you
may retry after that many seconds. When you ask the operator about a response, quote its \`X-Request-Id\`.

## Methods
Wherever \`GET\` works, \`HEAD\` does too. A method that a known path does not support returns 405 with the code
\`method_not_allowed\` and an \`Allow\` header. An unknown path returns 404 with the code \`path_not_found\`.

## Browsers
Web pages of any origin may call the service (CORS), unless the operator allows only some. A preflight request needs
no key. Its response is a 204 that browsers may cache for a day; it allows every method of this document with the
headers \`Authorization\` and \`Content-Type\` and every header parameter of this document. Every response to a
request with an \`Origin\` carries \`Access-Control-Allow-Origin\` and \`Access-Control-Expose-Headers\`, errors
included. Never put an API key in a public page: everybody who can open the page can read the key.

## Stability
\`x-stability\` says what to expect of an operation: a \`stable\` operation never changes shape, a \`beta\` operation may
change in any release, and an \`experimental\` operation may also be removed. The operator decides which of them are
offered: this document has no others, and their paths return 404. Every response of a deprecated operation says when
it was deprecated (\`Deprecation\`, RFC 9745), when it will be removed (\`Sunset\`, RFC 8594) and what replaces it
(\`Link\` with \`rel="successor-version"\`). From its removal on, it returns 410.`;
