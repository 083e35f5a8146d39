import { Failure } from "../../domain/failure.ts";
import { type InvalidatedBy, isValidAt, type Revision } from "../../domain/revision.ts";
import type { RouteMatch, Routes } from "../request/routes.ts";
import { bytesOf, type HttpResponse, preEncode } from "../response/http-response.ts";
import { AdmissionFilter } from "./admission-filter.ts";
import { BoundedCache } from "./bounded-cache.ts";

/** Responses in the cache at once, in bytes. */
const CACHE_MAX_BYTES = 32 * 1024 * 1024;
/** A page takes its text, its bytes, and its bytes in each of three codings. */
const COPIES = 5;
/** Headers and objects of a response, and of each parameter of its query, in bytes; a generous estimate. */
const ENTRY_BYTES = 2000;
const PARAMETER_BYTES = 300;
/** Our own links have some 100 characters. Longer targets are served, and not cached. */
const TARGET_MAX = 300;

/** A response, with the route that led to it. */
export interface CachedResponse {
  readonly match: RouteMatch;
  readonly response: HttpResponse;
  /** Which changes make it stale. */
  readonly invalidatedBy: InvalidatedBy;
  /** The revision that it was made under. */
  readonly asOf: Revision;
  /** Whether it replaces a response that was stale when it was asked for: then this one will probably be, too. */
  isShortLived: boolean;
}

/** Whether a cached response is still what the store would give. */
function isFresh({ invalidatedBy, asOf }: CachedResponse, revision: Revision): boolean {
  return isValidAt(asOf, revision, invalidatedBy);
}

/** Responses to be sent again, by the path and query that were asked for. */
export class ResponseCache {
  readonly #routes: Routes;
  readonly #responses = new BoundedCache<CachedResponse>(CACHE_MAX_BYTES);
  readonly #admission = new AdmissionFilter();

  constructor(routes: Routes) {
    this.#routes = routes;
  }

  /** The cached response to a GET or HEAD of this target, fresh or stale. */
  find(target: string): CachedResponse | undefined {
    return this.#responses.get(target);
  }

  /** A cached response that is fresh at a revision: the response that was found for this target, or its replacement. */
  fresh(target: string, found: CachedResponse, revision: Revision): HttpResponse | undefined {
    if (isFresh(found, revision)) {
      found.isShortLived = false;
      return found.response;
    }
    // Another request for it, of this turn or of one before, may have been answered since this one arrived.
    const latest = this.#responses.get(target);
    return latest && isFresh(latest, revision) ? latest.response : undefined;
  }

  /**
   * Caches a response from the second time on that its target is asked for: clients that walk through the stock ask for
   * most pages once. Returns the response to send.
   *
   * @param entry what is known of the response, which was made under the revision `asOf`
   */
  put(
    target: string,
    response: HttpResponse,
    entry: Pick<CachedResponse, "invalidatedBy" | "asOf" | "isShortLived">,
  ): HttpResponse {
    const { body } = response;
    if (target.length > TARGET_MAX || typeof body !== "string" || !this.#admission.seenBefore(target))
      return response;
    // A part of a string keeps all of it in memory: here the URL, in which a host may have 15 KB.
    const key = Buffer.from(target).toString();
    const match = this.#routes.find("GET", key) as RouteMatch;
    const parameters = match.route instanceof Failure ? 0 : match.route.query.size;
    const encoded = preEncode({ ...response, body }, "quick");
    const size = ENTRY_BYTES + PARAMETER_BYTES * parameters + COPIES * bytesOf(encoded.body);
    this.#responses.set(key, { ...entry, match, response: encoded }, size);
    return encoded;
  }
}
