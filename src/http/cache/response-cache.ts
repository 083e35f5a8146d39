import { Failure } from "../../domain/failure.ts";
import { holdsUnder, type InvalidatedBy, type Revision } from "../../domain/revision.ts";
import { bytesOf, type Rendered, toLast } from "../response/rendered.ts";
import type { RouteMatch } from "../routes.ts";
import { AdmissionFilter } from "./admission-filter.ts";
import { BoundedCache } from "./bounded-cache.ts";

/** A rendered response, with the route that led to it. */
export interface CachedResponse {
  readonly match: RouteMatch;
  readonly rendered: Rendered;
  /** Which changes make it stale. */
  readonly invalidatedBy: InvalidatedBy;
  /** The revision that it was rendered under. */
  readonly asOf: Revision;
  /** Whether it replaces a response that was stale when it was asked for: then this one will probably be, too. */
  isShortLived: boolean;
}

/** Rendered responses in the cache at once, in bytes. */
const CACHE_MAX_BYTES = 32 * 1024 * 1024;
/** A page takes its text, its bytes, and its bytes in each of three codings. */
const COPIES = 5;
/** Headers and objects of a response, and of each parameter of its query, in bytes; a generous estimate. */
const ENTRY_BYTES = 2000;
const PARAMETER_BYTES = 300;
/** Our own links have some 100 characters. Longer targets are served, and not cached. */
const TARGET_MAX = 300;

/** Responses to be sent again, by the path and query that were asked for. */
export class ResponseCache {
  readonly #responses = new BoundedCache<CachedResponse>(CACHE_MAX_BYTES);
  readonly #admission = new AdmissionFilter();

  get(target: string): CachedResponse | undefined {
    return this.#responses.get(target);
  }

  /**
   * Caches a response from the second time on that its target is asked for: clients that walk through the stock ask for
   * most pages once. Returns the response to send.
   *
   * @param find the route of a target
   * @param revision the one that it was rendered under
   * @param replaced the stale response that it replaces, if any
   */
  put(
    target: string,
    find: (target: string) => RouteMatch,
    rendered: Rendered,
    invalidatedBy: InvalidatedBy,
    revision: Revision,
    replaced: CachedResponse | undefined,
  ): Rendered {
    const { body } = rendered;
    if (target.length > TARGET_MAX || typeof body !== "string" || !this.#admission.seenBefore(target))
      return rendered;
    // A part of a string keeps all of it in memory: here the URL, in which a host may have 15 KB.
    const key = Buffer.from(target).toString();
    const match = find(key);
    const parameters = match.route instanceof Failure ? 0 : match.route.query.size;
    const lasting = toLast({ ...rendered, body });
    const size = ENTRY_BYTES + PARAMETER_BYTES * parameters + COPIES * bytesOf(lasting.body);
    const cached = {
      match,
      rendered: lasting,
      invalidatedBy,
      asOf: revision,
      isShortLived: replaced !== undefined,
    };
    this.#responses.set(key, cached, size);
    return lasting;
  }
}

/** Whether a cached response is still what the store would give. */
export function isFresh({ invalidatedBy, asOf }: CachedResponse, revision: Revision): boolean {
  return holdsUnder(asOf, revision, invalidatedBy);
}
