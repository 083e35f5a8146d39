import { badQueries } from "./bad-requests.ts";
import { assert } from "./contract-violation.ts";
import type { List } from "./lists.ts";
import { pageOf } from "./page.ts";
import type { ContractSession } from "./session.ts";

/**
 * Asserts that a cursor works only with the filter that it was issued for, by each filter of a list: neither with another
 * value nor with none; and that the whole list's works with no value.
 *
 * @param items of the list: at least two that agree in each member which filters, and another that differs from them in each
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
