import { assert } from "../contract-violation.ts";
import { ORDER_STATUSES, type Order, showOrder } from "../order.ts";
import { LIMIT_DEFAULT, ORDERS, type Page, pageOf } from "./page.ts";
import type { ContractSession, Group } from "./session.ts";

/** Orders of one animal, so that their list has several pages. */
const ORDERED = 5;

export const orderLists: Group = {
  name: "orders",
  promise: "Lists of orders: in order of id, filtered by status and animal; the links visit each order once.",
  needs: ["pets:write", "orders:read", "orders:write"],
  async run(session) {
    for (const limit of [1, 2, LIMIT_DEFAULT, 100]) await pageOf(session, ORDERS, `?limit=${limit}`);
    for (const status of ORDER_STATUSES) await pageOf(session, ORDERS, `?status=${status}`);
    await pageOf(session, ORDERS, "");
    await pageOf(session, ORDERS, "?page=2&page=3&Limit=0&%6cimit=2&=&&");
    const orders = await orderRepeatedly(session);
    await followLinks(session, orders);
    await askForCopies(session);
    await refuseParameters(session);
    await refuseCursors(session, orders);
  },
};

/** Orders one animal several times; all orders but the last are cancelled. */
async function orderRepeatedly(session: ContractSession): Promise<Order[]> {
  const { id } = await session.add("ordered often");
  const orders: Order[] = [];
  for (let count = 0; count < ORDERED; count++) {
    const order = await session.place(id);
    orders.push(count < ORDERED - 1 ? await session.update(order, "cancelled") : order);
  }
  return orders;
}

/** Pages of one or two orders must have, together, each order of the animal as it is now. */
async function followLinks(session: ContractSession, orders: readonly Order[]): Promise<void> {
  const [{ petId }] = orders as [Order];
  for (const [limit, status] of [
    [1, undefined],
    [2, "cancelled"],
  ] as const) {
    const filter = `petId=${petId}${status ? `&status=${status}` : ""}`;
    const seen: Order[] = [];
    for (let query: string | undefined = `?limit=${limit}&${filter}`; query !== undefined; ) {
      const page: Page<Order> = await pageOf(session, ORDERS, query);
      seen.push(...page.items);
      const { next } = page;
      assert(seen.length <= orders.length, `${orders.length} orders of animal ${petId}`, "more");
      const keeps = next?.get("petId") === `${petId}` && next.get("status") === (status ?? null);
      assert(!next || keeps, "a link that keeps the filters", `${next}`);
      query = next && `?${next}`;
    }
    const expected = orders.filter((order) => status === undefined || order.status === status);
    const [wanted, found] = [expected, seen].map((list) => list.map(showOrder).join("\n"));
    assert(found === wanted, `${wanted}`, `${found}`, `${session.client.base}/orders?${filter}`);
  }
}

async function askForCopies(session: ContractSession): Promise<void> {
  const path = "/orders?limit=1";
  const first = await session.ask({ path }, { status: 200 });
  const tag = first.headers.get("etag") ?? "";
  for (const given of [tag, `W/${tag}`, "*"])
    await session.ask({ path, headers: { "If-None-Match": given } }, { status: 304 });
  await session.ask({ path, method: "HEAD" }, { status: 200 });
}

async function refuseParameters(session: ContractSession): Promise<void> {
  const wrong: Readonly<Record<string, readonly string[]>> = {
    limit: ["0", "101", "-1", "05", "abc", "", "9".repeat(400)],
    status: ["Placed", "available", "", "placed,approved"],
    petId: ["abc", "", "0", "-1", "%2B1", "01", "1.5", "%201", "9223372036854775808"],
  };
  for (const [name, texts] of Object.entries(wrong)) {
    const queries = [...texts.map((text) => `${name}=${text}`), `${name}=1&${name}=1`];
    await session.refuseQueries("/orders", name, queries);
  }
  await session.ask({ path: "/orders?x=%zz" }, { status: 400, code: "malformed_escape" });
}

async function refuseCursors(session: ContractSession, orders: readonly Order[]): Promise<void> {
  const [{ petId }] = orders as [Order];
  const { next } = await pageOf(session, ORDERS, `?limit=1&petId=${petId}`);
  const issued = next?.get("cursor");
  assert(issued !== undefined && issued !== null, "a link with a cursor", `${next}`);
  const changed = (issued.startsWith("A") ? "B" : "A") + issued.slice(1);
  await session.refuseQueries("/orders", "cursor", [
    "cursor=",
    "cursor=abc",
    `petId=${petId}&cursor=${changed}`,
    // Other filters.
    `cursor=${issued}`,
    `petId=${petId}&status=cancelled&cursor=${issued}`,
    `petId=${petId + 1n}&cursor=${issued}`,
  ]);
  if (session.access.held.has("pets:read"))
    await session.refuseQueries("/pets", "cursor", [`cursor=${issued}`]);
  // With another limit it works.
  const { items: rest } = await pageOf(
    session,
    ORDERS,
    `?limit=${LIMIT_DEFAULT}&petId=${petId}&cursor=${issued}`,
  );
  assert(rest.length === ORDERED - 1, `the other ${ORDERED - 1} orders`, `${rest.length}`);
}
