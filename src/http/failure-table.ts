import type { Failure, FailureCode, FailureDetails, UnreadyPart } from "../domain/failure.ts";
import { quote } from "../domain/quote.ts";

/** How one kind of failure is told to a client. */
export interface FailureEntry<Code extends FailureCode> {
  readonly status: number;
  /** Names what is wrong and what would be right. Nothing of the inside goes here. */
  message(detail: FailureDetails[Code]): string;
  headers?(detail: FailureDetails[Code]): Record<string, string>;
  /** When it happens, and what a client's developer does then: for the OpenAPI document and `docs/errors.md`. */
  readonly when: string;
  readonly help: string;
  /** A detail to show there. */
  readonly example: FailureDetails[Code];
}

const UNREADY: Readonly<Record<UnreadyPart, string>> = {
  stopping: "the service is stopping",
  reading: "the store cannot be read",
  writing: "the store can be read, but not written",
};

const RETRY_AFTER = { "Retry-After": "1" };

/** Total: a new failure does not compile until it has a row here. */
export const FAILURE_TABLE: { readonly [Code in FailureCode]: FailureEntry<Code> } = {
  malformed_escape: {
    status: 400,
    message: ({ text }) =>
      `${quote(text)} holds a percent escape that is broken or is not UTF-8. Write \`%\` itself as \`%25\`.`,
    when: "The path or the query holds a `%` that two hexadecimal digits do not follow, or escapes that are not UTF-8.",
    help: "Build addresses with your language's URL library. A `%` itself is written `%25`.",
    example: { text: "%zz" },
  },
  invalid_parameter: {
    status: 400,
    message: ({ name, rule }) => `The query parameter \`${name}\` ${rule}.`,
    when: "A query parameter has a value that it cannot have, or was given more than once.",
    help:
      "The message names the parameter and what it may be. A `cursor` is taken unchanged from the `Link` header " +
      "of a page with the same filter; when one is refused, begin again with the first page.",
    example: { name: "limit", rule: "must be a whole number from 1 to 100, in plain decimal" },
  },
  malformed_body: {
    status: 400,
    message: ({ problem }) => `The body ${problem}. Send one JSON object.`,
    when:
      "The body is empty, is not UTF-8, is not JSON, is not an object, is nested deeper than 64 levels, " +
      "or names a member twice in one object.",
    help: "The message says what is wrong and at which character. Write bodies with a JSON library.",
    example: { problem: "is not valid JSON: a comma or `}` was expected (character 15)" },
  },
  invalid_body: {
    status: 400,
    message: ({ problems }) => `${problems.join("; ")}.`,
    when: "The body is a JSON object, but a required member is missing or a member has a value that it cannot have.",
    help: "The message names every member at fault and what it may be. The OpenAPI document has the rules as a schema.",
    example: {
      problems: [
        "`name` is required and must be a string of 1 to 255 characters that is not only white space",
      ],
    },
  },
  invalid_header: {
    status: 400,
    message: ({ name, rule }) => `The header \`${name}\` ${rule}.`,
    when: "A header of the request has a value that it cannot have.",
    help: "The message names the header and what it may be.",
    example: {
      name: "Idempotency-Key",
      rule: "must be given once, with 1 to 255 printable ASCII characters",
    },
  },
  invalid_host: {
    status: 400,
    message: () => "The `Host` header must be given once, and name a host.",
    when: "The request has two `Host` headers, or one that is no host (RFC 9112, section 3.2).",
    help: "Send one `Host` header with the service's name and, where it is not the usual one, port.",
    example: {},
  },
  unauthorized: {
    status: 401,
    message: () => "A valid API key is required, sent as `Authorization: Bearer <API_KEY>`.",
    headers: () => ({ "WWW-Authenticate": "Bearer" }),
    when:
      "The `Authorization` header is missing or malformed, or its key is unknown, has expired or was revoked. " +
      "The answer is the same for all of these, on purpose.",
    help:
      "Send `Authorization: Bearer <API_KEY>`. Where the key should work, ask the operator, who sees with " +
      "`animal-store keys list` whether it does. Retrying with the same key will not help.",
    example: { refusal: "missing", keyId: undefined },
  },
  insufficient_scope: {
    status: 403,
    message: ({ scope }) => `This API key lacks the scope \`${scope}\`, which this operation needs.`,
    // RFC 6750, section 3.1.
    headers: ({ scope }) => ({ "WWW-Authenticate": `Bearer error="insufficient_scope", scope="${scope}"` }),
    when: "The key is valid, but was made without the scope that the operation needs.",
    help:
      "Use a key that has the scope, which the message and `WWW-Authenticate` name; the operator makes one with " +
      "`animal-store keys create --scopes`.",
    example: { scope: "pets:write" },
  },
  path_not_found: {
    status: 404,
    message: ({ path }) => `There is nothing at ${quote(path)}. \`/openapi.json\` lists every path.`,
    when:
      "No operation and no page has this path. Letters count with their case, and a trailing slash makes a " +
      "different path.",
    help: "Compare the path with the document at `/openapi.json`; paths of operations begin with `/v1`.",
    example: { path: "/v1/pets/" },
  },
  animal_not_found: {
    status: 404,
    message: ({ id }) => `There is no animal with the id ${quote(id)}.`,
    when: "The store has no animal with this id, or the text in the path is no positive int64 in plain decimal.",
    help: "`GET /v1/pets` lists the animals that there are.",
    example: { id: "42" },
  },
  method_not_allowed: {
    status: 405,
    message: ({ method, allowed }) =>
      `${method} is not served here; ${allowed.join(", ")} ${allowed.length > 1 ? "are" : "is"}.`,
    // RFC 9110, section 15.5.6.
    headers: ({ allowed }) => ({ Allow: allowed.join(", ") }),
    when: "The path exists, but does not serve this method.",
    help: "Use one of the methods that the message and the `Allow` header name.",
    example: { method: "DELETE", allowed: ["GET", "HEAD", "POST"] },
  },
  operation_removed: {
    status: 410,
    message: ({ removedOn, instead }) =>
      `This operation was removed on ${removedOn.toISOString().slice(0, 10)}. Use ${instead}.`,
    when: "The operation was deprecated, and the day of its `Sunset` header has come.",
    help: "Use what the message and the `Link` header with the relation `successor-version` name.",
    example: { removedOn: new Date("2030-12-05T00:00:00Z"), instead: "GET /pets with the status filter" },
  },
  body_too_large: {
    status: 413,
    message: ({ maximumBytes }) => `The body is larger than ${maximumBytes} bytes, the most that is read.`,
    when: "The body has more than 65,536 bytes, whether its length was declared or not.",
    help: "Send one animal a request: no valid one needs more than 4 KiB.",
    example: { maximumBytes: 65536 },
  },
  unsupported_media_type: {
    status: 415,
    message: ({ given }) =>
      `${given === null ? "The body has no Content-Type" : `The Content-Type ${quote(given)} is not served`}; ` +
      "send `application/json`, in UTF-8.",
    when: "The body's `Content-Type` is missing, is not `application/json`, or names a charset other than UTF-8.",
    help:
      "Send `Content-Type: application/json`, with `charset=utf-8` or without. Many HTTP libraries name another " +
      "type, a form's for example, unless they are told.",
    example: { given: "text/plain" },
  },
  unsupported_content_encoding: {
    status: 415,
    message: ({ given }) =>
      `The body has the Content-Encoding ${quote(given)}, which is not decoded; send it as it is, without this header.`,
    // RFC 9110, section 12.5.3: this tells a 415 for the coding from one for the media type.
    headers: () => ({ "Accept-Encoding": "identity" }),
    when: "The request's `Content-Encoding` names a coding: bodies are read as they are, in `identity`.",
    help: "Switch the compression of request bodies off in the HTTP library. Responses are compressed where it asks.",
    example: { given: "gzip" },
  },
  idempotency_key_reused: {
    status: 422,
    message: () =>
      "This `Idempotency-Key` was used with other content in the last 24 hours. Use a new one for a new animal.",
    when: "A create came with an `Idempotency-Key` that the same API key has used for other content.",
    help: "Make a new `Idempotency-Key` for every new animal, and send it again only to repeat that create.",
    example: {},
  },
  rate_limited: {
    status: 429,
    message: ({ quota, windowSeconds, retryAfterSeconds }) =>
      `This API key may make ${quota} requests in ${windowSeconds} s; try again in ${retryAfterSeconds} s.`,
    headers: ({ retryAfterSeconds }) => ({ "Retry-After": String(retryAfterSeconds) }),
    when: "The operator limits how often each API key may call, and this key called more often.",
    help: "Wait for the seconds in `Retry-After`; the headers `RateLimit-Policy` and `RateLimit` of every answer say how you stand.",
    example: { quota: 100, windowSeconds: 60, retryAfterSeconds: 1 },
  },
  internal_error: {
    status: 500,
    message: () =>
      "Something went wrong here, not in the request. The operator's log has it under this request's id.",
    when: "The service met something that it was not made for: a defect of the program, not of the request.",
    help:
      "Tell the operator the `X-Request-Id` of the answer: the log has the cause under it. Whether a create was " +
      "stored is not known: repeat it only with the `Idempotency-Key` that it had.",
    example: {},
  },
  overloaded: {
    status: 503,
    message: () =>
      "The service has all the work it can hold. Nothing was stored; try again after `Retry-After` seconds.",
    headers: () => RETRY_AFTER,
    when:
      "The queue of creates that wait for the disk is full, or more requests are in progress than `MAX_REQUESTS`, or " +
      "too much waits to be read by clients.",
    help: "Try again after the seconds in `Retry-After`, with longer pauses each time.",
    example: {},
  },
  store_unavailable: {
    status: 503,
    message: () => "The store cannot do this now; try again after `Retry-After` seconds.",
    headers: () => RETRY_AFTER,
    when: "The store cannot be reached, its disk is full, or its file cannot be read or written.",
    help:
      "Try again after the seconds in `Retry-After`, with longer pauses each time; the service recovers by itself " +
      "when the cause is gone. Whether a create was stored is not known: repeat it with the `Idempotency-Key` that it had.",
    example: {},
  },
  not_ready: {
    status: 503,
    message: ({ part }) => `Not ready: ${UNREADY[part]}.`,
    headers: () => RETRY_AFTER,
    when: "Only `/readyz` and `/healthz` answer this: the service is stopping, or its store cannot be read, or not be written.",
    help:
      "Send requests to other instances until this one is ready, or try again after the seconds in `Retry-After`. " +
      "The operator finds the cause in the log.",
    example: { part: "writing" },
  },
};

/** What a failure says, with its row of the table. */
export function describe<Code extends FailureCode>({
  code,
  detail,
}: Failure<Code>): {
  readonly code: Code;
  readonly message: string;
  readonly status: number;
  readonly headers: Record<string, string>;
} {
  const entry: FailureEntry<Code> = FAILURE_TABLE[code];
  return {
    code,
    message: entry.message(detail),
    status: entry.status,
    headers: entry.headers?.(detail) ?? {},
  };
}
