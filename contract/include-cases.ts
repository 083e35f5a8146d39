import { type Animal, show } from "./animal.ts";
import { badQueries, badValues } from "./bad-requests.ts";
import { assert, assertSame } from "./contract-violation.ts";
import { ORDERS_WITH_PETS } from "./lists.ts";
import {
  animalStatusUnder,
  ORDER_STATUSES,
  type Order,
  type OrderWithPet,
  orderWithPetOf,
  showOrder,
} from "./order.ts";
import { pageOf, pagesFrom } from "./page.ts";
import type { ContractSession, Group } from "./session.ts";

/** Often enough that a service which keeps responses has kept this one. */
const UNTIL_KEPT = 3;

/** `include=pet`: orders together with their animals. */
export const includeCases: Group["cases"] = {
  "an order brings its animal along, as it is now": include,
  "every list brings the animals along, whatever its filter and its order": async (session) => {
    for (const sort of ["id", "-id"]) {
      for (const filter of ["", ...ORDER_STATUSES.map((status) => `&status=${status}`)])
        await pageOf(session, ORDERS_WITH_PETS, `include=pet&limit=3&sort=${sort}${filter}`);
    }
  },
  "the links of a list keep `include`, and their cursors go with and without it": followLinks,
  "`include` takes nothing but `pet`": refuseOthers,
  "animals that a key may not read are not included": refuseWithoutScope,
};

/** Takes an order to its end: its copy with the animal must change each time. */
async function include(session: ContractSession): Promise<void> {
  const { id } = await session.add("included \u{1F408}\u200D\u2B1B");
  let order = await session.place(id);
  const tags = new Set<string>();
  for (const status of ["placed", "approved", "delivered"] as const) {
    order = await session.update(order, status);
    for (let count = 0; count < UNTIL_KEPT; count++) tags.add(await askWithPet(session, order));
  }
  assert(tags.size === UNTIL_KEPT, `${UNTIL_KEPT} entity tags of ${UNTIL_KEPT} versions`, `${tags.size}`);
  const alone = (await session.ask(`/orders/${order.id}`, "200")).headers.get("etag") ?? "";
  assert(!tags.has(alone), "another entity tag without the animal", alone);
}

/** Asks for an order with its animal, and compares both with what is known; returns the entity tag. */
async function askWithPet(session: ContractSession, order: Order): Promise<string> {
  const path = `/orders/${order.id}?include=pet`;
  const { item, headers, request } = await session.read(path, orderWithPetOf);
  assertSame(showOrder(item), showOrder(order), request);
  const status = animalStatusUnder(order.status);
  assertSame(show(item.pet), show({ ...knownAnimal(session, order.petId), status }), request);
  const tag = headers.get("etag") ?? "";
  await session.ask({ path, headers: { "If-None-Match": tag } }, "304");
  await session.ask({ path, method: "HEAD" }, "200");
  return tag;
}

/** An animal that was added, as it is now. */
function knownAnimal({ animals }: ContractSession, id: bigint): Animal {
  return animals.find((animal) => animal.id === id) as Animal;
}

async function followLinks(session: ContractSession): Promise<void> {
  const { id } = await session.add("ordered twice, and included");
  const orders = [await session.update(await session.place(id), "cancelled"), await session.place(id)];
  for (const [query, expected] of [
    [`limit=1&petId=${id}&include=pet`, orders],
    [`limit=1&petId=${id}&sort=-id&include=pet`, orders.toReversed()],
    [`limit=1&petId=${id}&status=placed&include=pet`, orders.slice(1)],
  ] as const) {
    const request = session.client.curl({ path: `/orders?${query}` });
    const seen: Order[] = [];
    for await (const { items, next } of pagesFrom<OrderWithPet>(session, ORDERS_WITH_PETS, query)) {
      seen.push(...items);
      for (const { pet } of items) assertSame(show(pet), show(knownAnimal(session, id)), request);
      if (!next) continue;
      const alone = new URLSearchParams(next);
      alone.delete("include");
      await session.ask(`/orders?${alone}`, "200");
    }
    const [found, wanted] = [seen, expected].map((list) => list.map(showOrder).join("\n"));
    assertSame(`${found}`, `${wanted}`, request);
  }
  await session.ask("/orders?include=pet", "200");
  await session.ask("/orders?status=cancelled&sort=-id&include=pet", "200");
}

async function refuseOthers(session: ContractSession): Promise<void> {
  const { id } = await session.place((await session.add("not included")).id);
  const values = ["", "Pet", "pets", "pet,pet", "order", "constructor", "pet&include=pet", "x&include=pet"];
  for (const path of ["/orders", `/orders/${id}`]) {
    await session.askAll([badValues(path, "include", values), badQueries(path, "include", ["include"])]);
  }
}

/** A response that was kept for another key must not reach this one. */
async function refuseWithoutScope(session: ContractSession): Promise<void> {
  const key = session.others.without?.["pets:read"];
  if (key === undefined) return;
  const order = await session.place((await session.add("included for some")).id);
  for (const path of [`/orders/${order.id}?include=pet`, `/orders?petId=${order.petId}&include=pet`]) {
    for (let count = 0; count < UNTIL_KEPT; count++) await session.ask(path, "200");
    await session.ask({ path, key }, "403 insufficient_scope", "`pets:read`");
    await session.ask({ path: path.replace("include", "%69nclude"), key }, "403 insufficient_scope");
    await session.ask({ path: path.replace("include=pet", ""), key }, "200");
  }
}
