import type { DeprecationNotice } from "./deprecation.ts";
import type { AnimalStoreError } from "./errors.ts";
import type { FetchInit, FetchResponse, ResponseHeaders, Signal } from "./platform.ts";

/** The settings of a client. */
export interface AnimalStoreOptions {
  /** The base address, version included: `https://store.example/v1`. In a browser it may be relative to the page. */
  readonly baseUrl: string | { readonly href: string };
  /** The API key, or a function that returns the current one. The client sends it to addresses below `baseUrl` only. */
  readonly apiKey: string | (() => string | Promise<string>);
  /** Milliseconds that a call may take, retries included; for a list, the call for each page. 30,000 by default. */
  readonly deadlineMs?: number | undefined;
  /**
   * Milliseconds after which one attempt without a complete response has failed. 10,000 by default. They begin when the
   * client sends the request: it has at most 100 under way, and more wait for their turns, as long as `deadlineMs` allows.
   */
  readonly timeoutMs?: number | undefined;
  /** How many times the client repeats a request that failed. By default as often as the deadline allows. */
  readonly retries?: number | undefined;
  /** Headers in addition to the client's own, for example `traceparent`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Characters of responses that the client keeps to revalidate by `ETag` (RFC 9110). 1,000,000 by default; 0 keeps none. */
  readonly cacheSize?: number | undefined;
  /** Replaces the runtime's `fetch`, for example to go through a proxy, or to ask a sandbox for a fault with `Prefer`. */
  readonly fetch?: ((url: string, init: FetchInit) => Promise<FetchResponse>) | undefined;
  /** The client calls it before each request, and sends the headers that it returns too, for example those of a trace. */
  readonly onRequest?: ((notice: RequestNotice) => Readonly<Record<string, string>> | undefined) | undefined;
  /** The client calls it after each response. */
  readonly onResponse?: ((notice: ResponseNotice) => void) | undefined;
  /** The client calls it before each wait for a retry. */
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
  /** The client calls it once for each deprecated operation that it uses. `console.warn` by default. */
  readonly onDeprecation?: ((notice: DeprecationNotice) => void) | undefined;
}

/** A request that the client is about to send. */
export interface RequestNotice {
  readonly operation: string;
  readonly method: string;
  readonly url: string;
  readonly requestId: string | undefined;
  /** 1 for the first. */
  readonly attempt: number;
}

/** A response, of any status. */
export interface ResponseNotice extends RequestNotice {
  readonly status: number;
  readonly headers: ResponseHeaders;
}

/** A failed attempt that the client will repeat. */
export interface RetryNotice {
  readonly operation: string;
  /** Why it failed; it names the attempt. */
  readonly error: AnimalStoreError;
  /** Milliseconds until the next attempt. */
  readonly delayMs: number;
}

/** The settings of one call; for a list, of the call for each page. */
export interface CallOptions {
  /** Cancels the call, which then throws the signal's reason. */
  readonly signal?: Signal | undefined;
  /** In place of the client's `deadlineMs`. */
  readonly deadlineMs?: number | undefined;
  /** In place of the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /** In place of the client's `retries`. */
  readonly retries?: number | undefined;
  /** Headers in addition to the client's. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The `X-Request-Id` of each attempt. By default each has one of its own. */
  readonly requestId?: string | undefined;
}

/** The settings of one stream of events. */
export interface StreamOptions {
  /** Ends the stream, which then throws the signal's reason. */
  readonly signal?: Signal | undefined;
  /** Milliseconds of silence after which the stream stops reconnecting and throws its last failure. No limit by default. */
  readonly deadlineMs?: number | undefined;
  /**
   * Milliseconds without a byte after which the client considers the connection dead and reconnects. 45,000 by default:
   * the service sends something every 15 seconds.
   */
  readonly heartbeatMs?: number | undefined;
  /** Headers in addition to the client's. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The settings of one create or order. */
export interface CreateOptions extends CallOptions {
  /**
   * Names this create, so that it happens once, however often it is sent: 1 to 255 printable ASCII characters. Random by
   * default. Set your own, for example an order number, to repeat a create after your program restarts. The service keeps
   * it for 24 hours.
   */
  readonly idempotencyKey?: string | undefined;
}

/** What `typeof` says of an option's value; what uses the others checks them itself. */
type Kind = "number" | "function" | "other";

const CALL_OPTIONS: Readonly<Record<keyof CallOptions, Kind>> = {
  signal: "other",
  deadlineMs: "number",
  timeoutMs: "number",
  retries: "number",
  headers: "other",
  requestId: "other",
};

/** What each kind of call takes: everything else is refused by name, since a mistyped option would be ignored. */
export const OPTIONS = {
  client: {
    baseUrl: "other",
    apiKey: "other",
    deadlineMs: "number",
    timeoutMs: "number",
    retries: "number",
    headers: "other",
    cacheSize: "number",
    fetch: "function",
    onRequest: "function",
    onResponse: "function",
    onRetry: "function",
    onDeprecation: "function",
  } satisfies Record<keyof AnimalStoreOptions, Kind>,
  call: CALL_OPTIONS,
  create: { ...CALL_OPTIONS, idempotencyKey: "other" } satisfies Record<keyof CreateOptions, Kind>,
  stream: {
    signal: "other",
    deadlineMs: "number",
    heartbeatMs: "number",
    headers: "other",
  } satisfies Record<keyof StreamOptions, Kind>,
} as const;

/**
 * Returns options as they are.
 * @param what whose options they are, for the message
 * @throws TypeError for an option that nothing reads, and for a value of another type
 * @throws RangeError if a number in them is negative or NaN, with which a call might never end
 */
export function checked<Options extends object>(
  options: Options,
  what: string,
  known: Readonly<Record<string, Kind>>,
): Options {
  for (const name in options) {
    const kind = known[name];
    const value: unknown = options[name];
    if (kind === undefined)
      throw new TypeError(`${what} has no option ${name}; it has ${Object.keys(known).join(", ")}`);
    if (value === undefined || kind === "other") continue;
    if (typeof value !== kind) throw new TypeError(`${name} must be a ${kind}, not ${typeof value}`);
    if (kind === "number" && !((value as number) >= 0))
      throw new RangeError(`${name} must be 0 or more, not ${value}`);
  }
  return options;
}
