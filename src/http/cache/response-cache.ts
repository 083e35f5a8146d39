import { Failure } from "../../domain/failure.ts";
import type { InvalidatedBy, Revision } from "../../domain/revision.ts";
import type { Exchange } from "../exchange.ts";
import { bytesOf, type Rendered, toLast } from "../response/rendered.ts";
import type { RouteMatch, Routes } from "../routes.ts";
import { AdmissionFilter } from "./admission-filter.ts";
import { BoundedCache } from "./bounded-cache.ts";
import { type CachedResponse, isFresh } from "./cached-response.ts";

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
  readonly #routes: Routes;
  readonly #responses = new BoundedCache<CachedResponse>(CACHE_MAX_BYTES);
  readonly #admission = new AdmissionFilter();

  constructor(routes: Routes) {
    this.#routes = routes;
  }

  /** Finds the cached response to a read, fresh or stale, and with it the route; returns whether there is one. */
  find(exchange: Exchange): boolean {
    const cached = exchange.isRead ? this.#responses.get(exchange.target) : undefined;
    exchange.cached = cached;
    exchange.match = cached?.match;
    return cached !== undefined;
  }

  /** The cached response, if it is fresh at a revision; otherwise notes that it is stale. */
  fresh(exchange: Exchange, revision: Revision): Rendered | undefined {
    const { cached, target } = exchange;
    if (!cached) return undefined;
    if (isFresh(cached, revision)) {
      cached.isShortLived = false;
      return hit(exchange, cached);
    }
    // Another request for it, of this turn or of one before, may have been answered since this one arrived.
    const latest = this.#responses.get(target);
    if (latest && isFresh(latest, revision)) return hit(exchange, latest);
    exchange.isStale = true;
    return undefined;
  }

  /**
   * Caches a response from the second time on that its target is asked for: clients that walk through the stock ask for
   * most pages once. Returns the response to send.
   *
   * @param revision the one that it was rendered under
   */
  put(
    { target, cached: replaced }: Exchange,
    rendered: Rendered,
    invalidatedBy: InvalidatedBy,
    revision: Revision,
  ): Rendered {
    const { body } = rendered;
    if (target.length > TARGET_MAX || typeof body !== "string" || !this.#admission.seenBefore(target))
      return rendered;
    // A part of a string keeps all of it in memory: here the URL, in which a host may have 15 KB.
    const key = Buffer.from(target).toString();
    const match = this.#routes.find("GET", key) as RouteMatch;
    const parameters = match.route instanceof Failure ? 0 : match.route.query.size;
    const lasting = toLast({ ...rendered, body });
    const size = ENTRY_BYTES + PARAMETER_BYTES * parameters + COPIES * bytesOf(lasting.body);
    const isShortLived = replaced !== undefined;
    this.#responses.set(key, { match, rendered: lasting, invalidatedBy, asOf: revision, isShortLived }, size);
    return lasting;
  }
}

function hit(exchange: Exchange, { rendered }: CachedResponse): Rendered {
  exchange.isCacheHit = true;
  return rendered;
}
