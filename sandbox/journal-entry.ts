import { maskApiKeys } from "../src/domain/api-key.ts";
import { rfc3339 } from "../src/domain/time.ts";
import { splitTarget } from "../src/http/request/target.ts";

/** The part of a body that is kept, in bytes: pages of a list are smaller, unless their names are long. */
const BODY_MAX_BYTES = 16 * 1024;
/** An entry without its bodies and its target: measured, with the headers that clients usually send. */
const ENTRY_BYTES = 1024;

/** The headers of a request that show how a client works. */
const REQUEST_HEADERS = [
  "accept",
  "authorization",
  "content-type",
  "idempotency-key",
  "if-match",
  "if-none-match",
  "last-event-id",
  "origin",
  "prefer",
  "user-agent",
  "x-request-id",
] as const;

/** The headers of a response that a client should heed. */
const RESPONSE_HEADERS = [
  "content-type",
  "deprecation",
  "etag",
  "idempotent-replayed",
  "link",
  "location",
  "preference-applied",
  "ratelimit",
  "retry-after",
  "sunset",
  "www-authenticate",
  "x-request-id",
] as const;

/** The head of a request, and what was found out about it on its arrival. */
interface Arrival {
  /** In the order of arrival, from 1. */
  readonly id: number;
  /** Milliseconds since 1970, by the real clock. */
  readonly at: number;
  /** Milliseconds since the journal began, by a clock that nobody can set. */
  readonly elapsedMs: number;
  readonly method: string;
  /** Path and query, as the client sent them. */
  readonly target: string;
  /** The name of the API key; `null` if there is no such key. */
  readonly key: string | null;
  readonly headers: Headers;
}

/** The head of a request without what is never shown. */
interface NotedArrival extends Omit<Arrival, "headers"> {
  readonly headers: HeaderValues;
}

/** A fault that a request met. */
interface MetFault {
  readonly fault: string;
  /** The place of its rule in the plan; `null` if the request itself asked for the fault. */
  readonly rule: number | null;
}

/** A body, or its beginning. */
interface Text {
  readonly text: string;
  readonly isWhole: boolean;
}

type HeaderValues = Readonly<Record<string, string>>;

/** A response as it left. */
interface Answer {
  readonly status: number;
  readonly headers: HeaderValues;
  /** Milliseconds since the journal began. */
  readonly elapsedMs: number;
}

/** The id of the operation that a request names; `null` if it names none. */
export type OperationOf = (method: string, target: string) => string | null;

/**
 * A request in the journal, and what became of it. Most are never read, so it masks what it shows only
 * then.
 */
export class JournalEntry {
  readonly id: number;
  fault: MetFault | undefined;
  readonly #arrival: NotedArrival;
  readonly #operationOf: OperationOf;
  /** Tells the journal how many more bytes the entry takes. */
  #grow: (bytes: number) => void;
  #body: Text | undefined;
  #answer: Answer | undefined;
  #answerBody: Text | undefined;

  constructor(arrival: Arrival, operationOf: OperationOf, grow: (bytes: number) => void) {
    this.id = arrival.id;
    this.#arrival = { ...arrival, headers: picked(arrival.headers, REQUEST_HEADERS) };
    this.#operationOf = operationOf;
    this.#grow = grow;
    grow(this.bytes);
  }

  /** An estimate of the memory that it takes. */
  get bytes(): number {
    return ENTRY_BYTES + this.#arrival.target.length + sizeOf(this.#body) + sizeOf(this.#answerBody);
  }

  /** Notes the body of the request. */
  received(bytes: Uint8Array): void {
    const text = Buffer.from(bytes.subarray(0, BODY_MAX_BYTES)).toString();
    this.#grow(text.length - sizeOf(this.#body));
    this.#body = { text, isWhole: bytes.length <= BODY_MAX_BYTES };
  }

  /**
   * Notes the response as it leaves.
   *
   * @param text its body before compression; `undefined` for a stream
   * @param elapsedMs milliseconds since the journal began
   */
  answered({ status, headers }: Response, text: string | undefined, elapsedMs: number): void {
    this.#answer = { status, headers: picked(headers, RESPONSE_HEADERS), elapsedMs };
    const hasBody = text !== undefined && this.#arrival.method !== "HEAD" && status !== 304;
    this.#noteAnswerBody(hasBody ? { text: beginningOf(text), isWhole: isShort(text) } : undefined);
  }

