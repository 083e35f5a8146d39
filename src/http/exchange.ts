import type { ApiKey } from "../domain/api-key.ts";
import type { Failure } from "../domain/failure.ts";
import type { MaybePromise } from "../domain/maybe-promise.ts";
import type { Plan } from "../operations/operation.ts";
import type { CachedKey } from "./authenticate.ts";
import type { CachedResponse } from "./cache/cached-response.ts";
import type { Connections } from "./connections.ts";
import { requestIdOf } from "./request/request-id.ts";
import { rawTarget, splitTarget } from "./request/target.ts";
import type { Route, RouteMatch } from "./routes.ts";
import type { Input } from "./run-operation.ts";

/** A request on its way to its response, with everything that the phases of its life find out about it. */
export class Exchange {
  readonly requestId: string;
  /** Path and query, as the client sent them. */
  readonly target: string;
  readonly authorization: string | null;
  /** Whether the request reads: GET or HEAD. */
  readonly isRead: boolean;
  /** Runs a step in the trace of this request; `undefined` if requests are not traced. */
  context: ((step: () => void) => void) | undefined = undefined;

  /** The operation and parameters that it names, if its path is below the base path. */
  match: RouteMatch | undefined = undefined;
  cached: CachedResponse | undefined = undefined;
  /** The key as it was last looked up. It may have been revoked since. */
  known: CachedKey | undefined = undefined;
  /** The confirmed owner of the key, or why the key is refused: true at some time since the request arrived. */
  caller: ApiKey | Failure<"unauthorized"> | undefined = undefined;
  input: Input | Failure | undefined = undefined;
  plan: Plan | Failure | undefined = undefined;

  /** What this turn asked the store for, and its reply or its error. */
  asked: "key" | "plan" | undefined = undefined;
  reply: unknown = undefined;
  error: unknown = undefined;
  /** Resolves when the reply or the error is there; `undefined` if the store replied at once. */
  loading: Promise<void> | undefined = undefined;

  /** Whether the response comes from the cache. */
  isCacheHit = false;
  /** Whether the cached response was found to be stale. */
  isStale = false;
  /** Whether the client went away before it had sent its whole body. */
  isAbandoned = false;
  /** Whether the runtime waits for a promise of the response. */
  isWaiting = false;
  response: Response | undefined = undefined;
  #resolve: ((response: Response) => void) | undefined = undefined;

  /**
   * @param headers the headers that the response carries in any case
   * @param now when it arrived, in milliseconds since 1970
   * @param started when it arrived, in milliseconds of the monotonic clock; 0 if nothing measures it
   */
  constructor(
    readonly request: Request,
    readonly connections: Connections,
    readonly headers: Record<string, string>,
    readonly now: number,
    readonly started: number,
  ) {
    const { method, headers: received, url } = request;
    this.requestId = requestIdOf(received.get("x-request-id"));
    this.target = rawTarget(url);
    this.authorization = received.get("authorization");
    this.isRead = method === "GET" || method === "HEAD";
  }

  get path(): string {
    return splitTarget(this.target).path;
  }

  /** The route of a request that is not refused. */
  get route(): Route {
    return this.match?.route as Route;
  }

  /** Runs a step in the trace of this request. */
  run(step: () => void): void {
    if (this.context) this.context(step);
    else step();
  }

  /** Asks the store, and records its reply or its error when it comes. */
  ask(asked: "key" | "plan", question: () => MaybePromise<unknown>): void {
    this.asked = asked;
    this.error = undefined;
    try {
      const reply = question();
      if (reply instanceof Promise) this.loading = this.#load(reply);
      else this.reply = reply;
    } catch (error) {
      this.error = error;
    }
  }

  /** Takes the plan and the reply of another request of the same turn, which has asked the store for the same. */
  shareQuestion(first: Exchange): void {
    this.ask("plan", () => {
      this.plan = first.plan;
      return first.loading ? first.loading.then(() => first.takeReply()) : first.takeReply();
    });
  }

  /** The store's reply. Throws the store's error, if it has failed. */
  takeReply(): unknown {
    if (this.error !== undefined) throw this.error;
    return this.reply;
  }

  async #load(reply: Promise<unknown>): Promise<void> {
    try {
      this.reply = await reply;
    } catch (error) {
      this.error = error;
    }
  }

  respond(response: Response): void {
    this.response = response;
    this.#resolve?.(response);
  }

  /** A promise of the response. */
  later(): Promise<Response> {
    this.isWaiting = true;
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }
}
