import { useState } from "preact/hooks";
import { IN_BROWSER, keep, kept } from "../browser/kept.ts";
import { capitalized } from "../parts/capitalized.ts";
import { isFiltered, LIMITS, listOf, type View } from "./view.ts";

const NAME = "animal-store.filters";

/** What a list is filtered by, for every visit of this browser. */
type Filter = Omit<View, "page" | "trail" | "animal" | "order">;

export function useKeptFilters(): {
  readonly filters: readonly Filter[];
  readonly add: (view: View) => void;
  readonly remove: (filter: Filter) => void;
} {
  const [filters, setFilters] = useState<readonly Filter[]>(() => kept<Filter[]>(IN_BROWSER, NAME, []));
  const change = (without: Filter, ...added: readonly Filter[]) => {
    // Another tab may have kept or removed some meanwhile.
    const current = kept(IN_BROWSER, NAME, filters);
    const next = [...current.filter((each) => nameOf(each) !== nameOf(without)), ...added];
    setFilters(next);
    keep(IN_BROWSER, NAME, next);
  };
  return {
    filters,
    add: ({ page, trail, animal, order, ...filter }) => change(filter, filter),
    remove: (filter) => change(filter),
  };
}

/** A filter in words, for example "Sold animals, 50 per page". Two filters with one name are the same. */
export function nameOf(filter: Filter): string {
  const list = capitalized(listOf(filter));
  return filter.limit === LIMITS[0] ? list : `${list}, ${filter.limit} per page`;
}

/** Whether a filter leaves everything as it is at first. */
export function isDefault(filter: Filter): boolean {
  return !isFiltered(filter) && filter.limit === LIMITS[0];
}
