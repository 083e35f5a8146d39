import type { Call } from "./errors.ts";
import { writeJson } from "./exact-json.ts";
import type { Operation } from "./operation.ts";

/** A request that is ready to be sent, once or several times. */
export interface PreparedRequest {
  readonly operation: Operation<unknown>;
  readonly url: string;
  /** The headers that every attempt sends. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly idempotencyKey: string | undefined;
}

const JSON_TYPE = "application/json";

/** @throws TypeError for an `Idempotency-Key`, RangeError for a number, that could not be sent as it is */
export function prepare(
  operation: Operation<unknown>,
  url: string,
  body: unknown,
  givenKey: string | undefined,
  accept = JSON_TYPE,
): PreparedRequest {
  const headers: Record<string, string> = { accept };
  const idempotencyKey = operation.repeat === "with-key" ? (givenKey ?? randomId()) : undefined;
  if (idempotencyKey !== undefined)
    headers["idempotency-key"] = headerValue("idempotencyKey", idempotencyKey);
  if (body !== undefined) headers["content-type"] = JSON_TYPE;
  return { operation, url, headers, body: writeJson(body), idempotencyKey };
}

/**
 * Returns a header's value as it is. A runtime would trim it, or quote a secret in its complaint.
 * @throws TypeError where a header cannot carry it unchanged
 */
export function headerValue(name: string, value: string): string {
  if (typeof value === "string" && /^[\x20-\x7e]*$/.test(value) && value.trim() === value) return value;
  throw new TypeError(
    `${name} must be printable ASCII without spaces around it: trim what was read from a file`,
  );
}

export function callOf(request: PreparedRequest, attempts: number, requestId?: string): Call {
  return { operation: request.operation.id, requestId, idempotencyKey: request.idempotencyKey, attempts };
}

/** 128 random bits in hexadecimal. Pages without https lack `crypto.randomUUID`. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
