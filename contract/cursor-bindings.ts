import { badQueries } from "./bad-requests.ts";
import { assert } from "./contract-violation.ts";
import type { List } from "./lists.ts";
import { pageOf } from "./page.ts";
import type { ContractSession } from "./session.ts";

/**
 * Asserts that a list refuses a cursor with another filter than its own: a filtered list's with another value or with none, and
 * the whole list's with a value.
 *
 * @param items of the list. Of each filter they have two values, and at least two items have the most frequent one
 */
export async function refuseOtherFilters<Item extends { readonly id: bigint }>(
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
    const [common, other] = byFrequency(items.map((item) => read(item)));
    assert(
      other !== undefined,
      `${list.many} of two values of the filter ${name}, from the cases of contract/`,
      `${common}`,
    );
    const [one, another] = [common, other].map((value) => `&${name}=${encodeURIComponent(`${value}`)}`);
    const ofOne = await cursorOf(`${one}`);
    await session.askAll([badQueries(list.path, "cursor", [`${ofAll}${one}`, `${ofOne}${another}`, ofOne])]);
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
