import { badQueries } from "./bad-requests.ts";
import { assert } from "./contract-violation.ts";
import type { List } from "./lists.ts";
import { pageOf } from "./page.ts";
import type { ContractSession } from "./session.ts";

/**
 * Asserts that each filter of a list heeds its value, and that a cursor is refused with another filter than its own: a filtered
 * list's with another value or with none, and the whole list's with a value.
 *
 * @param items of the list. Of each filter they have two values, and at least two items have the most frequent one
 */
export async function tryFilters<Item extends { readonly id: bigint }>(
  session: ContractSession,
  list: List<Item>,
  items: readonly Item[],
): Promise<void> {
  const cursorOf = async (filter: string) => {
    const { next } = await pageOf(session, list, `limit=1${filter}`);
    assert(next !== undefined, `a second page of ${list.path}?limit=1${filter}`, "none");
    return `cursor=${next.get("cursor")}`;
  };
  const ofAll = await cursorOf("");
  for (const [name, read] of Object.entries(list.filters)) {
    const [common, ...others] = byFrequency(items.map((item) => read(item)));
    assert(
      others.length > 0,
      `${list.many} of two values of the filter ${name}, from the cases of contract/`,
      `${common}`,
    );
    const [one, ...another] = [common, ...others].map(
      (value) => `&${name}=${encodeURIComponent(`${value}`)}`,
    );
    const ofOne = await cursorOf(`${one}`);
    const refused = [`${ofAll}${one}`, `${ofOne}${another[0]}`, ofOne];
    await session.askAll([badQueries(list.path, "cursor", refused)]);
    for (const filter of another) {
      const { items: found } = await pageOf(session, list, `limit=1${filter}`);
      assert(found.length > 0, `${list.many} in ${list.path}?limit=1${filter}`, "none");
    }
  }
}

/** The distinct values of a member, the most frequent first. */
function byFrequency(values: readonly unknown[]): unknown[] {
  const counts = new Map<unknown, number>();
  for (const value of values) {
    if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([value]) => value);
}
