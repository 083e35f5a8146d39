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
import {
  type AnimalStoreOptions,
  type CreateOptions,
  checked,
  OPTIONS,
  type RequestNotice,
} from "./options.ts";
import { PendingCall, type Reply } from "./pending-call.ts";
import type { Signal } from "./platform.ts";
import { excerpt, refusalOf } from "./refusal.ts";
import {
  addedHeaders,
  bearer,
  callOf,
  headerValue,
  type PreparedRequest,
  prepare,
  randomId,
  sharedHeaders,
} from "./request.ts";
import { type CachedResponse, ResponseCache } from "./response-cache.ts";
import { BACKOFF_FIRST_MS, retryDelay, transientFailure } from "./retry.ts";
import { RetryBudget } from "./retry-budget.ts";
import { Turns } from "./turns.ts";
import { sleep, TIMER_MAX_MS, within } from "./within.ts";

/** A response that has arrived whole. */
interface Received {
  readonly response: Response;
  readonly text: string;
}

/** Sends the requests of operations and reads their responses; it knows no resource. */
export class Transport {
  readonly address: BaseAddress;
  readonly options: AnimalStoreOptions;
  readonly #cache: ResponseCache;
  /** Kept beside the values rather than in them, so that a program sees what the service sent. */
  readonly #tags = new WeakMap<object, string>();
  readonly #retryBudget = new RetryBudget();
  readonly #reportedDeprecations = new Set<string>();
  readonly #requestIdPrefix = randomId();
  /** Checked once, since a check costs as much as a request's own headers. */
  readonly #headers: Readonly<Record<string, string>>;
  readonly #authorization: string | undefined;
  readonly #turns = new Turns();
  #requests = 0;

  constructor(options: AnimalStoreOptions) {
    this.options = checked(options, "AnimalStore", OPTIONS.client);
    this.address = new BaseAddress(options.baseUrl);
    this.#headers = sharedHeaders(options.headers);
    this.#authorization = typeof options.apiKey === "function" ? undefined : bearer(options.apiKey);
    this.#cache = new ResponseCache(options.cacheSize ?? 1_000_000);
  }

  /** Calls an operation by its parameters in the path, and those in the query, if it has any. */
  invoke<Result>(
    operation: Operation<Result>,
    inPath: Readonly<Record<string, unknown>>,
    options: CreateOptions,
    body?: unknown,
    ifMatch?: string,
    inQuery?: Readonly<Record<string, unknown>>,
  ): PendingCall<Result> {
    try {
      checked(options, operation.id, operation.repeat === "with-key" ? OPTIONS.create : OPTIONS.call);
      const url = this.address.of(operation, inPath, inQuery);
      return new PendingCall(this.call(operation, url, options, body, ifMatch));
    } catch (error) {
      // A wrong argument is a failure of the call too.
      return new PendingCall(Promise.reject(error));
    }
  }

  /**
   * Calls an operation at an address: sends its request until it succeeds, fails for good, or runs out of time.
   * @param options checked already
   */
  async call<Result>(
    operation: Operation<Result>,
    url: string,
    options: CreateOptions,
    body?: unknown,
    ifMatch?: string,
  ): Promise<Reply<Result>> {
    const {
      signal,
      requestId,
      deadlineMs = this.options.deadlineMs ?? 30_000,
      timeoutMs = this.options.timeoutMs ?? 10_000,
      retries = this.options.retries ?? Number.MAX_VALUE,
    } = options;
    const request = this.prepare(operation, url, options, body);
    if (requestId !== undefined) headerValue("requestId", requestId);
    const giveUpAt = performance.now() + deadlineMs;
    let cause: AnimalStoreError | undefined;
    const late = (call: Call) =>
      new DeadlineExceededError(`${operation.id}: no success within ${deadlineMs} ms`, call, { cause });
    for (let retry = 0; ; retry++) {
      // The time of an attempt begins with its turn: a client must not take its own queue for a slow service.
      if (!this.#turns.take()) {
        await within(
          giveUpAt - performance.now(),
          signal,
          () => late(callOf(request, retry, requestId)),
          (signal) => this.#turns.wait(signal),
        );
      }
      const call = callOf(request, retry + 1, requestId ?? this.nextRequestId());
      const leftMs = giveUpAt - performance.now();
      const cached = operation.method === "GET" ? this.#cache.get(url) : undefined;
      const headers = {
        ...(ifMatch && { "if-match": ifMatch }),
        ...(cached && { "if-none-match": cached.etag }),
      };
      try {
        let received: Received;
        try {
          received = await within(
            Math.min(timeoutMs, leftMs),
            signal,
            () =>
              leftMs <= timeoutMs
                ? late(call)
                : noResponse(request, call, `no complete response within ${timeoutMs} ms`),
            (signal) => this.#exchange(request, call, signal, headers),
          );
        } finally {
          this.#turns.end();
        }
        const reply = this.#replyOf<Result>(request, call, received, cached);
        this.#retryBudget.giveBack();
        return reply;
      } catch (error) {
        if (error instanceof ServiceError && cause) error.cause = cause;
        if (operation.repeat === "never" || retry >= retries) throw error;
        cause = await this.waitForRetry(operation, error, retry, giveUpAt, signal);
      }
    }
  }

