import type { ErrorCode } from "./contract.ts";

/** The call that failed. */
export interface Call {
  /** The `operationId`. */
  readonly operation: string;
  /** The `X-Request-Id` of the last attempt, which the operator finds in the log. */
  readonly requestId: string | undefined;
  /** The `Idempotency-Key` of a create: repeat the create with it, and it happens once. */
  readonly idempotencyKey: string | undefined;
  /** How many times the client sent the request. */
  readonly attempts: number;
}

/**
 * The base class of this client's errors. The client also throws the reason of an aborted signal, unchanged, and a
 * `TypeError` or `RangeError` for a wrong argument.
 */
export class AnimalStoreError extends Error implements Call {
  declare readonly operation: string;
  declare readonly requestId: string | undefined;
  declare readonly idempotencyKey: string | undefined;
  declare readonly attempts: number;

  constructor(message: string, call: Call, options?: { readonly cause?: unknown }) {
    super(message, options);
    Object.assign(this, call, { name: "AnimalStoreError" });
  }
}

/**
 * No complete response came: the network failed, or the attempt took longer than `timeoutMs`. The service may or may not
 * have stored a create.
 */
export class ConnectionError extends AnimalStoreError {
  override name = "ConnectionError";
}

/** The call took longer than `deadlineMs`. `cause` is the failure of the previous attempt, if there was one. */
export class DeadlineExceededError extends AnimalStoreError {
  override name = "DeadlineExceededError";
}

/** The response is not the service's: a proxy's page, a redirect, or a body that the OpenAPI document does not declare. */
export class UnexpectedResponseError extends AnimalStoreError {
  override name = "UnexpectedResponseError";
  /** The HTTP status; 0 for a redirect in a browser, which hides it. */
  declare readonly status: number;
  /** Milliseconds to wait, from `Retry-After` (RFC 9110); undefined if the response has none. */
  declare readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    status: number,
    call: Call,
    retryAfterMs?: number,
    options?: { readonly cause?: unknown },
  ) {
    super(message, call, options);
    Object.assign(this, { status, retryAfterMs });
  }
}

/** The Error object of a response. */
export interface ErrorBody {
  readonly code: string;
  readonly message: string;
}

/**
 * The service refused the request. Each code has its own subclass; a code that this client does not know, from a newer
 * service, is a plain `ServiceError`. `message` is the service's. After a retry `cause` is the failure of the attempt before.
 */
export class ServiceError extends AnimalStoreError {
  /**
   * Branch on it: a code never changes its meaning. A newer service may send codes that this type lacks, so give a
   * `switch` a `default`, and compare such a code as `String(error.code)`.
   */
  declare readonly code: ErrorCode;
  /** The HTTP status. */
  declare readonly status: number;
  /** Milliseconds to wait, from `Retry-After` (RFC 9110); undefined if the response has none. */
  declare readonly retryAfterMs: number | undefined;

  constructor({ code, message }: ErrorBody, status: number, call: Call, retryAfterMs?: number) {
    super(message, call);
    Object.assign(this, { name: nameOf(code), code, status, retryAfterMs });
  }
}

/** `AnimalNotFoundError` for `animal_not_found`, even if a bundler has renamed the class. */
export function nameOf(code: string): string {
  const words = code.split("_").map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join("").replace(/Error$/, "")}Error`;
}
