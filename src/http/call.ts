import type { ApiKey } from "../domain/api-key.ts";
import type { Failure } from "../domain/failure.ts";
import type { CachedResponse } from "./cache/response-cache.ts";
import { requestIdOf } from "./request/headers.ts";
import type { RouteMatch } from "./request/routes.ts";
import { splitTarget } from "./request/target.ts";
import type { Connections } from "./runtime/connections.ts";

/** When a request arrived. */
interface Arrival {
  /** In milliseconds since 1970. */
  readonly now: number;
  /** In milliseconds of the monotonic clock; 0 if nothing measures it. */
  readonly started: number;
}

/** What a request asks for. */
interface Asked {
  /** Path and query, as the client sent them. */
  readonly target: string;
  /** Whether the request reads: GET or HEAD. */
  readonly isRead: boolean;
  /** The operation and parameters that it names, if its path is below the base path. */
  readonly match: RouteMatch | undefined;
  /** The cached response to it, fresh or stale. */
  readonly cached: CachedResponse | undefined;
}

/** A request on its way through the handler. */
export class Call implements Arrival, Asked {
  readonly requestId: string;
  readonly authorization: string | null;
  readonly now: number;
  readonly started: number;
  readonly target: string;
  readonly isRead: boolean;
  readonly match: RouteMatch | undefined;
  readonly cached: CachedResponse | undefined;

  /** Whose key the request carries, or why that key is refused, once this is known. Nothing but the report depends on it. */
  identified: ApiKey | Failure<"unauthorized"> | undefined = undefined;
  /** Whether the response comes from the cache. */
  isCacheHit = false;

  /** @param headers the headers that the response carries in any case */
  constructor(
    readonly request: Request,
    readonly connections: Connections,
    readonly headers: Record<string, string>,
    { now, started }: Arrival,
    { target, isRead, match, cached }: Asked,
  ) {
    const { headers: received } = request;
    this.requestId = requestIdOf(received.get("x-request-id"));
    this.authorization = received.get("authorization");
    this.now = now;
    this.started = started;
    this.target = target;
    this.isRead = isRead;
    this.match = match;
    this.cached = cached;
  }

  get path(): string {
    return splitTarget(this.target).path;
  }
}

/** A call below the base path, where every path needs a key. */
export interface ApiCall extends Call {
  readonly match: RouteMatch;
}

/** Whether a call is below the base path. */
export function isOfApi(call: Call): call is ApiCall {
  return call.match !== undefined;
}
