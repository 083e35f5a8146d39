import type { ApiKey } from "../domain/api-key.ts";
import type { Failure } from "../domain/failure.ts";
import type { CachedResponse, ResponseCache } from "./cache/response-cache.ts";
import type { RouteMatch, Routes } from "./request/routes.ts";
import { rawTarget, splitTarget } from "./request/target.ts";
import type { Connections } from "./runtime/connections.ts";

/** Finds what a request asks for. */
interface Finders {
  readonly cache: Pick<ResponseCache, "find">;
  readonly routes: Pick<Routes, "find">;
}

/** Printable ASCII without spaces. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** The client's own request id if it can be repeated in a header, else a new one (UUIDv7, RFC 9562). */
export function requestIdOf(given: string | null): string {
  return given !== null && REQUEST_ID.test(given) ? given : Bun.randomUUIDv7();
}

/** A request on its way through the handler. */
export class Call {
  /** Kept here, since asking the runtime takes longer. */
  readonly method: string;
  readonly requestId: string;
  /** Path and query, as the client sent them. */
  readonly target: string;
  readonly authorization: string | null;
  /** Whether the request reads: GET or HEAD. */
  readonly isRead: boolean;
  /** The cached response to it, fresh or stale. */
  readonly cached: CachedResponse | undefined;
  /** The operation and parameters that it names, if its path is below the base path. */
  readonly match: RouteMatch | undefined;

  /** Whose key the request carries, or why that key is refused, once this is known. Nothing but the report depends on it. */
  identified: ApiKey | Failure<"unauthorized"> | undefined = undefined;
  /** Whether the response comes from the cache. */
  isCacheHit = false;

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
    { cache, routes }: Finders,
  ) {
    const { method, headers: received, url } = request;
    this.method = method;
    this.requestId = requestIdOf(received.get("x-request-id"));
    this.target = rawTarget(url);
    this.authorization = received.get("authorization");
    this.isRead = method === "GET" || method === "HEAD";
    this.cached = this.isRead ? cache.find(this.target) : undefined;
    this.match = this.cached?.match ?? routes.find(method, this.target);
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
