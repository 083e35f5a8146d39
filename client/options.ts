import type { DeprecationNotice } from "./deprecation.ts";
import type { AnimalStoreError } from "./errors.ts";

/** The settings of a client. */
export interface AnimalStoreOptions {
  /** The base address, version included: `https://store.example/v1`. In a browser it may be relative to the page. */
  readonly baseUrl: string | URL;
  /** The API key, or a function that returns the current one. The client sends it to addresses below `baseUrl` only. */
  readonly apiKey: string | (() => string | Promise<string>);
  /** Milliseconds that a call may take, retries included; for a list, the call for each page. 30,000 by default. */
  readonly deadlineMs?: number | undefined;
  /** Milliseconds after which one attempt without a complete response has failed. 10,000 by default. */
  readonly attemptMs?: number | undefined;
  /** How many times the client repeats a request that failed. 4 by default. */
  readonly retries?: number | undefined;
  /** The longest `Retry-After` that the client obeys, in milliseconds; a longer one ends the call. 30,000 by default. */
  readonly retryAfterMaxMs?: number | undefined;
  /** Characters of responses that the client keeps to revalidate by `ETag` (RFC 9110). 1,000,000 by default; 0 keeps none. */
  readonly cacheSize?: number | undefined;
  /** Replaces the runtime's `fetch`, for example to go through a proxy, or to ask a sandbox for a fault with `Prefer`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** The client calls it after each response. */
  readonly onResponse?: ((notice: ResponseNotice) => void) | undefined;
  /** The client calls it before each wait for a retry. */
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
  /** The client calls it once for each deprecated operation that it uses. `console.warn` by default. */
  readonly onDeprecation?: ((notice: DeprecationNotice) => void) | undefined;
}

/** A response, of any status. */
export interface ResponseNotice {
  readonly operation: string;
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
}

/** A failed attempt that the client will repeat. */
export interface RetryNotice {
  readonly operation: string;
  /** Why it failed. */
  readonly error: AnimalStoreError;
  /** Milliseconds until the next attempt. */
  readonly delayMs: number;
}

/** The settings of one call. */
export interface CallOptions {
  /** Cancels the call, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** In place of the client's `deadlineMs`. */
  readonly deadlineMs?: number | undefined;
}

/** The settings of one stream of events. */
export interface StreamOptions {
  /** Ends the stream, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds of silence after which the stream stops reconnecting and throws its last failure. No limit by default. */
  readonly deadlineMs?: number | undefined;
  /**
   * Milliseconds without a byte after which the client considers the connection dead and reconnects. 45,000 by default:
   * the service sends something every 15 seconds.
   */
  readonly heartbeatMs?: number | undefined;
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

const NUMBERS = [
  "deadlineMs",
  "attemptMs",
  "retries",
  "retryAfterMaxMs",
  "cacheSize",
  "heartbeatMs",
] as const;

/**
 * Returns options as they are.
 * @throws RangeError if a number in them is negative or NaN, with which a call might never end
 */
export function checked<Options extends AnimalStoreOptions | CallOptions | StreamOptions>(
  options: Options,
): Options {
  const numbers: Partial<Record<(typeof NUMBERS)[number], number | undefined>> = options;
  for (const name of NUMBERS) {
    const value = numbers[name];
    if (value !== undefined && !(value >= 0)) throw new RangeError(`${name} must be 0 or more, not ${value}`);
  }
  return options;
}