  /** Prepares a request of an operation, with the headers of the client and of a call. */
  prepare(
    operation: Operation<unknown>,
    url: string,
    options: Pick<CreateOptions, "idempotencyKey" | "headers">,
    body?: unknown,
    accept?: string,
  ): PreparedRequest {
    return prepare(operation, url, body, this.#headers, options, accept);
  }

  /**
   * Waits until a request may be sent again after a failure, which it returns.
   * @param retry 0 for the first
   * @param giveUpAt when the call ends, by `performance.now()`
   * @throws the failure itself if the request must not be sent again, or if too little time is left
   */
  async waitForRetry(
    { id }: Operation<unknown>,
    error: unknown,
    retry: number,
    giveUpAt: number,
    signal: Signal | undefined,
  ): Promise<AnimalStoreError> {
    const now = performance.now();
    const leftMs = giveUpAt - now;
    const failure = transientFailure(error);
    if (!failure || signal?.aborted || leftMs < BACKOFF_FIRST_MS) throw error;
    const delayMs = Math.max(
      retryDelay(retry, failure.retryAfterMs, Math.random(), leftMs),
      this.#retryBudget.take(now),
    );
    // A wait that the deadline would cut short tells the caller less than the failure itself. A timer past its bound would
    // fire at once.
    if (delayMs >= leftMs || delayMs > TIMER_MAX_MS) {
      this.#retryBudget.giveBack();
      throw error;
    }
    this.options.onRetry?.({ operation: id, error: error as AnimalStoreError, delayMs });
    await sleep(delayMs, signal);
    return error as AnimalStoreError;
  }

  /** Sends a request once and receives the response whole. */
  async #exchange(
    request: PreparedRequest,
    call: Call,
    signal: AbortSignal,
    headers: Readonly<Record<string, string>>,
  ): Promise<Received> {
    const response = await this.send(request, call, signal, headers);
    return { response, text: await bodyOf(response, request, call) };
  }

  /**
   * Reads a response.
   * @throws AnimalStoreError if it is not a success, or not what the operation declares
   */
  #replyOf<Result>(
    request: PreparedRequest,
    call: Call,
    { response, text }: Received,
    cached: CachedResponse | undefined,
  ): Reply<Result> {
    this.report(request, call, response);
    const { status, ok, headers } = response;
    const link = headers.get("link");
    if (status === 304 && cached) {
      // A 304 may leave out what has not changed.
      const reply = read<Result>(request, call, response, cached.text, link ?? cached.link);
      this.#remember(reply.value, cached.etag);
      return reply;
    }
    if (!ok) throw refusalOf(response, text, call);
    const isGet = request.operation.method === "GET";
    const fresh = { etag: (isGet && headers.get("etag")) || "", text, link };
    const reply = read<Result>(request, call, response, text, link);
    if (fresh.etag) {
      this.#cache.put(request.url, fresh);
      this.#remember(reply.value, fresh.etag);
    }
    return reply;
  }

  /** The `ETag` of the response that a value came from, if this very object did. */
  tagOf(value: object): string | undefined {
    return this.#tags.get(value);
  }

  #remember(value: unknown, tag: string): void {
    if (Object(value) === value) this.#tags.set(value as object, tag);
  }

  /**
   * Sends a request once.
   * @param headers in addition to those of every attempt
   * @returns the response when its headers are here
   */
  async send(
    request: PreparedRequest,
    call: Call,
    signal: AbortSignal,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const { apiKey, fetch = globalThis.fetch, onRequest } = this.options;
    const added = onRequest?.(noticeOf(request, call));
    const authorization =
      typeof apiKey === "function" ? bearer(await apiKey()) : (this.#authorization as string);
    const init = {
      method: request.operation.method,
      headers: {
        ...request.headers,
        ...(added && addedHeaders(added)),
        authorization,
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
  report(request: PreparedRequest, call: Call, { status, headers }: Response): void {
    const { id } = request.operation;
    this.options.onResponse?.({ ...noticeOf(request, call), status, headers });
    const notice = deprecationOf(id, headers);
    if (notice === undefined || this.#reportedDeprecations.has(id)) return;
    this.#reportedDeprecations.add(id);
    (this.options.onDeprecation ?? warnOfDeprecation)(notice);
  }

  nextRequestId(): string {
    return `${this.#requestIdPrefix}-${++this.#requests}`;
  }
}

function noticeOf({ operation, url }: PreparedRequest, { requestId, attempts }: Call): RequestNotice {
  return { operation: operation.id, method: operation.method, url, requestId, attempt: attempts };
}

/** @throws UnexpectedResponseError if the body is not what the operation declares */
function read<Result>(
  { operation, url }: PreparedRequest,
  call: Call,
  { status, headers }: Response,
  text: string,
  link: string | null,
): Reply<Result> {
  try {
    const value = withInt64(readJson(text), operation.shape) as Result;
    return { value, operation: operation.id, url, status, headers, link, attempts: call.attempts };
  } catch (cause) {
    const message = `${operation.id}: the body is not what the operation declares: ${excerpt(text)}`;
    throw new UnexpectedResponseError(message, status, call, undefined, { cause });
  }
}
