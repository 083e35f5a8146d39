import type { ApiKey } from "../domain/api-key.ts";
import type { Failure } from "../domain/failure.ts";
import type { CachedKey } from "./authenticate.ts";
import type { CachedResponse } from "./cache/response-cache.ts";
import { requestIdOf } from "./request/headers.ts";
import type { Input } from "./request/input.ts";
import type { Route, RouteMatch } from "./request/routes.ts";
import { rawTarget, splitTarget } from "./request/target.ts";
import type { Connections } from "./runtime/connections.ts";

/** A request, and what the handler has found out about it. */
export class Call {
  readonly requestId: string;
  /** Path and query, as the client sent them. */
  readonly target: string;
  readonly authorization: string | null;
  /** Whether the request reads: GET or HEAD. */
  readonly isRead: boolean;

  /** The operation and parameters that it names, if its path is below the base path. */
  match: RouteMatch | undefined = undefined;
  cached: CachedResponse | undefined = undefined;
  /** The key as it was last looked up. It may have been revoked since. */
  known: CachedKey | undefined = undefined;
  /** The confirmed owner of the key, or why the key is refused: true at some time since the request arrived. */
  caller: ApiKey | Failure<"unauthorized"> | undefined = undefined;
  /** The input of a write, once its body was read. */
  input: Input | Failure | undefined = undefined;

  /** Whether the response comes from the cache. */
  isCacheHit = false;
  /** Whether the cached response was found to be stale. */
  isStale = false;
  /** Whether the client went away before it had sent its whole body. */
  isAbandoned = false;
  /** Whether the runtime waits for a promise of the response. */
  isWaiting = false;

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
}
