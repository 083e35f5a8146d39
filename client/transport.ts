import { BaseAddress } from "./address.ts";
import { bodyOf, connectionFailed, noResponse } from "./connection-failure.ts";
import { deprecationOf, warnOfDeprecation } from "./deprecation.ts";
import {
  type AnimalStoreError,
  type Call,
  DeadlineExceededError,
  ServiceError,
  UnexpectedResponseError,
} from "./errors.ts";
import { readJson, withInt64 } from "./exact-json.ts";
import type { Operation } from "./operation.ts";
import { type AnimalStoreOptions, type CreateOptions, checked } from "./options.ts";
import { excerpt, refusalOf } from "./refusal.ts";
import { bearer, callOf, type PreparedRequest, prepare, randomId } from "./request.ts";
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
  readonly options: AnimalStoreOptions;
  readonly #cache: ResponseCache;
  readonly #reportedDeprecations = new Set<string>();
  readonly #requestIdPrefix = randomId();
  #requests = 0;

  constructor(options: AnimalStoreOptions) {
    this.address = new BaseAddress(options.baseUrl);
    this.options = checked(options);
    if (typeof options.apiKey !== "function") bearer(options.apiKey);
    this.#cache = new ResponseCache(options.cacheSize ?? 1_000_000);
  }

  /** Calls an operation by its parameters in the path, and returns its result. */
  async invoke<Result>(
    operation: Operation<Result>,
    inPath: Readonly<Record<string, unknown>>,
    options: CreateOptions,
    body?: unknown,
  ): Promise<Result> {
    return (await this.call(operation, this.address.of(operation, inPath), options, body)).value;
  }

  /** Calls an operation at an address: sends its request until it succeeds, fails for good, or runs out of time. */
  async call<Result>(
    operation: Operation<Result>,
    url: string,
    options: CreateOptions,
    body?: unknown,
  ): Promise<Reply<Result>> {
    const request = prepare(operation, url, body, options.idempotencyKey);
    const { signal, deadlineMs = this.options.deadlineMs ?? 30_000 } = checked(options);
    const { retries = 4 } = this.options;
    const giveUpAt = performance.now() + deadlineMs;
    let cause: AnimalStoreError | undefined;
    for (let retry = 0; ; retry++) {
      const call = callOf(request, retry + 1, this.nextRequestId());
      const late = () =>
        new DeadlineExceededError(`${operation.id}: no success within ${deadlineMs} ms`, call, { cause });
      try {
        return await this.#attempt<Result>(request, call, signal, giveUpAt - performance.now(), late);
      } catch (error) {
        if (error instanceof ServiceError && cause) error.cause = cause;
        if (operation.repeat === "never" || retry >= retries) throw error;
        cause = await this.waitForRetry(operation, error, retry, giveUpAt, signal);
      }
    }
  }

  /**
   * Waits until a request may be sent again after a failure, which it returns.
   * @param retry 0 for the first
   * @param giveUpAt when the wait must be over, by `performance.now()`
   * @throws the failure itself if the request must not be sent again, or only after `giveUpAt`
   */
  async waitForRetry(
    { id }: Operation<unknown>,
    error: unknown,
    retry: number,
    giveUpAt: number,
    signal: AbortSignal | undefined,
  ): Promise<AnimalStoreError> {
    const delayMs = this.#delayBeforeRetry(retry, error);
    // A wait that the deadline would cut short tells the caller less than the failure itself.
    if (delayMs === undefined || performance.now() + delayMs >= giveUpAt || signal?.aborted) throw error;
    const failure = error as AnimalStoreError;
    this.options.onRetry?.({ operation: id, error: failure, delayMs });
    await sleep(delayMs, signal);
    return failure;
  }

  /** Milliseconds until a failed request may be sent again; undefined if it must not be. */
  #delayBeforeRetry(retry: number, error: unknown): number | undefined {
    const { retryAfterMaxMs = 30_000 } = this.options;
    const failure = transientFailure(error);
    if (!failure || (failure.retryAfterMs ?? 0) > retryAfterMaxMs) return undefined;
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
    const { attemptMs = 10_000 } = this.options;
    const slow = () => noResponse(request, call, `no complete response within ${attemptMs} ms`);
    const { response, text } = await within(
      Math.min(attemptMs, leftMs),
      signal,
      leftMs <= attemptMs ? late : slow,
      async (signal) => {
        const response = await this.send(request, call, signal, cached && { "if-none-match": cached.etag });
        return { response, text: await bodyOf(response, request, call) };
      },
    );
    const { status, headers, ok } = response;
    this.report(operation, url, response);

    if (status === 304 && cached) return read<Result>(request, call, response, cached);
    if (!ok) throw refusalOf(response, text, call);
    const fresh = { etag: headers.get("etag") ?? "", text, link: headers.get("link") };
    const reply = read<Result>(request, call, response, fresh);
    if (fresh.etag && operation.method === "GET") this.#cache.put(url, fresh);
    return reply;
  }

  /**
   * Sends a request once.
   * @param headers beside those of every attempt
   * @returns the response when its headers are here
   */
  async send(
    request: PreparedRequest,
    call: Call,
    signal: AbortSignal,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const { apiKey, fetch = globalThis.fetch } = this.options;
    const key = typeof apiKey === "function" ? await apiKey() : apiKey;
    const init = {
      method: request.operation.method,
      headers: {
        ...request.headers,
        authorization: bearer(key),
        "x-request-id": call.requestId as string,
        ...headers,
      },
      body: request.body ?? null,
      signal,
      // Another address must not get the key, and a redirected create would become a GET.
      redirect: "manual",
    } as const;
    try {
      return await fetch(request.url, init);
    } catch (error) {
      throw connectionFailed(request, call, error);
    }
  }

  /** Tells the caller's functions of a response. */
  report({ id }: Operation<unknown>, url: string, { status, headers }: Response): void {
    this.options.onResponse?.({ operation: id, url, status, headers });
    const notice = deprecationOf(id, headers);
    if (notice === undefined || this.#reportedDeprecations.has(id)) return;
    this.#reportedDeprecations.add(id);
    (this.options.onDeprecation ?? warnOfDeprecation)(notice);
  }

  nextRequestId(): string {
    return `${this.#requestIdPrefix}-${++this.#requests}`;
  }
}

/** @throws UnexpectedResponseError if the body is not what the operation declares */
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
