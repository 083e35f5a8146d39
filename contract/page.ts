import { assert } from "./contract-violation.ts";
import { nextQueryOf } from "./headers.ts";
import { assertPage, itemsOf, type List } from "./lists.ts";
import type { ContractSession } from "./session.ts";

export const LIMIT_DEFAULT = 20;
export const LIMIT_MAX = 100;
/** A longer list is not read to its end. */
const PAGES_MAX = 50;

interface Page<Item> {
  readonly items: readonly Item[];
  /** The query of the next page, if there is one. */
  readonly next: URLSearchParams | undefined;
}

/**
 * Asks for a page, and checks its limit, its filters and its order.
 *
 * @param query without its question mark; empty for the first page
 * @param after the id after which it begins; 0 for the first page
 * @throws BrokenPromise
 */
export async function pageOf<Item extends { readonly id: bigint }>(
  session: ContractSession,
  list: List<Item>,
  query: string,
  after = 0n,
): Promise<Page<Item>> {
  const call = { path: query === "" ? list.path : `${list.path}?${query}` };
  const { body, headers } = await session.ask(call, "200");
  const filters = Object.fromEntries(new URLSearchParams(query));
  const limit = Number(filters.limit ?? LIMIT_DEFAULT);
  return session.judge(call, () => {
    const items = itemsOf(list, body);
    const next = nextQueryOf(headers, session.client.fromRoot(list.path));
    assertPage(list, items, { limit, after, more: next !== undefined, filters }, session.client.curl(call));
    return { items, next };
  });
}

/** Asks for the pages of a list by following its links, which must keep the limit and the filters. */
export async function* pagesFrom<Item extends { readonly id: bigint }>(
  session: ContractSession,
  list: List<Item>,
  query: string,
  pagesMax = PAGES_MAX,
): AsyncGenerator<Page<Item>> {
  const given = new URLSearchParams(query);
  let last = 0n;
  let next: URLSearchParams | undefined = given;
  for (let pages = 0; next && pages < pagesMax; pages++) {
    const page: Page<Item> = await pageOf(session, list, `${next}`, last);
    yield page;
    last = page.items.at(-1)?.id ?? last;
    next = page.next;
    for (const name of given.keys())
      assert(!next || next.get(name) === given.get(name), `a link that keeps \`${name}\``, `${next}`);
  }
}
