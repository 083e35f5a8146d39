/** What the document says to a reader before the operations: Markdown (CommonMark). */
export const INTRODUCTION = `A store's stock of animals: list them, add them, fetch one by its id.

## Authentication
Every request carries an API key: \`Authorization: Bearer <API_KEY>\`. Each operation names the scope that its
key needs.

## Identifiers
Identifiers are signed 64-bit integers, JSON numbers exact to the last digit. Read them with a JSON library
that keeps them: JavaScript's \`JSON.parse\` rounds what lies beyond 2^53.

## Pages
A list is a bare array, in ascending order of \`id\`. Where more follow, the \`Link\` header holds the address of
the next page with \`rel="next"\` (RFC 8288). Follow it as it is: the cursor in it is opaque. Following these
links visits each item exactly once, whoever else is writing.

## Safe retries
A create with an \`Idempotency-Key\` may be sent again when its answer was lost: for 24 hours the same key with the
same content gives the first answer again and adds nothing. With other content it is refused with 422.

## Caching
Every 200 to a GET has an \`ETag\`. Send it as \`If-None-Match\`, and where nothing has changed the answer is 304 with
no body.

## Rate limits
Where the operator limits how often each key may call, every answer says how the caller stands in
\`RateLimit-Policy\` and \`RateLimit\`. Over the limit the answer is 429 with \`Retry-After\`.

## Errors
A request that cannot be served is answered with an \`Error\`. Branch on its \`code\`, which never changes; show or
log its \`message\`, which says what would be right and may be reworded. Answers with \`Retry-After\` may be tried
again after so many seconds. Name the \`X-Request-Id\` of an answer when you ask the operator about it.

## Methods
\`HEAD\` is served wherever \`GET\` is. Another method on a path that exists is answered with 405, the code
\`method_not_allowed\` and an \`Allow\` header; a path that does not exist with 404 and \`path_not_found\`.

## Browsers
Pages of other origins may call the service (CORS), all of them unless the operator narrows it. A preflight needs no
key and is answered with 204; it allows \`GET\`, \`HEAD\` and \`POST\` with the headers \`Authorization\`,
\`Content-Type\`, \`Idempotency-Key\`, \`If-None-Match\` and \`X-Request-Id\`, and holds for a day. Every answer to a
request with an \`Origin\` carries \`Access-Control-Allow-Origin\` and \`Access-Control-Expose-Headers\`, refusals too. Keep
keys out of pages that strangers open: whoever reads the page reads the key.

## Stability
\`x-stability\` says what an operation promises: a \`stable\` one never changes shape. A deprecated one says in
every answer since when (\`Deprecation\`, RFC 9745), when it will be removed (\`Sunset\`, RFC 8594) and what replaces
it (\`Link\` with \`rel="successor-version"\`); from that day on it answers 410.`;
