// Generated from openapi.json by `npm run generate`: do not edit.

import { ServiceError } from "./errors.ts";

/** `malformed_escape`: Build URLs with your language's URL library. A literal `%` is written `%25`. */
export class MalformedEscapeError extends ServiceError {
  declare readonly code: "malformed_escape";
}

/**
 * `invalid_parameter`: The message names the parameter and the values it accepts. Take a `cursor` unchanged
 * from the `Link` header of a page with the same filter; if a cursor is refused, start again from the first
 * page.
 */
export class InvalidParameterError extends ServiceError {
  declare readonly code: "invalid_parameter";
}

/** `malformed_body`: The message says what is wrong and at which character. Write bodies with a JSON library. */
export class MalformedBodyError extends ServiceError {
  declare readonly code: "malformed_body";
}

/**
 * `invalid_body`: The message names each member at fault and what it must be. The OpenAPI document has the
 * rules as a schema.
 */
export class InvalidBodyError extends ServiceError {
  declare readonly code: "invalid_body";
}

/** `invalid_header`: The message names the header and the values it accepts. */
export class InvalidHeaderError extends ServiceError {
  declare readonly code: "invalid_header";
}

/** `invalid_host`: Send one `Host` header with the service's name and, unless it is the default, its port. */
export class InvalidHostError extends ServiceError {
  declare readonly code: "invalid_host";
}

/**
 * `unauthorized`: Send `Authorization: Bearer <API_KEY>`. If the key should work, ask the operator to check it
 * with `animal-store keys list`. Retrying with the same key will not help.
 */
export class UnauthorizedError extends ServiceError {
  declare readonly code: "unauthorized";
}

/**
 * `insufficient_scope`: Use a key with the scope that the message and `WWW-Authenticate` name. The operator
 * creates one with `animal-store keys create --scopes`.
 */
export class InsufficientScopeError extends ServiceError {
  declare readonly code: "insufficient_scope";
}

/**
 * `path_not_found`: Compare the path with the document at `/openapi.json`. The paths of operations begin with
 * `/v1`.
 */
export class PathNotFoundError extends ServiceError {
  declare readonly code: "path_not_found";
}

/** `animal_not_found`: List the animals with `GET /v1/pets`. */
export class AnimalNotFoundError extends ServiceError {
  declare readonly code: "animal_not_found";
}

/** `order_not_found`: List the orders with `GET /v1/orders`. */
export class OrderNotFoundError extends ServiceError {
  declare readonly code: "order_not_found";
}

/** `method_not_allowed`: Use one of the methods in the message and the `Allow` header. */
export class MethodNotAllowedError extends ServiceError {
  declare readonly code: "method_not_allowed";
}

/**
 * `animal_not_available`: List the animals that can be ordered with `GET /v1/pets?status=available`. An animal
 * becomes `available` again when its order is cancelled.
 */
export class AnimalNotAvailableError extends ServiceError {
  declare readonly code: "animal_not_available";
}

/**
 * `invalid_transition`: Fetch the order with `GET /v1/orders/{orderId}`: another client may have changed it.
 * Then send a valid step.
 */
export class InvalidTransitionError extends ServiceError {
  declare readonly code: "invalid_transition";
}

/**
 * `events_expired`: Request `GET /v1/events?from=latest`, then list the animals and orders, then continue from
 * the `Link` of the first response: it misses nothing that changes meanwhile.
 */
export class EventsExpiredError extends ServiceError {
  declare readonly code: "events_expired";
}

/**
 * `operation_removed`: Use the replacement that the message and the `Link` header with the relation
 * `successor-version` name.
 */
export class OperationRemovedError extends ServiceError {
  declare readonly code: "operation_removed";
}

/**
 * `precondition_failed`: Fetch the order with `GET /v1/orders/{orderId}`, and decide by what it is now; then
 * send the new `ETag`. After a lost response the change may be your own.
 */
export class PreconditionFailedError extends ServiceError {
  declare readonly code: "precondition_failed";
}

/** `body_too_large`: Send only what the operation needs: no valid body needs more than 4 KiB. */
export class BodyTooLargeError extends ServiceError {
  declare readonly code: "body_too_large";
}

/**
 * `unsupported_media_type`: Send `Content-Type: application/json`, with or without `charset=utf-8`. Many HTTP
 * libraries default to another type, such as a form's.
 */
export class UnsupportedMediaTypeError extends ServiceError {
  declare readonly code: "unsupported_media_type";
}

/**
 * `unsupported_content_encoding`: Turn off the compression of request bodies in your HTTP library. Responses
 * are compressed for clients that ask for it.
 */
export class UnsupportedContentEncodingError extends ServiceError {
  declare readonly code: "unsupported_content_encoding";
}

/**
 * `idempotency_key_reused`: Generate a new `Idempotency-Key` for each request. Reuse it only to retry that
 * request.
 */
export class IdempotencyKeyReusedError extends ServiceError {
  declare readonly code: "idempotency_key_reused";
}

/**
 * `rate_limited`: Wait for the number of seconds in `Retry-After`. The headers `RateLimit-Policy` and
 * `RateLimit` of each response to your key show the limit and how much of it is left.
 */
export class RateLimitedError extends ServiceError {
  declare readonly code: "rate_limited";
}

/**
 * `internal_error`: Send the operator the `X-Request-Id` of the response: the log has the cause under that id.
 * What a POST sent may or may not have been stored: retry it only if it had an `Idempotency-Key`, and with the
 * same one.
 */
export class InternalError extends ServiceError {
  declare readonly code: "internal_error";
}

/**
 * `overloaded`: Retry after the number of seconds in `Retry-After`, and wait longer before each further
 * attempt.
 */
export class OverloadedError extends ServiceError {
  declare readonly code: "overloaded";
}

/**
 * `store_unavailable`: Retry after the number of seconds in `Retry-After`, and wait longer before each further
 * attempt. The service recovers without a restart once the cause is gone. What a POST sent may or may not have
 * been stored: retry it with the `Idempotency-Key` that it had.
 */
export class StoreUnavailableError extends ServiceError {
  declare readonly code: "store_unavailable";
}

/**
 * `not_ready`: Send requests to other instances until this one is ready, or retry after the number of seconds
 * in `Retry-After`. The operator's log has the cause.
 */
export class NotReadyError extends ServiceError {
  declare readonly code: "not_ready";
}

/** The class of each code, by its name: a bundler that renames classes keeps the names of members. */
export const ERROR_CLASSES: Readonly<Record<string, typeof ServiceError>> = {
  MalformedEscapeError,
  InvalidParameterError,
  MalformedBodyError,
  InvalidBodyError,
  InvalidHeaderError,
  InvalidHostError,
  UnauthorizedError,
  InsufficientScopeError,
  PathNotFoundError,
  AnimalNotFoundError,
  OrderNotFoundError,
  MethodNotAllowedError,
  AnimalNotAvailableError,
  InvalidTransitionError,
  EventsExpiredError,
  OperationRemovedError,
  PreconditionFailedError,
  BodyTooLargeError,
  UnsupportedMediaTypeError,
  UnsupportedContentEncodingError,
  IdempotencyKeyReusedError,
  RateLimitedError,
  InternalError,
  OverloadedError,
  StoreUnavailableError,
  NotReadyError,
};
