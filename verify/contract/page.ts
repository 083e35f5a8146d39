import { type Animal, animalsOf, show } from "../animal.ts";
import { assert } from "../contract-violation.ts";
import { nextQueryOf } from "../headers.ts";
import { type Order, ordersOf, showOrder } from "../order.ts";
import { assertPage } from "../page.ts";
import type { ContractSession } from "./session.ts";

export const LIMIT_DEFAULT = 20;
export const LIMIT_MAX = 100;
/** A longer list is not read to its end. */
const PAGES_MAX = 50;

/** A list of the contract. */
interface List<Item> {
  readonly path: string;
  readonly many: "animals" | "orders";
  read(body: Uint8Array): Item[];
  /** An item for people. */
  show(item: Item): string;
}

export const PETS: List<Animal> = { path: "/pets", many: "animals", read: animalsOf, show };
export const ORDERS: List<Order> = { path: "/orders", many: "orders", read: ordersOf, show: showOrder };

interface Page<Item> {
  readonly items: readonly Item[];
  /** The query of the next page, if there is one. */
  readonly next: URLSearchParams | undefined;
}

/**
 * Asks for a page, and checks its limit, its filters and its order.
 *
 * @param query without its question mark; empty for the first page
 * @param after the id after which it begins
 * @throws BrokenPromise
 */
export async function pageOf<Item extends { readonly id: bigint }>(
  session: ContractSession,
  { path, many, read, show }: List<Item>,
  query: string,
  after = 0n,
): Promise<Page<Item>> {
  const call = { path: query === "" ? path : `${path}?${query}` };
  const { body, headers } = await session.ask(call, "200");
  const request = session.client.curl(call);
  const given = new URLSearchParams(query);
  const limit = Number(given.get("limit") ?? LIMIT_DEFAULT);
  return session.judge(call, () => {
    const items = read(body);
    const next = nextQueryOf(headers, new URL(session.client.base).pathname + path);
    assertPage(items, { many, limit, after, more: next !== undefined }, request);
    for (const item of items)
      for (const name of ["status", "petId"] as const) {
        const wanted = given.get(name);
        const found = (item as Partial<Record<typeof name, unknown>>)[name];
        assert(wanted === null || `${found}` === wanted, `${many} that fit ${query}`, show(item), request);
      }
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
    for (const name of ["limit", "status", "petId"])
      assert(!next || next.get(name) === given.get(name), `a link that keeps \`${name}\``, `${next}`);
  }
}
