import { animalOf, INT64_MAX, type Status, show } from "./animal.ts";
import {
  askForCopies,
  BODY_MAX_BYTES,
  BROKEN_ESCAPES,
  badBodies,
  badIdempotencyKeys,
  badMembers,
  IDS_OF_NOTHING,
  withValues,
} from "./bad-requests.ts";
import type { Call } from "./client.ts";
import { assert, assertSame } from "./contract-violation.ts";
import { includeCases } from "./include-cases.ts";
import { PETS } from "./lists.ts";
import {
  bodyOf,
  ORDER_STATUSES,
  ORDER_TEXTS,
  type Order,
  type OrderStatus,
  orderOf,
  showOrder,
  wholeOrder,
} from "./order.ts";
import { LIMIT_MAX, pageOf } from "./page.ts";
import { type Cases, type ContractSession, type Group, placing, updating } from "./session.ts";

/** Media types of a change, besides `application/json` (RFC 7396). */
const PATCH_TYPES = [
  "Application/Merge-Patch+JSON; charset=utf-8",
  'application/merge-patch+json;charset="UTF-8"',
];
const MERGE_PATCH = { "Content-Type": "application/merge-patch+json" };

export const orders: Group = {
  name: "order",
  promise:
    "Orders: an animal is ordered while it is available, sold when it is delivered, and available again when its order " +
    "is cancelled; the animal shows it at once.",
  needs: ["pets:read", "pets:write", "orders:read", "orders:write"],
  cases: {
    "an order becomes approved and delivered, and nothing else; its animal is pending, then sold": deliver,
    "a cancelled order leaves its animal available": cancel,
    "an animal that is pending or sold cannot be ordered": refuseUnavailable,
    "an order with an Idempotency-Key is placed once": retryOrders,
    "an order with If-Match changes only if it is as the client knows it": changeUnlessChanged,
    "an order is placed and changed in every valid form": placeInEveryForm,
    "a copy of an order that is still current is not sent again": async (session) => {
      const { id } = await session.add("ordered and read");
      await askForCopies(session, `/orders/${(await session.place(id)).id}`);
    },
    ...includeCases,
    "an invalid order or change is refused, and the message names the member": async (session) => {
      const { id } = await session.add("ordered, then not changed");
      const order = await session.update(await session.place(id), "cancelled");
      await session.askAll(refused(order));
    },
  },
};

/** Takes an order through all of its steps, and tries each step that it may not take. */
async function deliver(session: ContractSession): Promise<void> {
  const { id } = await session.add("to be delivered");
  await expectStatus(session, id, "available");
  let order = await session.place(id);
  await expectStatus(session, id, "pending");
  for (const [status, others] of [
    ["placed", ["delivered"]],
    ["approved", ["placed"]],
    ["delivered", ["placed", "approved", "cancelled"]],
  ] as const) {
    order = await session.update(order, status);
    // Its current status changes nothing.
    await session.update(order, status, MERGE_PATCH);
    await session.askAll([invalidSteps(order, others)]);
    const { item: found, request } = await session.read(`/orders/${order.id}`, orderOf);
    assertSame(showOrder(found), showOrder(order), request);
    await expectStatus(session, id, status === "delivered" ? "sold" : "pending");
  }
  await session.askAll([unavailable(placing(id))]);
}

/** Cancels a placed and an approved order: another order may follow each. */
async function cancel(session: ContractSession): Promise<void> {
  const { id } = await session.add("to be cancelled");
  let last = 0n;
  for (const steps of [["cancelled"], ["approved", "cancelled"], ["approved", "delivered"]] as const) {
    let order = await session.place(id);
    assert(order.id > last, `an id above ${last}, the order before it`, `${order.id}`);
    last = order.id;
    await session.askAll([unavailable(placing(id))]);
    for (const step of steps) order = await session.update(order, step, MERGE_PATCH);
    await expectStatus(session, id, order.status === "delivered" ? "sold" : "available");
    const others = ORDER_STATUSES.filter((status) => status !== order.status);
    await session.askAll([invalidSteps(order, others)]);
  }
}

