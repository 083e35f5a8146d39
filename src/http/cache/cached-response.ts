import { holdsUnder, type InvalidatedBy, type Revision } from "../../domain/revision.ts";
import type { Rendered } from "../response/rendered.ts";
import type { RouteMatch } from "../routes.ts";

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

/** Whether a cached response is still what the store would give. */
export function isFresh({ invalidatedBy, asOf }: CachedResponse, revision: Revision): boolean {
  return holdsUnder(asOf, revision, invalidatedBy);
}
