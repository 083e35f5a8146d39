import { askForCopies, badCursors, badQueries, badValues, NO_IDS } from "./bad-requests.ts";
import { assert, assertSame } from "./contract-violation.ts";
import { tryFilters } from "./filters.ts";
import { ORDERS } from "./lists.ts";
import { ORDER_STATUSES, type Order, showOrder } from "./order.ts";
import { LIMIT_DEFAULT, LIMIT_MAX, pageOf, pagesFrom } from "./page.ts";
import type { ContractSession, Group } from "./session.ts";

/** Orders of one animal, so that their list has several pages. */
const ORDERED = 5;

export const orderLists: Group = {
  name: "orders",
  promise: "Lists of orders: in order of id, filtered by status and animal; the links visit each order once.",
  needs: ["pets:write", "orders:read", "orders:write"],
  cases: {
    "a page has at most as many orders as asked for, and only those that fit the filters": async (
      session,
    ) => {
      for (const limit of [1, 2, LIMIT_DEFAULT, LIMIT_MAX]) await pageOf(session, ORDERS, `limit=${limit}`);
      for (const sort of ["id", "-id"]) {
        await pageOf(session, ORDERS, `sort=${sort}`);
        for (const status of ORDER_STATUSES) await pageOf(session, ORDERS, `sort=${sort}&status=${status}`);
      }
      await pageOf(session, ORDERS, "");
      await pageOf(session, ORDERS, "page=2&page=3&Limit=0&%6cimit=2&=&&");
    },
    "the links lead past every order of an animal; an invalid parameter is refused by name": async (
      session,
    ) => {
      const orders = await orderRepeatedly(session);
      await followLinks(session, orders);
      await refuseQueries(session, orders);
      const other = await session.place((await session.add("ordered once")).id);
      await tryFilters(session, ORDERS, [...orders, other]);
    },
    "a copy that is still current is not sent again": (session) => askForCopies(session, "/orders?limit=1"),
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
  const ofAnimal = `petId=${orders[0]?.petId}`;
  for (const [query, expected] of [
    [`limit=1&${ofAnimal}`, orders],
    [`limit=2&${ofAnimal}&sort=-id`, orders.toReversed()],
    [`limit=2&${ofAnimal}&status=cancelled`, orders.filter(({ status }) => status === "cancelled")],
  ] as const) {
    const seen: Order[] = [];
    for await (const { items } of pagesFrom(session, ORDERS, query)) seen.push(...items);
    const [found, wanted] = [seen, expected].map((list) => list.map(showOrder).join("\n"));
    assertSame(`${found}`, `${wanted}`, session.client.curl({ path: `/orders?${query}` }));
  }
}

async function refuseQueries(session: ContractSession, orders: readonly Order[]): Promise<void> {
  await session.askAll([
    badValues("/orders", "limit", [
      "0",
      "101",
      "-1",
      "05",
      "1e1",
      "%2B5",
      "abc",
      "",
      "9".repeat(400),
      "1&limit=1",
    ]),
    badValues("/orders", "status", [
      "Placed",
      "available",
      "constructor",
      "",
      "placed,approved",
      "placed&status=placed",
    ]),
    badValues("/orders", "sort", ["ID", "", "placedAt", "-id&sort=id"]),
    badValues("/orders", "petId", [...NO_IDS, "", "1&petId=1"]),
  ]);
  const [{ petId }] = orders as [Order];
  const { next, items } = await pageOf(session, ORDERS, `limit=1&petId=${petId}`);
  const issued = next?.get("cursor");
  assert(issued !== undefined && issued !== null, "a link with a cursor", `${next}`);
  const otherFilters = [
    "",
    `petId=${petId}&status=cancelled&`,
    `petId=${petId + 1n}&`,
    `petId=${petId}&sort=-id&`,
  ];
  await session.askAll([
    badQueries(
      "/orders",
      "cursor",
      badCursors(issued).map((cursor) => `petId=${petId}&cursor=${cursor}`),
    ),
    badQueries(
      "/orders",
      "cursor",
      otherFilters.map((filters) => `${filters}cursor=${issued}`),
    ),
  ]);
  if (session.access.held.has("pets:read")) await session.askAll([badValues("/pets", "cursor", [issued])]);
  const anotherLimit = `limit=${LIMIT_DEFAULT}&petId=${petId}&cursor=${issued}`;
  const { items: rest } = await pageOf(session, ORDERS, anotherLimit, items[0]?.id);
  assert(rest.length === ORDERED - 1, `the other ${ORDERED - 1} orders`, `${rest.length}`);
}