async function refuseUnavailable(session: ContractSession): Promise<void> {
  for (const status of ["pending", "sold"] as const) {
    const { id } = await session.add(`${status} without an order`, status);
    await session.askAll([unavailable(placing(id))]);
    await expectStatus(session, id, status);
  }
}

/** An order with an Idempotency-Key is placed once. */
async function retryOrders(session: ContractSession): Promise<void> {
  const { id } = await session.add("ordered once");
  const other = await session.add("not ordered");
  const keyed = (name: string, call: Call): Call => ({
    ...call,
    headers: { "Idempotency-Key": session.name(`order ${name}`) },
  });
  const first = await session.place(id, keyed("first", placing(id)));
  await session.update(first, "approved");
  // Whatever became of the order since, the response is the first one.
  const rewritten = bodyOf(wholeOrder(id)).replace(`{"petId":${id}`, `{ "x":null, "petId": ${id}.0`);
  const again = keyed("first", placing(id, rewritten));
  const { item: replayed, headers, request } = await session.read(again, orderOf, "201");
  assertSame(showOrder(replayed), showOrder(first), request);
  const mark = `Idempotent-Replayed: ${headers.get("idempotent-replayed")}`;
  assertSame(mark, "Idempotent-Replayed: true", request);
  const create = { path: "/pets", body: '{"name":"x","categoryId":1}' };
  const without = ORDER_TEXTS.length > 0 ? [placing(id, bodyOf({ petId: id }))] : [];
  await session.askAll([
    {
      outcome: "422 idempotency_key_reused",
      calls: [placing(other.id), placing(INT64_MAX), ...without, create].map((call) => keyed("first", call)),
    },
    // A refused order does not use its key up.
    unavailable(keyed("later", placing(id))),
  ]);
  const later = keyed("later", placing(other.id));
  const both = await Promise.all([0, 1].map(() => session.read(later, orderOf, "201")));
  const ids = both.map(({ item }) => item.id);
  assert(ids[0] === ids[1], "one order of two requests at once under one key", `${ids}`);
  const { item: placed } = await session.read(`/orders/${ids[0]}`, orderOf);
  await session.update(placed, "cancelled");
  await expectStatus(session, other.id, "available");
  await session.askAll([badIdempotencyKeys(placing(other.id))]);
}

