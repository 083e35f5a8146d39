import type { ApiKey } from "../domain/api-key.ts";
import { Failure } from "../domain/failure.ts";
import type { AnsweredRequest } from "../domain/observation.ts";
import { clientAddress } from "./client-address.ts";
import type { Connections } from "./connections.ts";
import type { PublicPages } from "./public-pages.ts";
import type { Rendered } from "./rendered.ts";
import { BASE_PATH, type Found } from "./routes.ts";
import { splitTarget } from "./target.ts";

/** A request on its way, with the headers that its answer will carry whatever becomes of it. */
export interface Exchange {
  readonly request: Request;
  readonly requestId: string;
  /** Path and query, as they came. */
  readonly raw: string;
  readonly headers: Record<string, string>;
  /** Below the base path, once it is known. */
  found: Found | undefined;
  caller: ApiKey | Failure<"unauthorized"> | undefined;
  /** Whether the answer is one that was kept. */
  kept: boolean;
  /** Whether the client went away in the middle of its body. */
  abandoned: boolean;
}

/** Whether a request asks for something, and changes nothing. */
export function isRead({ method }: Request): boolean {
  return method === "GET" || method === "HEAD";
}

/** What those who watch are told of a request but how long it took. */
export function answeredRequest(
  { request, requestId, raw, found, caller, kept, abandoned }: Exchange,
  { status, failure }: Rendered,
  pages: PublicPages,
  connections: Connections,
  trustProxy: boolean,
  microseconds: number,
): AnsweredRequest {
  const { path } = splitTarget(raw);
  const operation = found?.operation;
  const { refusal, keyId } =
    caller instanceof Failure ? caller.detail : { refusal: undefined, keyId: caller?.id };
  return {
    requestId,
    method: request.method,
    path,
    route: operation ? BASE_PATH + operation.path : pages.routeOf(path),
    operation: operation?.id,
    status,
    failure: failure?.code,
    keyRefusal: refusal,
    keyId,
    kept: isRead(request) && operation && status < 400 ? kept : undefined,
    abandoned,
    microseconds,
    get client() {
      return clientAddress(request, connections, trustProxy);
    },
  };
}
