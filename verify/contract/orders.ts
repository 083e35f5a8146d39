import { animalOf, animalsOf, INT64_MAX, parseExact, type Status, show } from "../animal.ts";
import type { Call } from "../client.ts";
import { assert } from "../contract-violation.ts";
import { ORDER_STATUSES, type Order, type OrderStatus, orderOf, showOrder } from "../order.ts";
import { type ContractSession, type Group, placing } from "./session.ts";

const BODY_MAX_BYTES = 65_536;
const MERGE_PATCH = { "Content-Type": "application/merge-patch+json" };

export const orders: Group = {
  name: "order",
  promise:
    "Orders: an animal is ordered while it is available, sold when it is delivered, and available again when its order " +
    "is cancelled; the animal shows it at once.",
  needs: ["pets:read", "pets:write", "orders:read", "orders:write"],
  async run(session) {
    const delivered = await deliver(session);
    await cancel(session);
    await refuseOrders(session);
    await getOrders(session, delivered);
    await retryOrders(session);
    await placeInEveryForm(session);
    await refuseBodies(session, delivered);
  },
};

/** Takes an order through all of its steps, and tries each step that it may not take. */
async function deliver(session: ContractSession): Promise<Order> {
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
    for (const other of others) await refuseStep(session, order, other);
    await expectOrder(session, order);
    await expectStatus(session, id, status === "delivered" ? "sold" : "pending");
  }
  await refuseUnavailable(session, id);
  return order;
}

/** Cancels a placed and an approved order: another order may follow each. */
async function cancel(session: ContractSession): Promise<void> {
  const { id } = await session.add("to be cancelled");
  let last = 0n;
  for (const steps of [["cancelled"], ["approved", "cancelled"], ["approved", "delivered"]] as const) {
    let order = await session.place(id);
    assert(order.id > last, `an id above ${last}, the order before it`, `${order.id}`);
    last = order.id;
    await refuseUnavailable(session, id);
    for (const step of steps) order = await session.update(order, step, MERGE_PATCH);
    await expectStatus(session, id, order.status === "delivered" ? "sold" : "available");
    for (const other of ORDER_STATUSES) if (other !== order.status) await refuseStep(session, order, other);
  }
}

async function refuseOrders(session: ContractSession): Promise<void> {
  for (const status of ["pending", "sold"] as const) {
    const { id } = await session.add(`${status} without an order`, status);
    await refuseUnavailable(session, id);
    await expectStatus(session, id, status);
  }
  for (const id of [INT64_MAX, 0n, -1n])
    await session.ask(placing(id), { status: 404, code: "animal_not_found" });
}

async function getOrders(session: ContractSession, order: Order): Promise<void> {
  const path = `/orders/${order.id}`;
  const tag = (await session.ask({ path }, { status: 200 })).headers.get("etag") ?? "";
  await session.ask({ path, headers: { "If-None-Match": tag } }, { status: 304 });
  await session.ask({ path, method: "HEAD" }, { status: 200 });
  for (const id of ["0", "-1", "%2B1", "01", "1.0", "abc", "1%2F", "9223372036854775808", `${INT64_MAX}`]) {
    await session.ask({ path: `/orders/${id}` }, { status: 404, code: "order_not_found" });
    const call = { method: "PATCH", path: `/orders/${id}`, body: '{"status":"approved"}' };
    await session.ask(call, { status: 404, code: "order_not_found" });
  }
  for (const id of ["%", "%zz", "%ff"])
    await session.ask({ path: `/orders/${id}` }, { status: 400, code: "malformed_escape" });
}

/** An order with an Idempotency-Key is placed once. */
async function retryOrders(session: ContractSession): Promise<void> {
  const { id } = await session.add("ordered once");
  const other = await session.add("not ordered");
  const keyed = (name: string, petId: bigint, form?: string): Call => ({
    ...placing(petId, form),
    headers: { "Idempotency-Key": session.name(`order ${name}`) },
  });
  const first = await session.place(id, keyed("first", id));
  await session.update(first, "approved");
  // Whatever became of the order since, the answer is the first one.
  const again = { ...keyed("first", id, `{ "x":null, "petId": ${id}.0 }`) };
  const answer = await session.ask(again, { status: 201 });
  const replayed = session.judge(again, () => orderOf(parseExact(answer.body)));
  assert(
    showOrder(replayed) === showOrder(first),
    showOrder(first),
    showOrder(replayed),
    session.client.curl(again),
  );
  assert(
    answer.headers.get("idempotent-replayed") === "true",
    "Idempotent-Replayed: true",
    `${answer.headers.get("idempotent-replayed")}`,
    session.client.curl(again),
  );
  const reused = { status: 422, code: "idempotency_key_reused" };
  await session.ask(keyed("first", other.id), reused);
  await session.ask(keyed("first", INT64_MAX), reused);
  const create = { path: "/pets", body: '{"name":"x","categoryId":1}' };
  await session.ask({ ...create, headers: { "Idempotency-Key": session.name("order first") } }, reused);
  // A refused order does not use its key up.
  await session.ask(keyed("later", id), { status: 409, code: "animal_not_available" });
  const both = await Promise.all([0, 1].map(() => session.ask(keyed("later", other.id), { status: 201 })));
  const ids = both.map(({ body }) => orderOf(parseExact(body)).id);
  assert(ids[0] === ids[1], "one order of two requests at once under one key", `${ids}`);
  await session.update(await orderWith(session, ids[0] as bigint), "cancelled");
  await expectStatus(session, other.id, "available");
  for (const key of ["", "x".repeat(256), "\u00e9"]) {
    const call = { ...placing(other.id), headers: { "Idempotency-Key": key } };
    await session.ask(call, { status: 400, code: "invalid_header", says: "Idempotency-Key" });
  }
}

