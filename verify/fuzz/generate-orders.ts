import { textsOf } from "../../contract/optional-text.ts";
import { type NewOrder, ORDER_STATUSES, ORDER_TEXTS } from "../../contract/order.ts";
import type { Random } from "../random.ts";
import { mutate } from "./bodies.ts";
import { judgePlacing } from "./body-model.ts";
import { METHODS } from "./generate-anywhere.ts";
import { bodyHeaders, idempotencyKey, readHeaders, usualHeaders } from "./generate-headers.ts";
import { pageQuery } from "./generate-query.ts";
import { MERGE_PATCH_TYPES } from "./media-types.ts";
import { CONDITIONS, isOrderable, ORDERABLE_EVERY, type OrderModel } from "./order-model.ts";
import type { FuzzRequest } from "./request.ts";
import type { Source } from "./source.ts";
import { someTexts, writeInteger, writeString } from "./values.ts";

/** Bodies that neither place nor change an order. */
const MISTAKES: readonly string[] = [
  "{}",
  "[]",
  "null",
  "",
  '{"petId":null,"status":null}',
  '{"petId":"1","status":1}',
  '{"petId":1.5,"status":"Approved"}',
  '{"petId":9223372036854775808,"status":"available"}',
  '{"petId":1,"petId":1,"status":"placed","status":"placed"}',
  '{"petId":01,"status":"placed"}',
  '{"petId":4,"status":"approved"',
  '{"PetId":4,"Status":"approved"}',
];
/** Animals that do not exist. */
const NOWHERE = ["9223372036854775807", "0", "-1", "-9223372036854775808", "1e18"];
const IDS = "0 -1 01 1.0 9223372036854775807 9223372036854775808 abc 1%00 %31 *".split(" ");
const WRONG_STATUSES = ["available", "Placed", "", "placed,approved"];
const INCLUDES = [
  "include=pet",
  "include=pet",
  "include=pet",
  "include=",
  "include=Pet",
  "include=pet&include=pet",
];
const WRONG_PET_IDS = "0 -1 +1 04 4.0 abc  %34 9223372036854775807 9223372036854775808".split(" ");

/** Any request for orders. */
export function anyOfOrders(source: Source, orders: OrderModel): FuzzRequest {
  const { random, model } = source;
  const { chance, pick, weighted } = random;
  const target = `/v1/orders/${chance(0.9) ? orders.anId(random) : pick(IDS)}`;
  const read = (target: string, kind: string): FuzzRequest => ({
    kind,
    method: chance(0.9) ? "GET" : "HEAD",
    target,
    headers: readHeaders(source),
  });
  const filters = {
    status: { valid: () => pick(ORDER_STATUSES), wrong: WRONG_STATUSES },
    petId: { valid: () => `${orderable(random, model.animals.highest)}`, wrong: WRONG_PET_IDS },
  };
  const otherMethods = METHODS.filter((method) => method !== "POST" && method !== "PATCH");
  return weighted<() => FuzzRequest>([
    [10, () => place(source, chance(0.2) ? idempotencyKey(source) : undefined)],
    [2, () => placeAgain(source, orders)],
    [10, () => update(source, target)],
    [4, () => read(chance(0.4) ? `${target}?${pick(INCLUDES)}` : target, "get order")],
    [
      5,
      () =>
        read(
          `/v1/orders${pageQuery(random, orders.positions, filters, ["petId=4", ...INCLUDES])}`,
          "list orders",
        ),
    ],
    [
      1,
      () => ({
        kind: "orders anywhere",
        method: pick(otherMethods),
        target: pick([target, "/v1/orders"]),
        headers: usualHeaders(source),
      }),
    ],
  ])();
}

function place(source: Source, key: string | undefined, body = placing(source)): FuzzRequest {
  const headers = bodyHeaders(source);
  if (key !== undefined) headers.push(["Idempotency-Key", key]);
  const chunked = source.random.chance(0.2);
  return { kind: "place order", method: "POST", target: "/v1/orders", headers, body, chunked };
}

/** Repeats an order, or uses its key or a create's key for something else. */
function placeAgain(source: Source, orders: OrderModel): FuzzRequest {
  const { random, model } = source;
  const [ofOrder, ofCreate] = [orders.keys.any(random), model.animals.keys.any(random)];
  const earlier = random.chance(0.8) ? ofOrder : ofCreate;
  if (!earlier) return place(source, undefined);
  const isSame = ofOrder === earlier && random.chance(0.7);
  const body = isSame
    ? object(membersOf(ofOrder.item, random), random)
    : Buffer.from(`{"petId":${ORDERABLE_EVERY}}`);
  return { ...place(source, earlier.key, body), kind: "place order again" };
}

function update(source: Source, target: string): FuzzRequest {
  const { random } = source;
  const members = [["status", writeString(random.pick(ORDER_STATUSES), random)]] as const;
  const body = random.weighted<() => Buffer>([
    [20, () => object(members, random)],
    [3, () => Buffer.from(random.pick(MISTAKES))],
    [1, () => object(members, random, 65_530 + random.below(12))],
    [4, () => mutate(object(members, random), random)],
  ])();
  const headers = bodyHeaders(source, MERGE_PATCH_TYPES);
  if (random.chance(0.2)) headers.push(["If-Match", random.pick([...CONDITIONS.keys()])]);
  return { kind: "update order", method: "PATCH", target, headers, body, chunked: random.chance(0.2) };
}

/** The body of a new order, mostly for an animal that exists. */
function placing({ random, model }: Source): Buffer {
  const id = BigInt(orderable(random, model.animals.highest));
  const members = membersOf({ petId: id, ...someTexts(ORDER_TEXTS, random) }, random);
  return random.weighted<() => Buffer>([
    [20, () => object(members, random)],
    [2, () => object([["petId", random.pick(NOWHERE)]], random)],
    ...ORDER_TEXTS.map(([member, { refused }]): [number, () => Buffer] => [
      1,
      () => Buffer.from(`{"petId":${id},"${member}":${random.pick(refused)}}`),
    ]),
    [3, () => Buffer.from(random.pick(MISTAKES))],
    [1, () => object(members, random, 65_530 + random.below(12))],
    [4, () => harmless(mutate(object(members, random), random))],
  ])();
}

function membersOf(order: NewOrder, random: Random): (readonly [name: string, value: string])[] {
  const texts = textsOf(ORDER_TEXTS, order).map(
    ([name, value]) => [name, writeString(value, random)] as const,
  );
  return [["petId", writeInteger(order.petId, random)], ...texts];
}

/** The id of an animal that may be ordered. */
function orderable(random: Random, highest: number): number {
  return ORDERABLE_EVERY * random.between(1, Math.max(1, Math.ceil(highest / ORDERABLE_EVERY)));
}

function object(
  members: readonly (readonly [name: string, value: string])[],
  random: Random,
  size = 0,
): Buffer {
  const all = random.chance(0.2) ? [...members, ["x", '{"a":[1,null]}'] as const] : members;
  const texts = all.map(([name, value]) => `${writeString(name, random)}:${value}`);
  return Buffer.from(`{${texts.join(", ")}}`.padEnd(size));
}

/** The body, unless it orders an animal whose status must not change. */
function harmless(body: Buffer): Buffer {
  const content = judgePlacing(body);
  const orders = typeof content === "string" || content.petId <= 0n || isOrderable(content.petId);
  return orders ? body : Buffer.from("{}");
}
