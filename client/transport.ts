import { BaseAddress } from "./address.ts";
import { deprecationOf, warnOfDeprecation } from "./deprecation.ts";
import {
  type AnimalStoreError,
  type Call,
  ConnectionError,
  DeadlineExceededError,
  ServiceError,
  UnexpectedResponseError,
} from "./errors.ts";
import { readJson, withInt64 } from "./exact-json.ts";
import type { Operation } from "./operation.ts";
import { type AnimalStoreOptions, type CreateOptions, checked } from "./options.ts";
import { excerpt, refusalOf } from "./refusal.ts";
import { callOf, headerValue, type PreparedRequest, prepare, randomId } from "./request.ts";
import { type CachedResponse, ResponseCache } from "./response-cache.ts";
import { retryDelay, transientFailure } from "./retry.ts";
import { sleep, TIMER_MAX_MS, within } from "./within.ts";

/** A successful response, read. */
export interface Reply<Result> {
  readonly value: Result;
  /** The address that it came from. */
  readonly url: string;
  /** The `Link` header. */
  readonly link: string | null;
  readonly requestId: string | undefined;
}

/** Sends the requests of operations and reads their responses; it knows no resource. */
export class Transport {
  readonly address: BaseAddress;
  readonly #options: AnimalStoreOptions;
  readonly #cache: ResponseCache;
  readonly #reportedDeprecations = new Set<string>();
  readonly #requestIdPrefix = randomId();
  #requests = 0;

  constructor(options: AnimalStoreOptions) {
    this.address = new BaseAddress(options.baseUrl);
    this.#options = checked(options);
    this.#cache = new ResponseCache(options.cacheSize ?? 1_000_000);
  }

  /** Calls an operation at an address: sends its request until it succeeds, fails for good, or runs out of time. */
  async call<Result>(
    operation: Operation<Result>,
    url: string,
    options: CreateOptions,
    body?: unknown,
  ): Promise<Reply<Result>> {
    const request = prepare(operation, url, body, options.idempotencyKey);
    const { signal, deadlineMs = this.#options.deadlineMs ?? 30_000 } = checked(options);
    const giveUpAt = performance.now() + deadlineMs;
    let cause: AnimalStoreError | undefined;
    for (let retry = 0; ; retry++) {
      const call = callOf(request, retry + 1, `${this.#requestIdPrefix}-${++this.#requests}`);
      const late = () =>
        new DeadlineExceededError(`${operation.id}: no success within ${deadlineMs} ms`, call, { cause });
      try {
        return await this.#attempt<Result>(request, call, signal, giveUpAt - performance.now(), late);
      } catch (error) {
        if (error instanceof ServiceError && cause) error.cause = cause;
        const delayMs = this.#delayBeforeRetry(operation, retry, error);
        // A wait that the deadline would cut short tells the caller less than the failure itself.
        if (delayMs === undefined || performance.now() + delayMs >= giveUpAt || signal?.aborted) throw error;
        cause = error as AnimalStoreError;
        this.#options.onRetry?.({ operation: operation.id, error: cause, delayMs });
        await sleep(delayMs, signal);
      }
    }
  }

  /** Milliseconds until a failed request may be sent again; undefined where it must not be. */
  #delayBeforeRetry({ repeat }: Operation<unknown>, retry: number, error: unknown): number | undefined {
    const { retries = 4, retryAfterMaxMs = 30_000 } = this.#options;
    const failure = transientFailure(error);
    if (repeat === "never" || retry >= retries || !failure) return undefined;
    if ((failure.retryAfterMs ?? 0) > retryAfterMaxMs) return undefined;
    const delayMs = retryDelay(retry, failure.retryAfterMs, Math.random());
    // A timer past its bound would fire at once.
    return delayMs > TIMER_MAX_MS ? undefined : delayMs;
  }

  /** Sends a request once and reads the response, within `attemptMs` or the time left for the call. */
  async #attempt<Result>(
    request: PreparedRequest,
    call: Call,
    signal: AbortSignal | undefined,
    leftMs: number,
    late: () => Error,
  ): Promise<Reply<Result>> {
    const { operation, url } = request;
    const cached = operation.method === "GET" ? this.#cache.get(url) : undefined;
    const { attemptMs = 10_000 } = this.#options;
    const slow = () => failureOf(request, call, `no complete response within ${attemptMs} ms`);
    const { response, text } = await within(
      Math.min(attemptMs, leftMs),
      signal,
      leftMs <= attemptMs ? late : slow,
      (signal) => this.#exchange(request, call, cached, signal),
    );
    const { status, headers, ok } = response;
    this.#options.onResponse?.({ operation: operation.id, url, status, headers });
    this.#reportDeprecation(operation.id, headers);

    if (status === 304 && cached) return read<Result>(request, call, response, cached);
    if (!ok) throw refusalOf(response, text, call);
    const fresh = { etag: headers.get("etag") ?? "", text, link: headers.get("link") };
    const reply = read<Result>(request, call, response, fresh);
    if (fresh.etag && operation.method === "GET") this.#cache.put(url, fresh);
    return reply;
  }

  async #exchange(
    request: PreparedRequest,
    call: Call,
    cached: CachedResponse | undefined,
    signal: AbortSignal,
  ): Promise<{ response: Response; text: string }> {
    const { apiKey, fetch = globalThis.fetch } = this.#options;
    const key = typeof apiKey === "function" ? await apiKey() : apiKey;
    const headers = {
      ...request.headers,
      authorization: `Bearer ${headerValue("apiKey", key)}`,
      "x-request-id": call.requestId as string,
      ...(cached && { "if-none-match": cached.etag }),
    };
    const { method } = request.operation;
    try {
      // `redirect: "manual"`: another address must not get the key, and a redirected create would become a GET.
      const init = { method, headers, body: request.body ?? null, signal, redirect: "manual" } as const;
      const response = await fetch(request.url, init);
      return { response, text: await response.text() };
    } catch (error) {
      throw failureOf(request, call, reasonOf(error), error);
    }
  }

  #reportDeprecation(operation: string, headers: Headers): void {
    const notice = deprecationOf(operation, headers);
    if (notice === undefined || this.#reportedDeprecations.has(operation)) return;
    this.#reportedDeprecations.add(operation);
    (this.#options.onDeprecation ?? warnOfDeprecation)(notice);
  }
}

/** @throws UnexpectedResponseError where the body is not what the operation declares */
function read<Result>(
  { operation, url }: PreparedRequest,
  call: Call,
  { status, headers }: Response,
  { text, link }: CachedResponse,
): Reply<Result> {
  try {
    const value = withInt64(readJson(text), operation.shape) as Result;
    // A 304 may leave out what has not changed.
    return {
      value,
      url,
      link: headers.get("link") ?? link,
      requestId: headers.get("x-request-id") ?? undefined,
    };
  } catch (cause) {
    const message = `${operation.id}: the body is not what the operation declares: ${excerpt(text)}`;
    throw new UnexpectedResponseError(message, status, call, undefined, { cause });
  }
}

function failureOf(
  { operation, url }: PreparedRequest,
  call: Call,
  why: string,
  cause?: unknown,
): ConnectionError {
  return new ConnectionError(`${operation.id}: ${operation.method} ${url}: ${why}`, call, { cause });
}

/** Why there was no response: the system's code where there is one; some runtimes put it into the error's cause. */
function reasonOf(error: unknown): string {
  const { code, cause, message } = error as {
    code?: string;
    cause?: Error & { code?: string };
    message?: string;
  };
  return cause?.code ?? code ?? cause?.message ?? message ?? "no response";
}
