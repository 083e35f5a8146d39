import type { DeprecationNotice } from "./deprecation.ts";
import type { AnimalStoreError } from "./errors.ts";

/** How a client reaches a service. */
export interface AnimalStoreOptions {
  /** The base address, version included: `https://store.example/v1`. In a browser it may be relative to the page. */
  readonly baseUrl: string | URL;
  /** The API key, or a function that returns the current one. It is sent to `baseUrl` and nowhere else. */
  readonly apiKey: string | (() => string | Promise<string>);
  /** Milliseconds that a call may take, retries included; for a list, the call for each page. 30,000 by default. */
  readonly deadlineMs?: number | undefined;
  /** Milliseconds after which one attempt without a complete response has failed. 10,000 by default. */
  readonly attemptMs?: number | undefined;
  /** How many times the client sends a request again after it failed. 4 by default. */
  readonly retries?: number | undefined;
  /** The longest `Retry-After` that the client waits for, in milliseconds; a longer one ends the call. 30,000 by default. */
  readonly retryAfterMaxMs?: number | undefined;
  /** Characters of responses that the client keeps to revalidate by `ETag`. 1,000,000 by default; 0 keeps none. */
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

/** A response that came, whatever its status. */
export interface ResponseNotice {
  readonly operation: string;
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
}

/** An attempt that failed and that the client will repeat. */
export interface RetryNotice {
  readonly operation: string;
  /** Why it failed. */
  readonly error: AnimalStoreError;
  /** Milliseconds until the next attempt. */
  readonly delayMs: number;
}

/** What one call may set for itself. */
export interface CallOptions {
  /** Cancels the call, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** In place of the client's `deadlineMs`. */
  readonly deadlineMs?: number | undefined;
}

/** What a stream of events may set for itself. */
export interface StreamOptions {
  /** Ends the stream, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds without a word from the service after which the stream throws its last failure. It never does by default. */
  readonly deadlineMs?: number | undefined;
  /**
   * Milliseconds without a byte after which the client takes the connection for dead and makes a new one. 45,000 by
   * default: the service sends something every 15 seconds.
   */
  readonly heartbeatMs?: number | undefined;
}

/** What a call that creates something may set for itself. */
export interface CreateOptions extends CallOptions {
  /**
   * Names this create, so that it happens once however often it is sent: 1 to 255 printable ASCII characters. Random by
   * default. Give your own, for example an order number, to repeat a create after a restart of your program.
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
 * @throws RangeError where a number in them is negative or NaN, with which a call might never end
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