  /** Notes a header that was added to the response. */
  alsoAnswered(name: string, value: string): void {
    if (!this.#answer) return;
    const headers = { ...this.#answer.headers, [name.toLowerCase()]: value };
    this.#answer = { ...this.#answer, headers };
  }

  forgetBodies(): void {
    this.#grow(-sizeOf(this.#body));
    if (this.#body) this.#body = FORGOTTEN;
    if (this.#answerBody) this.#noteAnswerBody(FORGOTTEN);
  }

  /** To be called when it has left the journal, which no longer counts what it takes. */
  leave(): void {
    this.#grow(-this.bytes);
    this.#grow = () => {};
  }

  /** The value that a filter of this name compares. */
  valueOf(name: FilterName): string | undefined {
    const { method, target, key, headers } = this.#arrival;
    switch (name) {
      case "status":
        return this.#answer && String(this.#answer.status);
      case "fault":
        return this.fault?.fault;
      case "path":
        return splitTarget(target).path;
      case "idempotencyKey":
        return headers["idempotency-key"];
      case "operation":
        return this.#operationOf(method, target) ?? undefined;
      case "method":
        return method;
      case "key":
        return key ?? undefined;
    }
  }

  /** What the control interface shows. API keys and other credentials are masked, wherever the client put them. */
  toJSON() {
    const { id, at, elapsedMs, method, target, key, headers } = this.#arrival;
    const answer = this.#answer;
    return {
      id,
      at: rfc3339(at),
      elapsedMs: rounded(elapsedMs),
      method,
      target: maskApiKeys(target),
      operation: this.#operationOf(method, target),
      key,
      headers: masked(headers),
      ...shown(this.#body),
      fault: this.fault ?? null,
      response: answer
        ? {
            status: answer.status,
            elapsedMs: rounded(answer.elapsedMs),
            headers: masked(answer.headers),
            ...shown(this.#answerBody),
          }
        : null,
    };
  }

  #noteAnswerBody(body: Text | undefined): void {
    this.#grow(sizeOf(body) - sizeOf(this.#answerBody));
    this.#answerBody = body;
  }
}

/** The names by which requests can be selected. */
export const FILTER_NAMES = [
  "operation",
  "method",
  "path",
  "key",
  "idempotencyKey",
  "fault",
  "status",
] as const;

export type FilterName = (typeof FILTER_NAMES)[number];

/** The value that a request must have, by the name of the filter; a name that is left out admits all. */
export type JournalFilter = Readonly<Partial<Record<FilterName, string>>>;

const FORGOTTEN: Text = { text: "", isWhole: false };

function sizeOf(body: Text | undefined): number {
  return body?.text.length ?? 0;
}

function isShort(text: string): boolean {
  return text.length <= BODY_MAX_BYTES;
}

/** A copy where the text is long: a part of a text would keep the whole in memory. */
function beginningOf(text: string): string {
  return isShort(text) ? text : Buffer.from(text.slice(0, BODY_MAX_BYTES)).toString();
}

/** The headers of these names that are present. */
function picked(headers: Headers, names: readonly string[]): HeaderValues {
  const values: Record<string, string> = {};
  for (const name of names) {
    const value = headers.get(name);
    if (value !== null) values[name] = value;
  }
  return values;
}

function masked(headers: HeaderValues): HeaderValues {
  const shown: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    shown[name] = name === "authorization" ? maskCredentials(value) : maskApiKeys(value);
  return shown;
}

/** Leaves of an `Authorization` its scheme (RFC 9110, section 11.6.2), and the environment of an API key. */
function maskCredentials(value: string): string {
  const masked = maskApiKeys(value);
  if (/^\S+ +as_(?:live|test)_\*\*\*$/.test(masked)) return masked;
  const schemeEnd = value.indexOf(" ");
  return schemeEnd < 0 ? "***" : `${value.slice(0, schemeEnd)} ***`;
}

function shown(body: Text | undefined) {
  return { body: body ? maskApiKeys(body.text) : null, bodyIsWhole: body?.isWhole ?? true };
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}
