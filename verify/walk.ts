import type { Animal } from "../contract/animal.ts";
import type { Client } from "../contract/client.ts";
import type { FeedEvent } from "../contract/event.ts";
import { nextQueryOf } from "../contract/headers.ts";
import { assertPage, EVENTS, itemsOf, type List, ORDERS, PETS } from "../contract/lists.ts";
import type { Order } from "../contract/order.ts";
import { type Agreement, checkAgreement } from "./agreement.ts";

/** Everything in a store, read while nothing changes. */
export interface Contents {
  readonly animals: readonly Animal[];
  readonly orders: readonly Order[];
  readonly agreement: Agreement;
}

/**
 * Reads the whole store by following the links; its orders must agree with its animals.
 *
 * @throws BrokenPromise
 */
export async function walkStore(client: Client, hasOrders: boolean): Promise<Contents> {
  const animals = await walk(client);
  const orders = hasOrders ? await walkOrders(client) : [];
  return { animals, orders, agreement: checkAgreement(animals, orders) };
}

/** Reads every animal by following the links. */
export function walk(client: Client): Promise<Animal[]> {
  return walkList(client, PETS);
}

/** Reads every order by following the links. */
export function walkOrders(client: Client): Promise<Order[]> {
  return walkList(client, ORDERS);
}

/** Reads the whole feed by following the links, until a page is empty. */
export function walkEvents(client: Client): Promise<FeedEvent[]> {
  return walkList(client, EVENTS);
}

async function walkList<Item extends { readonly id: bigint }>(
  client: Client,
  list: List<Item>,
): Promise<Item[]> {
  const all: Item[] = [];
  for (let path: string | undefined = `${list.path}?limit=100`; path !== undefined; ) {
    const { body, headers } = await client.expect({ path }, 200);
    const items = itemsOf(list, body);
    const next = nextQueryOf(headers, client.fromRoot(list.path));
    const rules = { limit: 100, after: all.at(-1)?.id ?? 0n, more: next !== undefined, filters: {} };
    assertPage(list, items, rules, client.curl({ path }));
    all.push(...items);
    path = next && items.length > 0 ? `${list.path}?${next}` : undefined;
  }
  return all;
}
