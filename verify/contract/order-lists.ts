import { show } from "../animal.ts";
import type { Answer, Call } from "../client.ts";
import { assert } from "../contract-violation.ts";
import { nextQueryOf } from "../headers.ts";
import { ORDER_STATUSES, type Order, ordersOf, showOrder } from "../order.ts";
import type { ContractSession, Group } from "./session.ts";

const LIMIT_DEFAULT = 20;
/** Orders of one animal, so that their list has several pages. */
const ORDERS = 5;

export const orderLists: Group = {
  name: "orders",
  promise: "Lists of orders: in order of id, filtered by status and animal; the links visit each order once.",
  needs: ["pets:write", "orders:read", "orders:write"],
  async run(session) {
    for (const limit of [1, 2, LIMIT_DEFAULT, 100]) await pageOf(session, `?limit=${limit}`);
    for (const status of ORDER_STATUSES) await pageOf(session, `?status=${status}`);
    await pageOf(session, "");
    await pageOf(session, "?page=2&page=3&Limit=0&%6cimit=2&=&&");
    const orders = await orderAgainAndAgain(session);
    await followLinks(session, orders);
    await askForCopies(session);
    await refuseParameters(session);
    await refuseCursors(session, orders);
  },
};

interface Page {
  readonly orders: readonly Order[];
  readonly next: URLSearchParams | undefined;
  readonly answer: Answer;
}

/** Asks for a page, and checks its limit and its filters. */
async function pageOf(session: ContractSession, query: string): Promise<Page> {
  const call: Call = { path: `/orders${query}` };
  const answer = await session.ask(call, { status: 200 });
  const request = session.client.curl(call);
  const given = new URLSearchParams(query);
  const limit = Number(given.get("limit") ?? LIMIT_DEFAULT);
  return session.judge(call, () => {
    const orders = ordersOf(answer.body);
    const next = nextQueryOf(answer.headers, `${new URL(session.client.base).pathname}/orders`);
    assert(orders.length <= limit, `at most ${limit} orders`, `${orders.length}`, request);
    assert(!next || orders.length === limit, "a link on full pages only", "one on another", request);
    let last = 0n;
    for (const order of orders) {
      assert(order.id > last, `ids that ascend, after ${last}`, `${order.id}`, request);
      const fits =
        (given.get("status") ?? order.status) === order.status &&
        (given.get("petId") ?? `${order.petId}`) === `${order.petId}`;
      assert(fits, `orders that fit ${query}`, showOrder(order), request);
      last = order.id;
    }
    return { orders, next, answer };
  });
}

/** Orders one animal several times; all orders but the last are cancelled. */
async function orderAgainAndAgain(session: ContractSession): Promise<Order[]> {
  const content = { name: session.name("ordered often"), categoryId: 1n, status: "available" as const };
  const { id } = await session.create({ path: "/pets", body: show(content) }, content);
  const orders: Order[] = [];
  for (let count = 0; count < ORDERS; count++) {
    const order = await session.place({ path: "/orders", body: `{"petId":${id}}` }, id);
    orders.push(count < ORDERS - 1 ? await session.update(order, "cancelled") : order);
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
      const page: Page = await pageOf(session, query);
      seen.push(...page.orders);
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
    for (const query of queries)
      await session.ask(
        { path: `/orders?${query}` },
        { status: 400, code: "invalid_parameter", says: `\`${name}\`` },
      );
  }
  await session.ask({ path: "/orders?x=%zz" }, { status: 400, code: "malformed_escape" });
}

async function refuseCursors(session: ContractSession, orders: readonly Order[]): Promise<void> {
  const [{ petId }] = orders as [Order];
  const { next } = await pageOf(session, `?limit=1&petId=${petId}`);
  const issued = next?.get("cursor");
  assert(issued !== undefined && issued !== null, "a link with a cursor", `${next}`);
  const changed = (issued.startsWith("A") ? "B" : "A") + issued.slice(1);
  for (const query of [
    "cursor=",
    "cursor=abc",
    `petId=${petId}&cursor=${changed}`,
    // Another list.
    `cursor=${issued}`,
    `petId=${petId}&status=cancelled&cursor=${issued}`,
    `petId=${petId + 1n}&cursor=${issued}`,
  ])
    await session.ask(
      { path: `/orders?${query}` },
      { status: 400, code: "invalid_parameter", says: "`cursor`" },
    );
  const foreign = { path: `/pets?cursor=${issued}` };
  if (session.access.held.has("pets:read"))
    await session.ask(foreign, { status: 400, code: "invalid_parameter", says: "`cursor`" });
  // With another limit it works.
  const { orders: rest } = await pageOf(session, `?limit=${LIMIT_DEFAULT}&petId=${petId}&cursor=${issued}`);
  assert(rest.length === ORDERS - 1, `the other ${ORDERS - 1} orders`, `${rest.length}`);
}
