import { Failure } from "../../domain/failure.ts";
import { JsonError, type JsonValue, readJson } from "../../domain/json-reader.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import { problemsOf } from "../../domain/problems.ts";
import { type BODY_FAILURES, type BodyDeclaration, MEDIA_TYPES } from "../../operations/operation.ts";

/** The largest body that is read, in bytes. */
const BODY_MAX_BYTES = 64 * 1024;

/** The strings of larger bodies, in bytes, are copied; smaller bodies hold little beyond their members. */
const DETACH_FROM_BYTES = 4096;

/** Keeps a byte order mark, which RFC 8259 forbids, so that the reader reports its place. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The part of a declaration that a body is checked against. */
type Declared = Pick<BodyDeclaration<unknown>, "schema" | "read" | "mediaTypes">;

type BodyFailure = Failure<(typeof BODY_FAILURES)[number]>;

/**
 * Receives a request's body. Its media type and coding are checked first, then its size. A failure that follows from the
 * head alone is returned at once.
 */
export function receiveBody(
  request: Request,
  { mediaTypes: supported = MEDIA_TYPES }: Declared,
): MaybePromise<Uint8Array | BodyFailure> {
  const type = request.headers.get("content-type");
  if (type !== null && !isSupported(type, supported)) {
    return new Failure("unsupported_media_type", { given: type, supported });
  }
  const coding = request.headers.get("content-encoding");
  if (coding !== null && !isIdentity(coding)) {
    return new Failure("unsupported_content_encoding", { given: coding });
  }
  return type === null ? receiveUntyped(request, supported) : receiveBytes(request);
}

/** Receives a body without a media type. Only an empty one is accepted here; reading it then reports that it is empty. */
async function receiveUntyped(
  request: Request,
  supported: readonly string[],
): Promise<Uint8Array | BodyFailure> {
  const bytes = await receiveBytes(request);
  const isRefused = bytes instanceof Failure ? bytes.code === "body_too_large" : bytes.length > 0;
  return isRefused ? new Failure("unsupported_media_type", { given: null, supported }) : bytes;
}

/** Reads a body: checks its syntax first, then its values. */
export function readBody(bytes: Uint8Array, declared: Declared): unknown | BodyFailure {
  if (bytes.length === 0) return malformed("is empty");
  const json = decode(bytes);
  if (json instanceof Failure) return json;
  const checked = check(declared, json);
  return bytes.length < DETACH_FROM_BYTES || checked instanceof Failure ? checked : detached(checked);
}

/** Copies the strings of a checked body: while a create waits, a substring would keep the whole text in memory. */
function detached(body: unknown): unknown {
  const members = Object.entries(body as object);
  return Object.fromEntries(
    members.map(([name, value]) => [name, typeof value === "string" ? Buffer.from(value).toString() : value]),
  );
}

function decode(bytes: Uint8Array): JsonValue | BodyFailure {
  try {
    return readJson(utf8.decode(bytes));
  } catch (error) {
    if (error instanceof JsonError) return malformed(error.message);
    if (error instanceof TypeError) return malformed("is not UTF-8");
    throw error;
  }
}

/** Checks a body; the failure names every member at fault. */
function check(declared: Declared, body: JsonValue): unknown | BodyFailure {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    return malformed("is not a JSON object");
  const valid = declared.read?.(body);
  if (valid !== undefined) return valid;
  const checked = declared.schema.safeParse(body);
  if (checked.success) return checked.data;
  return new Failure("invalid_body", { problems: problemsOf(checked.error, body) });
}

const tooLarge: BodyFailure = new Failure("body_too_large", { maximumBytes: BODY_MAX_BYTES });

function malformed(problem: string): BodyFailure {
  return new Failure("malformed_body", { problem });
}

function receiveBytes(request: Request): MaybePromise<Uint8Array | BodyFailure> {
  const declared = request.headers.get("content-length");
  if (declared === null) return request.body ? receiveChunks(request, request.body) : new Uint8Array();
  // The runtime refuses two different lengths, and joins two equal ones: "3, 3".
  if (declared.includes(",")) return malformed("has more than one Content-Length");
  return Number(declared) > BODY_MAX_BYTES ? tooLarge : request.bytes();
}

/** Receives a body of undeclared length, up to the limit. */
async function receiveChunks(
  request: Request,
  body: ReadableStream<Uint8Array>,
): Promise<Uint8Array | BodyFailure> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > BODY_MAX_BYTES) return tooLarge;
    chunks.push(chunk);
  }
  // The runtime delivers the last chunk before it has parsed what follows. If the body ends wrongly, the runtime sends a
  // 400 by itself, and the request must not be carried out.
  await new Promise(setImmediate);
  request.signal.throwIfAborted();
  return Buffer.concat(chunks);
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED = String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`;
const ESSENCE = new RegExp(`${TOKEN}/${TOKEN}[ \t]*`, "y");
/** A semicolon may stand without a parameter. */
const PARAMETER = new RegExp(`;[ \t]*(?:(${TOKEN})=(${TOKEN}|${QUOTED})[ \t]*)?`, "y");

/**
 * Whether a `Content-Type` (RFC 9110, section 8.3.1) is one of these JSON types, in UTF-8. Other parameters have no meaning
 * (RFC 8259). One expression for the whole field would take time in proportion to the square of its length.
 */
function isSupported(type: string, supported: readonly string[]): boolean {
  if (supported.includes(type)) return true;
  ESSENCE.lastIndex = 0;
  const [essence = ""] = ESSENCE.exec(type) ?? [];
  if (!supported.includes(essence.trimEnd().toLowerCase())) return false;
  for (let at = essence.length; at < type.length; at = PARAMETER.lastIndex) {
    PARAMETER.lastIndex = at;
    const [parameter, name, value] = PARAMETER.exec(type) ?? [];
    if (parameter === undefined) return false;
    if (name?.toLowerCase() !== "charset") continue;
    const charset = value?.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, "$1") : value;
    if (charset?.toLowerCase() !== "utf-8") return false;
  }
  return true;
}

/** Whether a `Content-Encoding` leaves the body as it is; the list may have empty elements (RFC 9110, section 5.6.1). */
function isIdentity(coding: string): boolean {
  return coding.split(",").every((each) => /^(?:identity)?$/i.test(each.trim()));
}
