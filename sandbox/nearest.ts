import type { FilterName, JournalEntry, JournalFilter } from "./journal-entry.ts";

/** A request that a filter does not admit, and in what it differs from what was asked for. */
interface NearRequest {
  readonly request: JournalEntry;
  /** What it has in place of the value that the filter asks for; `null` where it has nothing. */
  readonly differs: Readonly<Partial<Record<FilterName, string | null>>>;
}

/**
 * The requests that come nearest to a filter without satisfying it: a test whose request is missing shows them, since one of
 * them is probably the request that was meant. Those that differ in the fewest members come first, the latest of them before.
 *
 * @param count how many at most
 */
export function nearestTo(
  filter: JournalFilter,
  requests: readonly JournalEntry[],
  count: number,
): NearRequest[] {
  const wanted = Object.entries(filter) as [FilterName, string][];
  return requests
    .map((request) => {
      const others = wanted.filter(([name, value]) => request.valueOf(name) !== value);
      return {
        request,
        differs: Object.fromEntries(others.map(([name]) => [name, request.valueOf(name) ?? null])),
      };
    })
    .filter(({ differs }) => Object.keys(differs).length > 0)
    .sort(
      (one, other) =>
        Object.keys(one.differs).length - Object.keys(other.differs).length ||
        other.request.id - one.request.id,
    )
    .slice(0, count);
}