/** With If-Match, an order changes only if it is as the client knows it (RFC 9110, section 13.1.1). */
async function changeUnlessChanged(session: ContractSession): Promise<void> {
  const { id } = await session.add("changed if unchanged");
  const placed = await session.place(id);
  const tagOf = async () => (await session.ask(`/orders/${placed.id}`, "200")).headers.get("etag") ?? "";
  const change = (tag: string): Call => ({
    ...updating(placed.id, "cancelled"),
    headers: { "If-Match": tag },
  });
  const outdated = await tagOf();
  const approved = await session.update(placed, "approved", { "If-Match": outdated });
  const current = await tagOf();
  assert(current !== outdated, "another ETag of a changed order", current);
  await session.askAll([
    {
      outcome: "412 precondition_failed",
      calls: [
        ...[outdated, `W/${current}`, `"other", ${outdated}`, `"a", W/${current}, "b"`, '"*"', '""'],
        ...[current.replace(/"$/, 'x"'), current.replace(/"$/, '-deflate"')],
      ].map(change),
    },
    {
      outcome: "400 invalid_header",
      says: "If-Match",
      calls: [
        ...["", ",,", current.slice(1, -1), current.slice(0, -1), `${current} ${current}`, `${current}, *`],
        `w/${current}`,
      ].map(change),
    },
    {
      outcome: "404 order_not_found",
      calls: [{ ...updating(`${INT64_MAX}`, "cancelled"), headers: { "If-Match": "*" } }],
    },
  ]);
  await session.update(approved, "approved", { "If-Match": "*" });
  const cancelled = await session.update(approved, "cancelled", { "If-Match": `"other", ${current}` });
  await session.askAll([{ ...invalidSteps(cancelled, ["approved"]) }]);
}

async function placeInEveryForm(session: ContractSession): Promise<void> {
  const { id } = await session.add("ordered in every form");
  for (const form of [
    `{"petId":${id}.0}`,
    `{"petId":${id}0e-1,"status":"delivered","id":7}`,
    `\r\n{"\\u0070etId":${id}} `,
    `{"petId":${id}}`.padEnd(BODY_MAX_BYTES),
    ...ORDER_TEXTS.flatMap(([member, { accepted }]) =>
      accepted.map((value) => bodyOf({ petId: id, [member]: value })),
    ),
  ]) {
    const order = await session.place(id, placing(id, form));
    for (const type of PATCH_TYPES) await session.update(order, "placed", { "Content-Type": type });
    await session.update(order, "cancelled");
  }
}

/** Requests that are refused for what they name and what they hold. */
function refused(order: Order): readonly Cases[] {
  const place = { path: "/orders", method: "POST" };
  const update = { path: `/orders/${order.id}`, method: "PATCH" };
  const noIds = ["null", '"1"', "true", "1.5", `${INT64_MAX + 1n}`, "[1]"];
  const noStatuses = ["null", "1", '"Approved"', '"lost"', '"available"', '""', '["placed"]'];
  const patchTypes = [
    "application/merge-patch",
    "merge-patch+json",
    "application/merge-patch+json; charset=latin1",
  ];
  const valid = '{"status":"delivered","petId":1}';
  return [
    { outcome: "404 animal_not_found", calls: [INT64_MAX, 0n, -1n].map((id) => placing(id)) },
    {
      outcome: "404 order_not_found",
      says: "There is no order with the id",
      calls: IDS_OF_NOTHING.map((id) => `/orders/${id}`),
    },
    {
      outcome: "404 order_not_found",
      says: "There is no order with the id",
      calls: IDS_OF_NOTHING.map((id) => updating(id, "approved")),
    },
    { outcome: "400 malformed_escape", calls: BROKEN_ESCAPES.map((id) => `/orders/${id}`) },
    badMembers(place, "petId", ["{}", '{"petid":1}', ...withValues("petId", noIds)]),
    ...ORDER_TEXTS.map(([member, { refused }]) =>
      badMembers(place, member, withValues(member, refused, `"petId":${INT64_MAX},`)),
    ),
    badMembers(update, "status", ["{}", ...withValues("status", noStatuses)]),
    ...badBodies(place, valid, ["application/merge-patch+json"]),
    ...badBodies(update, valid, patchTypes),
  ];
}

function unavailable(call: Call): Cases {
  return { outcome: "409 animal_not_available", says: "`available`", calls: [call] };
}

function invalidSteps({ id, status: current }: Order, statuses: readonly OrderStatus[]): Cases {
  return {
    outcome: "409 invalid_transition",
    says: `The order is \`${current}\``,
    calls: statuses.map((status) => updating(id, status)),
  };
}

/** An animal must have a status wherever it is shown. */
async function expectStatus(session: ContractSession, id: bigint, status: Status): Promise<void> {
  const { item: animal, request } = await session.read(`/pets/${id}`, animalOf);
  assert(animal.status === status, `animal ${id} ${status}`, show(animal), request);
  // Others may add animals after it, so only a page that reaches this far must show it.
  const { items, next } = await pageOf(session, PETS, `limit=${LIMIT_MAX}&status=${status}`);
  const reachesIt = next === undefined || (items.at(-1)?.id ?? 0n) >= id;
  assert(
    !reachesIt || items.some((each) => each.id === id),
    `animal ${id} in the list of animals that are ${status}`,
    "a list without it",
    session.client.curl({ path: `/pets?limit=${LIMIT_MAX}&status=${status}` }),
  );
}
