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

/**
 * Prepares a request of an operation.
 * @throws TypeError if no header can carry the `Idempotency-Key`, RangeError for an integer past 2^53 that is a `number`
 */
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
 * The value of `Authorization` for an API key (RFC 6750). No message quotes the key.
 * @throws TypeError if the key is missing or has characters that no key has
 */
export function bearer(apiKey: string): string {
  if (!apiKey) throw new TypeError("apiKey is missing: is the variable set that your program reads it from?");
  if (typeof apiKey === "string" && /^[\x21-\x7e]+$/.test(apiKey)) return `Bearer ${apiKey}`;
  throw new TypeError("apiKey must be the key alone, without `Bearer`, spaces and line ends");
}

/**
 * Returns a header's value as it is. A runtime would trim it, or quote a secret in its complaint.
 * @throws TypeError if a header cannot carry it unchanged
 */
export function headerValue(name: string, value: string): string {
  if (typeof value === "string" && /^[\x20-\x7e]*$/.test(value) && value.trim() === value) return value;
  throw new TypeError(`${name} must be printable ASCII without spaces around it`);
}

export function callOf(request: PreparedRequest, attempts: number, requestId?: string): Call {
  return { operation: request.operation.id, requestId, idempotencyKey: request.idempotencyKey, attempts };
}

/** 128 random bits in hexadecimal. Pages without https lack `crypto.randomUUID`. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
