import { maskApiKeys } from "../domain/api-key.ts";
import { rfc3339 } from "../domain/time.ts";
import type { HttpResponse } from "../http/response/http-response.ts";

/** The part of a body that is kept, in bytes: pages of a list are smaller, unless their names are long. */
const BODY_MAX_BYTES = 16 * 1024;

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
  /** The id of the operation; `null` if path and method name none. */
  readonly operation: string | null;
  /** The name of the API key; `null` if there is no such key. */
  readonly key: string | null;
  readonly headers: Headers;
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

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly elapsedMs: number;
}

/** A request in the journal, and what became of it. */
export class JournalEntry {
  readonly id: number;
  fault: MetFault | undefined;
  readonly #arrival: Omit<Arrival, "headers">;
  readonly #headers: Readonly<Record<string, string>>;
  #body: Text | undefined;
  #answer: Answer | undefined;
  #answerBody: Text | undefined;

  constructor({ headers, ...arrival }: Arrival) {
    this.id = arrival.id;
    this.#arrival = arrival;
    this.#headers = pick(headers, REQUEST_HEADERS);
  }

  /** Notes the body of the request. */
  received(bytes: Uint8Array): void {
    const text = Buffer.from(bytes.subarray(0, BODY_MAX_BYTES)).toString();
    this.#body = { text, isWhole: bytes.length <= BODY_MAX_BYTES };
  }

  /** Notes the body of the response as it is before compression. A stream has none. */
  made({ body, preEncoded }: HttpResponse): void {
    const text = preEncoded?.text ?? body;
    if (typeof text !== "string") return;
    this.#answerBody = { text: text.slice(0, BODY_MAX_BYTES), isWhole: text.length <= BODY_MAX_BYTES };
  }

  /** Notes the response as it leaves. @param elapsedMs since the journal began */
  answered({ status, headers }: Response, elapsedMs: number): void {
    this.#answer = { status, headers: pick(headers, RESPONSE_HEADERS), elapsedMs };
    if (this.#arrival.method === "HEAD" || status === 304) this.#answerBody = undefined;
  }

  forgetBodies(): void {
    if (this.#body) this.#body = FORGOTTEN;
    if (this.#answerBody) this.#answerBody = FORGOTTEN;
  }

  /** The value that a filter of this name compares. */
  valueOf(name: FilterName): string | undefined {
    switch (name) {
      case "status":
        return this.#answer && String(this.#answer.status);
      case "fault":
        return this.fault?.fault;
      case "path":
        return this.#arrival.target.split("?", 1)[0];
      case "idempotencyKey":
        return this.#headers["idempotency-key"];
      default:
        return this.#arrival[name] ?? undefined;
    }
  }

  /** What the control interface shows. API keys are masked, wherever the client put them. */
  toJSON() {
    const { id, at, elapsedMs, method, target, operation, key } = this.#arrival;
    const answer = this.#answer;
    return {
      id,
      at: rfc3339(at),
      elapsedMs: rounded(elapsedMs),
      method,
      target: maskApiKeys(target),
      operation,
      key,
      headers: masked(this.#headers),
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

const FORGOTTEN: Text = { text: "", isWhole: false };

/** The headers of these names that are present. */
function pick(headers: Headers, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = headers.get(name);
    if (value !== null) picked[name] = value;
  }
  return picked;
}

function masked(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, maskApiKeys(value)]));
}

function shown(body: Text | undefined) {
  return { body: body ? maskApiKeys(body.text) : null, bodyIsWhole: body?.isWhole ?? true };
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}
