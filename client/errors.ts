import type { ErrorCode } from "./contract.ts";

/** The call that an error ended. */
export interface Call {
  /** The `operationId`. */
  readonly operation: string;
  /** The `X-Request-Id` of the last attempt: the operator's log has it. Undefined where nothing was sent. */
  readonly requestId: string | undefined;
  /** What a create carried: repeat it with this key, and it cannot happen twice. */
  readonly idempotencyKey: string | undefined;
  /** How often the request was sent. */
  readonly attempts: number;
}

/**
 * What every error of this client extends, so one `instanceof` finds them all. Not an error of this client: the reason of
 * a signal that aborted, which is thrown as it is, and a `TypeError` or `RangeError` for a wrong argument.
 */
export class AnimalStoreError extends Error implements Call {
  readonly operation: string;
  readonly requestId: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly attempts: number;

  constructor(message: string, call: Call, options?: ErrorOptions) {
    super(message, options);
    this.name = "AnimalStoreError";
    this.operation = call.operation;
    this.requestId = call.requestId;
    this.idempotencyKey = call.idempotencyKey;
    this.attempts = call.attempts;
  }
}

/** No complete response came: the network failed, or an attempt took too long. Whether a create was stored is not known. */
export class ConnectionError extends AnimalStoreError {
  override name = "ConnectionError";
}

/** The deadline of the call passed. `cause` is the failure of the last attempt, where one had failed. */
export class DeadlineExceededError extends AnimalStoreError {
  override name = "DeadlineExceededError";
}

/** A response that is not the service's: a proxy's page, a redirect, a body that is not what the document declares. */
export class UnexpectedResponseError extends AnimalStoreError {
  override name = "UnexpectedResponseError";
  /** The HTTP status; 0 for a redirect in a browser, which hides it. */
  readonly status: number;
  /** Milliseconds that the response asks to wait, where it does. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, status: number, call: Call, retryAfterMs?: number, options?: ErrorOptions) {
    super(message, call, options);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The Error object of a response. */
export interface ErrorBody {
  readonly code: string;
  readonly message: string;
}

/**
 * The service refused the request. Each code has a class of its own that extends this one; a code that this client does
 * not know, of a newer service, is this class itself. `message` is the service's own.
 */
export class ServiceError extends AnimalStoreError {
  /** What to branch on: it never changes. */
  readonly code: ErrorCode | (string & {});
  /** The HTTP status. */
  readonly status: number;
  /** Milliseconds that the service asks to wait, where it does. */
  readonly retryAfterMs: number | undefined;

  constructor({ code, message }: ErrorBody, status: number, call: Call, retryAfterMs?: number) {
    super(message, call);
    this.name = nameOf(code);
    this.code = code;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** `AnimalNotFoundError` for `animal_not_found`, also where a bundler has renamed the class. */
function nameOf(code: string): string {
  const words = code.split("_").map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join("").replace(/Error$/, "")}Error`;
}
