import { type DeprecationNotice, deprecationOf } from "./deprecation.ts";
import type { ResponseHeaders } from "./platform.ts";

/** What a response says apart from its body. */
export interface ResponseInfo {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** The address that it came from. */
  readonly url: string;
  /** The `X-Request-Id`, which the operator finds in the log. */
  readonly requestId: string | undefined;
  /** How many times the client sent the request. */
  readonly attempts: number;
  /** Whether this is the response to an earlier request with the same `Idempotency-Key` (`Idempotent-Replayed`). */
  readonly isReplay: boolean;
  /** Undefined if the operation is not deprecated. */
  readonly deprecation: DeprecationNotice | undefined;
  /** The state of the rate limit of the key (`RateLimit`); undefined if there is no limit. */
  readonly rateLimit: { readonly remaining: number; readonly resetSeconds: number } | undefined;
}

/** A successful response, read. */
export interface Reply<Result> {
  readonly value: Result;
  readonly operation: string;
  readonly url: string;
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** The `Link` header. */
  readonly link: string | null;
  readonly attempts: number;
}

/** The promise of a call's result. `await` gives the result alone. */
export class PendingCall<Result> implements Promise<Result> {
  readonly [Symbol.toStringTag] = "PendingCall";
  /** @internal */
  readonly reply: Promise<Reply<Result>>;

  /** @internal */
  constructor(reply: Promise<Reply<Result>>) {
    this.reply = reply;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise
  then<Value = Result, Reason = never>(
    onValue?: ((value: Result) => Value | PromiseLike<Value>) | null,
    // biome-ignore lint/suspicious/noExplicitAny: as in the runtime's own promise
    onError?: ((reason: any) => Reason | PromiseLike<Reason>) | null,
  ): Promise<Value | Reason> {
    // A promise passes its value on where it is given no function.
    const give = typeof onValue === "function" ? onValue : (value: Result) => value as unknown as Value;
    return this.reply.then(({ value }) => give(value), onError);
  }

  catch<Reason = never>(
    // biome-ignore lint/suspicious/noExplicitAny: as in the runtime's own promise
    onError?: ((reason: any) => Reason | PromiseLike<Reason>) | null,
  ): Promise<Result | Reason> {
    return this.then(undefined, onError);
  }

  finally(onEnd?: (() => void) | null): Promise<Result> {
    return this.then().finally(onEnd);
  }

  /**
   * The result with what else the response says.
   *
   * @example
   * const { value, response } = await store.pets.create({ name: "Rex", categoryId: 12n }).withResponse();
   * console.log(value.id, response.requestId, response.isReplay);
   */
  async withResponse(): Promise<{ readonly value: Result; readonly response: ResponseInfo }> {
    const reply = await this.reply;
    return { value: reply.value, response: responseInfo(reply) };
  }
}

function responseInfo({ operation, url, status, headers, attempts }: Reply<unknown>): ResponseInfo {
  return {
    status,
    headers,
    url,
    requestId: headers.get("x-request-id") ?? undefined,
    attempts,
    isReplay: headers.get("idempotent-replayed") === "true",
    deprecation: deprecationOf(operation, headers),
    rateLimit: rateLimitOf(headers.get("ratelimit")),
  };
}

/** Reads `RateLimit`, for example `"default";r=99;t=1` (IETF draft "RateLimit header fields for HTTP"). */
function rateLimitOf(header: string | null): ResponseInfo["rateLimit"] {
  const remaining = /;\s*r=(\d+)/.exec(header ?? "")?.[1];
  const reset = /;\s*t=(\d+)/.exec(header ?? "")?.[1];
  return remaining === undefined
    ? undefined
    : { remaining: Number(remaining), resetSeconds: Number(reset ?? 0) };
}