async function placeInEveryForm(session: ContractSession): Promise<void> {
  const { id } = await session.add("ordered in every form");
  const forms = [
    `{"petId":${id}.0}`,
    `{"petId":${id}0e-1,"status":"delivered","id":7}`,
    `\r\n{"\\u0070etId":${id}} `,
    `{"petId":${id}}`.padEnd(BODY_MAX_BYTES),
  ];
  for (const form of forms) {
    const order = await session.place(id, placing(id, form));
    await session.update(order, "cancelled");
  }
}

async function refuseBodies(session: ContractSession, order: Order): Promise<void> {
  const update = { method: "PATCH", path: `/orders/${order.id}` };
  for (const body of ["{}", ...values("petId", ["null", '"1"', "true", "1.5", `${INT64_MAX + 1n}`, "[1]"])])
    await session.ask({ path: "/orders", body }, { status: 400, code: "invalid_body", says: "`petId`" });
  for (const body of ["{}", ...values("status", ["null", "1", '"Approved"', '"available"', '""', "[]"])])
    await session.ask({ ...update, body }, { status: 400, code: "invalid_body", says: "`status`" });
  const malformed = [
    "",
    "null",
    "[]",
    '{"petId":1,"status":"placed"',
    '{"petId":1,"petId":1,"status":"placed"}',
  ];
  for (const target of [{ path: "/orders", method: "POST" }, update]) {
    for (const body of malformed)
      await session.ask({ ...target, body }, { status: 400, code: "malformed_body" });
    const valid = '{"petId":1,"status":"delivered"}';
    const tooLarge = valid.padEnd(BODY_MAX_BYTES + 1);
    for (const chunked of [false, true])
      await session.ask({ ...target, body: tooLarge, chunked }, { status: 413, code: "body_too_large" });
    const types = ["text/plain", "application/json-patch+json", "application/json; charset=latin1"];
    if (target !== update) types.push("application/merge-patch+json");
    for (const type of types) {
      const call = { ...target, body: valid, headers: { "Content-Type": type } };
      await session.ask(call, { status: 415, code: "unsupported_media_type", says: "application/json" });
    }
  }
}

function values(member: string, texts: readonly string[]): string[] {
  return texts.map((text) => `{"${member}":${text}}`);
}

async function refuseUnavailable(session: ContractSession, id: bigint): Promise<void> {
  await session.ask(placing(id), { status: 409, code: "animal_not_available" });
}

async function refuseStep(session: ContractSession, { id }: Order, status: OrderStatus): Promise<void> {
  const call = { method: "PATCH", path: `/orders/${id}`, body: `{"status":"${status}"}` };
  await session.ask(call, { status: 409, code: "invalid_transition" });
}

async function orderWith(session: ContractSession, id: bigint): Promise<Order> {
  const call = { path: `/orders/${id}` };
  const { body } = await session.ask(call, { status: 200 });
  return session.judge(call, () => orderOf(parseExact(body)));
}

async function expectOrder(session: ContractSession, expected: Order): Promise<void> {
  const found = await orderWith(session, expected.id);
  assert(showOrder(found) === showOrder(expected), showOrder(expected), showOrder(found));
}

/** An animal must have a status wherever it is shown. */
async function expectStatus(session: ContractSession, id: bigint, status: Status): Promise<void> {
  const get = { path: `/pets/${id}` };
  const { body } = await session.ask(get, { status: 200 });
  const animal = session.judge(get, () => animalOf(parseExact(body)));
  assert(animal.status === status, `animal ${id} ${status}`, show(animal), session.client.curl(get));
  // Others may add animals after it, so only a page that reaches this far must show it.
  const list = { path: `/pets?limit=100&status=${status}` };
  const page = await session.ask(list, { status: 200 });
  const animals = session.judge(list, () => animalsOf(page.body));
  const reachesIt = page.headers.get("link") === null || (animals.at(-1)?.id ?? 0n) >= id;
  assert(
    !reachesIt || animals.some((each) => each.id === id),
    `animal ${id} in the list of animals that are ${status}`,
    "a list without it",
    session.client.curl(list),
  );
}
