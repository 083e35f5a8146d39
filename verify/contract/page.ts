import { type Animal, animalsOf, show } from "../animal.ts";
import type { Answer } from "../client.ts";
import { assert } from "../contract-violation.ts";
import { nextQueryOf } from "../headers.ts";
import { type Order, ordersOf, showOrder } from "../order.ts";
import { assertPage } from "../page.ts";
import type { ContractSession } from "./session.ts";

export const LIMIT_DEFAULT = 20;

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

export interface Page<Item> {
  readonly items: readonly Item[];
  /** The query of the next page, if there is one. */
  readonly next: URLSearchParams | undefined;
  readonly answer: Answer;
}

/**
 * Asks for a page, and checks its limit, its filters and its order.
 *
 * @param query with its question mark; empty for the first page
 * @throws BrokenPromise
 */
export async function pageOf<Item extends { readonly id: bigint }>(
  session: ContractSession,
  { path, many, read, show }: List<Item>,
  query: string,
): Promise<Page<Item>> {
  const call = { path: `${path}${query}` };
  const answer = await session.ask(call, { status: 200 });
  const request = session.client.curl(call);
  const given = new URLSearchParams(query);
  const limit = Number(given.get("limit") ?? LIMIT_DEFAULT);
  return session.judge(call, () => {
    const items = read(answer.body);
    const next = nextQueryOf(answer.headers, new URL(session.client.base).pathname + path);
    assertPage(items, { many, limit, after: 0n, more: next !== undefined }, request);
    for (const item of items)
      for (const name of ["status", "petId"] as const) {
        const wanted = given.get(name);
        const found = (item as Partial<Record<typeof name, unknown>>)[name];
        assert(wanted === null || `${found}` === wanted, `${many} that fit ${query}`, show(item), request);
      }
    return { items, next, answer };
  });
}
