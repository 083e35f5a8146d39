import type { Failure, FailureCode, FailureDetails, UnreadyPart } from "../../domain/failure.ts";
import { nextStatuses } from "../../domain/order.ts";
import { quote } from "../../domain/quote.ts";

/** How one kind of failure is reported to a client. */
interface FailureEntry<Code extends FailureCode> {
  readonly status: number;
  /** Names what is wrong and what would be right. It reveals nothing about the service's internals. */
  message(detail: FailureDetails[Code]): string;
  headers?(detail: FailureDetails[Code]): Record<string, string>;
  /** When it occurs, and what the developer of a client can do: for the OpenAPI document and `docs/errors.md`. */
  readonly when: string;
  readonly help: string;
  /** The detail of the example shown there. */
  readonly example: FailureDetails[Code];
}

const UNREADY: Readonly<Record<UnreadyPart, string>> = {
  stopping: "the service is stopping",
  reading: "the store cannot be read",
  writing: "the store can be read but not written",
};

/** "GET, HEAD or POST". */
const OR = new Intl.ListFormat("en-GB", { type: "disjunction" });

const RETRY_AFTER = { "Retry-After": "1" };

/** Total: a new failure does not compile until it has a row here. */
export const FAILURE_TABLE: { readonly [Code in FailureCode]: FailureEntry<Code> } = {
  malformed_escape: {
    status: 400,
    message: ({ text }) =>
      `${quote(text)} contains a percent escape that is incomplete or not UTF-8. Write a literal \`%\` as \`%25\`.`,
    when:
      "The path or the query contains a `%` without two hexadecimal digits after it, or escapes that do not decode " +
      "to UTF-8.",
    help: "Build URLs with your language's URL library. A literal `%` is written `%25`.",
    example: { text: "%zz" },
  },
  invalid_parameter: {
    status: 400,
    message: ({ name, rule }) => `The query parameter \`${name}\` ${rule}.`,
    when: "A query parameter has an invalid value, or appears more than once.",
    help:
      "The message names the parameter and the values it accepts. Take a `cursor` unchanged from the `Link` header " +
      "of a page with the same filter; if a cursor is refused, start again from the first page.",
    example: { name: "limit", rule: "must be a whole number from 1 to 100, in plain decimal" },
  },
  malformed_body: {
    status: 400,
    message: ({ problem }) => `The body ${problem}. Send one JSON object.`,
    when:
      "The body is empty, not UTF-8, not JSON or not an object; or it is nested deeper than 64 levels, or an object " +
      "in it has two members of the same name.",
    help: "The message says what is wrong and at which character. Write bodies with a JSON library.",
    example: { problem: "is not valid JSON: a comma or `}` was expected (character 15)" },
  },
  invalid_body: {
    status: 400,
    message: ({ problems }) => `${problems.join("; ")}.`,
    when: "The body is a JSON object, but a required member is missing or a member has an invalid value.",
    help: "The message names each member at fault and what it must be. The OpenAPI document has the rules as a schema.",
    example: {
      problems: [
        "`name` is required and must be a string of 1 to 255 characters that is not only white space",
      ],
    },
  },
  invalid_header: {
    status: 400,
    message: ({ name, rule }) => `The header \`${name}\` ${rule}.`,
    when: "A request header has an invalid value.",
    help: "The message names the header and the values it accepts.",
    example: {
      name: "Idempotency-Key",
      rule: "must be given once, with 1 to 255 printable ASCII characters",
    },
  },
  invalid_host: {
    status: 400,
    message: () => "The request must have one `Host` header, and it must name a host.",
    when: "The request has two `Host` headers, or one whose value is not a host (RFC 9112, section 3.2).",
    help: "Send one `Host` header with the service's name and, unless it is the default, its port.",
    example: {},
  },
  unauthorized: {
    status: 401,
    message: () => "A valid API key is required, sent as `Authorization: Bearer <API_KEY>`.",
    headers: () => ({ "WWW-Authenticate": "Bearer" }),
    when:
      "The `Authorization` header is missing or malformed, or its key is unknown, expired or revoked. The response " +
      "is the same in every case, on purpose.",
    help:
      "Send `Authorization: Bearer <API_KEY>`. If the key should work, ask the operator to check it with " +
      "`animal-store keys list`. Retrying with the same key will not help.",
    example: { refusal: "missing", keyId: undefined },
  },
  insufficient_scope: {
    status: 403,
    message: ({ scope }) => `This API key lacks the scope \`${scope}\`, which this operation requires.`,
    // RFC 6750, section 3.1.
    headers: ({ scope }) => ({ "WWW-Authenticate": `Bearer error="insufficient_scope", scope="${scope}"` }),
    when: "The key is valid, but it does not have the scope that the operation requires.",
    help:
      "Use a key with the scope that the message and `WWW-Authenticate` name. The operator creates one with " +
      "`animal-store keys create --scopes`.",
    example: { scope: "pets:write" },
  },
  path_not_found: {
    status: 404,
    message: ({ path, stability }) =>
      stability === undefined
        ? `There is nothing at ${quote(path)}. \`/openapi.json\` lists every path.`
        : `There is nothing at ${quote(path)} on this service, whose operator would offer it with \`STABILITY=${stability}\`.`,
    when:
      "No operation and no page has this path. Paths are case-sensitive, and a path with a trailing slash is a " +
      "different path.",
    help: "Compare the path with the document at `/openapi.json`. The paths of operations begin with `/v1`.",
    example: { path: "/v1/pets/" },
  },
  animal_not_found: {
    status: 404,
    message: ({ id }) => `There is no animal with the id ${quote(id)}.`,
    when: "No animal has this id, or the id in the path is not a positive int64 in plain decimal.",
    help: "List the animals with `GET /v1/pets`.",
    example: { id: "42" },
  },
  order_not_found: {
    status: 404,
    message: ({ id }) => `There is no order with the id ${quote(id)}.`,
    when: "No order has this id, or the id in the path is not a positive int64 in plain decimal.",
    help: "List the orders with `GET /v1/orders`.",
    example: { id: "42" },
  },
  method_not_allowed: {
    status: 405,
    message: ({ method, allowed }) => `This path does not support ${method}. Use ${OR.format(allowed)}.`,
    // RFC 9110, section 15.5.6.
    headers: ({ allowed }) => ({ Allow: allowed.join(", ") }),
    when: "The path exists, but does not support this method.",
    help: "Use one of the methods in the message and the `Allow` header.",
    example: { method: "DELETE", allowed: ["GET", "HEAD", "POST"] },
  },
  animal_not_available: {
    status: 409,
    message: ({ id, status }) =>
      `The animal ${quote(id)} is ${quote(status)}. Only an animal that is \`available\` can be ordered.`,
    when: "The animal exists, but it is `pending` or `sold`.",
    help:
      "List the animals that can be ordered with `GET /v1/pets?status=available`. An animal becomes `available` again " +
      "when its order is cancelled.",
    example: { id: "1", status: "pending" },
  },
  invalid_transition: {
    status: 409,
    message: ({ from, to }) => {
      const next = nextStatuses(from).map(quote);
      const rule = next.length > 0 ? `it can become ${OR.format(next)}` : "its status can no longer change";
      return `The order is ${quote(from)}, so it cannot become ${quote(to)}; ${rule}.`;
    },
    when:
      "The order cannot take this step. It goes from `placed` to `approved` to `delivered`; until it is `delivered` it " +
      "can become `cancelled`.",
    help: "Fetch the order with `GET /v1/orders/{orderId}`: another client may have changed it. Then send a valid step.",
    example: { from: "placed", to: "delivered" },
  },
  events_expired: {
    status: 410,
    message: () =>
      "Events after this position are no longer kept. Request a page with `from=latest`, read the lists, then continue from that page's `Link`.",
    when: "The position in the feed is older than the oldest event that is kept, or was lost when the store was restored.",
    help:
      "Request `GET /v1/events?from=latest`, then list the animals and orders, then continue from the `Link` of the first " +
      "response: it misses nothing that changes meanwhile.",
    example: {},
  },
  operation_removed: {
    status: 410,
    message: ({ removedOn, instead }) =>
      `This operation was removed on ${removedOn.toISOString().slice(0, 10)}. Use ${instead}.`,
    when: "The operation was deprecated, and the date in its `Sunset` header has passed.",
    help: "Use the replacement that the message and the `Link` header with the relation `successor-version` name.",
    example: { removedOn: new Date("2030-12-05T00:00:00Z"), instead: "GET /pets with the status filter" },
  },
  precondition_failed: {
    status: 412,
    message: () =>
      "The order has changed: `If-Match` does not name its current `ETag`. Fetch the order, and decide again.",
    when: "None of the entity tags in `If-Match` is the order's current one: the order has changed since. This request changed nothing.",
    help:
      "Fetch the order with `GET /v1/orders/{orderId}`, and decide by what it is now; then send the new `ETag`. After a lost " +
      "response the change may be your own.",
    example: {},
  },
  body_too_large: {
    status: 413,
    message: ({ maximumBytes }) => `The body is larger than the maximum of ${maximumBytes} bytes.`,
    when: "The body is larger than 65,536 bytes, whether or not its length was declared.",
    help: "Send only what the operation needs: no valid body needs more than 4 KiB.",
    example: { maximumBytes: 65536 },
  },
  unsupported_media_type: {
    status: 415,
    message: ({ given, supported }) =>
      `${given === null ? "The body has no Content-Type" : `The Content-Type ${quote(given)} is not supported`}; ` +
      `send ${OR.format(supported.map(quote))}, in UTF-8.`,
    when:
      "The body's `Content-Type` is missing, is not a media type that the operation takes, or names a charset other " +
      "than UTF-8.",
    help:
      "Send `Content-Type: application/json`, with or without `charset=utf-8`. Many HTTP libraries default to " +
      "another type, such as a form's.",
    example: { given: "text/plain", supported: ["application/json"] },
  },
  unsupported_content_encoding: {
    status: 415,
    message: ({ given }) =>
      `The Content-Encoding ${quote(given)} is not supported; send the body uncompressed, without this header.`,
    // RFC 9110, section 12.5.3: this distinguishes a 415 for the coding from a 415 for the media type.
    headers: () => ({ "Accept-Encoding": "identity" }),
    when: "The request's `Content-Encoding` names a coding other than `identity`.",
    help:
      "Turn off the compression of request bodies in your HTTP library. Responses are compressed for clients that " +
      "ask for it.",
    example: { given: "gzip" },
  },
  idempotency_key_reused: {
    status: 422,
    message: () =>
      "This `Idempotency-Key` was used with different content in the last 24 hours. Use a new one for a new request.",
    when: "The same API key has already used this `Idempotency-Key` for different content, or for another operation.",
    help: "Generate a new `Idempotency-Key` for each request. Reuse it only to retry that request.",
    example: {},
  },
  rate_limited: {
    status: 429,
    message: ({ quota, windowSeconds, retryAfterSeconds }) =>
      `This API key may make ${quota} requests in ${windowSeconds} s; try again in ${retryAfterSeconds} s.`,
    headers: ({ retryAfterSeconds }) => ({ "Retry-After": String(retryAfterSeconds) }),
    when: "The operator limits how often each API key may call, and this key has exceeded the limit.",
    help:
      "Wait for the number of seconds in `Retry-After`. The headers `RateLimit-Policy` and `RateLimit` of each response to " +
      "your key show the limit and how much of it is left.",
    example: { quota: 100, windowSeconds: 60, retryAfterSeconds: 1 },
  },
  internal_error: {
    status: 500,
    message: () =>
      "An unexpected error occurred in the service. The operator's log has its cause under this request's id.",
    when: "The service met a condition that it does not handle: a defect in the program, not in the request.",
    help:
      "Send the operator the `X-Request-Id` of the response: the log has the cause under that id. What a POST sent may or " +
      "may not have been stored: retry it only if it had an `Idempotency-Key`, and with the same one.",
    example: {},
  },
  overloaded: {
    status: 503,
    message: () =>
      "The service is at capacity. Nothing was stored; try again after the number of seconds in `Retry-After`.",
    headers: () => RETRY_AFTER,
    when:
      "The queue of writes waiting for the disk is full, more than `MAX_REQUESTS` requests are in progress, or " +
      "clients have left too many responses unread. Also: the service can open no more files.",
    help: "Retry after the number of seconds in `Retry-After`, and wait longer before each further attempt.",
    example: {},
  },
  store_unavailable: {
    status: 503,
    message: () => "The store is unavailable; try again after the number of seconds in `Retry-After`.",
    headers: () => RETRY_AFTER,
    when: "The store cannot be reached, its disk is full, or its file cannot be read or written.",
    help:
      "Retry after the number of seconds in `Retry-After`, and wait longer before each further attempt. The service " +
      "recovers without a restart once the cause is gone. What a POST sent may or may not have been stored: retry it " +
      "with the `Idempotency-Key` that it had.",
    example: {},
  },
  not_ready: {
    status: 503,
    message: ({ part, waitsFor }) =>
      `Not ready: ${UNREADY[part]}.${waitsFor === undefined ? "" : ` A write waits for ${waitsFor}.`}`,
    headers: () => RETRY_AFTER,
    when:
      "`/readyz` and `/healthz` return this: the service is stopping, or its store cannot be read, or it can be read but " +
      "not written. A request for a stream gets it from a service that is stopping.",
    help:
      "Send requests to other instances until this one is ready, or retry after the number of seconds in " +
      "`Retry-After`. The operator's log has the cause.",
    example: { part: "writing" },
  },
};

/** A failure as a client sees it: its code, and what the table says about it. */
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
