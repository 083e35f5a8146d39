import { type Animal, animalsOf } from "./animal.ts";
import type { Client } from "./client.ts";
import { assert, Inconclusive } from "./contract-violation.ts";
import { nextQueryOf } from "./headers.ts";
import { type Order, ordersOf } from "./order.ts";

/** Reads every animal by following the links. */
export function walk(client: Client): Promise<Animal[]> {
  return walkList(client, "/pets", animalsOf);
}

/** Reads every order by following the links. */
export function walkOrders(client: Client): Promise<Order[]> {
  return walkList(client, "/orders", ordersOf);
}

async function walkList<Item>(
  client: Client,
  list: string,
  itemsOf: (body: Uint8Array) => Item[],
): Promise<Item[]> {
  const items: Item[] = [];
  const listPath = new URL(client.base).pathname + list;
  for (let path: string | undefined = `${list}?limit=100`; path !== undefined; ) {
    const { status, body, headers } = await client.send({ path });
    if (status === 503) throw Inconclusive.of503(body);
    assert(status === 200, "200", `${status}`, client.curl({ path }));
    items.push(...itemsOf(body));
    const next: URLSearchParams | undefined = nextQueryOf(headers, listPath);
    path = next && `${list}?${next}`;
  }
  return items;
}
