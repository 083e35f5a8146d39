import type { Call } from "./errors.ts";
import { writeJson } from "./exact-json.ts";
import type { Operation } from "./operation.ts";
import type { CreateOptions } from "./options.ts";
import { version } from "./package.json" with { type: "json" };

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

/** Headers that the client alone decides on. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "authorization",
  "content-type",
  "idempotency-key",
  "if-match",
  "if-none-match",
  "last-event-id",
  "x-request-id",
]);

/** In a page the browser names itself, and a header of ours would need the service's permission (CORS). */
const IN_BROWSER = (globalThis as { navigator?: { userAgent?: string } }).navigator?.userAgent?.startsWith(
  "Mozilla/",
);
const USER_AGENT: Readonly<Record<string, string>> = IN_BROWSER
  ? {}
  : { "user-agent": `animal-store-client/${version}` };

/**
 * Prepares a request of an operation.
 * @param shared what `sharedHeaders` returned
 * @throws TypeError if no header can carry the `Idempotency-Key`, RangeError for an integer past 2^53 that is a `number`
 */
export function prepare(
  operation: Operation<unknown>,
  url: string,
  body: unknown,
  shared: Readonly<Record<string, string>>,
  { idempotencyKey: givenKey, headers: given }: Pick<CreateOptions, "idempotencyKey" | "headers">,
  accept = JSON_TYPE,
): PreparedRequest {
  const headers: Record<string, string> = { ...shared, ...(given && addedHeaders(given)), accept };
  const idempotencyKey =
    operation.repeat === "with-key"
      ? givenKey == null
        ? randomId()
        : headerValue("idempotencyKey", givenKey)
      : undefined;
  if (idempotencyKey !== undefined) headers["idempotency-key"] = idempotencyKey;
  if (body === undefined) return { operation, url, headers, body, idempotencyKey };
  headers["content-type"] = JSON_TYPE;
  return { operation, url, headers, body: writeJson(body), idempotencyKey };
}

/**
 * The headers of all requests of a client, with their names in lower case.
 * @throws TypeError as `addedHeaders` does
 */
export function sharedHeaders(
  given: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> {
  return { ...USER_AGENT, ...addedHeaders(given) };
}

/**
 * Headers that a program adds, with their names in lower case.
 * @throws TypeError for a header that the client sets itself, a value that no header can carry, and a `Headers`, whose
 *   entries are not members
 */
export function addedHeaders(headers: Readonly<Record<string, string>> | undefined): Record<string, string> {
  if (Symbol.iterator in Object(headers)) throw new TypeError("headers must be a plain object");
  const added: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) {
    const lower = name.toLowerCase();
    if (OWN_HEADERS.has(lower)) throw new TypeError(`the client sets the header ${name} itself`);
    added[lower] = headerValue(name, value);
  }
  return added;
}

/**
 * The value of `Authorization` for an API key (RFC 6750). No message quotes the key.
 * @throws TypeError if the key is missing or has characters that no key has
 */
export function bearer(apiKey: string): string {
  if (!apiKey) throw new TypeError("apiKey is missing: is its variable set?");
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

/** An attempt of a request, as errors and notices describe it. @param attempts 1 for the first */
export function callOf(
  { operation, idempotencyKey }: Pick<PreparedRequest, "operation"> & Partial<PreparedRequest>,
  attempts: number,
  requestId?: string,
): Call {
  return { operation: operation.id, requestId, idempotencyKey, attempts };
}

/** At least 122 random bits in hexadecimal. */
export function randomId(): string {
  // Making text of bytes takes ten times as long, but pages without https lack `randomUUID`.
  if (crypto.randomUUID) return crypto.randomUUID().replaceAll("-", "");
  let id = "";
  for (const byte of crypto.getRandomValues(new Uint8Array(16))) id += (byte + 0x100).toString(16).slice(1);
  return id;
}
