import { ORDER_STATUSES } from "../order.ts";
import type { Random } from "../random.ts";
import { mutate, writeInteger, writeString } from "./bodies.ts";
import { judgePlacing } from "./body-model.ts";
import { isOrderable, type OrderModel } from "./order-model.ts";

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
const IDS = ["0", "-1", "01", "1.0", "9223372036854775807", "9223372036854775808", "abc", "1%00", "%31", "*"];
const PET_IDS = [
  "0",
  "-1",
  "+1",
  "04",
  "4.0",
  "abc",
  "",
  "%34",
  "9223372036854775807",
  "9223372036854775808",
];

/** The body of a new order, mostly for an animal that exists. */
export function placing(random: Random, highest: number): Buffer {
  const id = 4 * random.between(1, Math.max(1, Math.ceil(highest / 4)));
  const petId = writeInteger(BigInt(id), random);
  return random.weighted<() => Buffer>([
    [20, () => object([["petId", petId]], random)],
    [2, () => object([["petId", random.pick(NOWHERE)]], random)],
    [3, () => Buffer.from(random.pick(MISTAKES))],
    [1, () => object([["petId", petId]], random, 65_530 + random.below(12))],
    [4, () => harmless(mutate(object([["petId", petId]], random), random))],
  ])();
}

/** The body of a change of an order. */
export function update(random: Random): Buffer {
  const status = writeString(random.pick(ORDER_STATUSES), random);
  return random.weighted<() => Buffer>([
    [20, () => object([["status", status]], random)],
    [3, () => Buffer.from(random.pick(MISTAKES))],
    [1, () => object([["status", status]], random, 65_530 + random.below(12))],
    [4, () => mutate(object([["status", status]], random), random)],
  ])();
}

/** The id of an order in a path, mostly of an existing one. */
export function orderId(random: Random, orders: OrderModel): string {
  return random.chance(0.9) ? `${orders.anId(random)}` : random.pick(IDS);
}

/** The query of a list of orders, mostly valid. */
export function orderQuery(random: Random, orders: OrderModel, highest: number): string {
  const position = random.chance(0.4) ? orders.positions.any(random) : undefined;
  const pairs: string[] = [];
  if (random.chance(0.6))
    pairs.push(`limit=${random.chance(0.9) ? random.between(1, 100) : random.pick(["0", "101", "x"])}`);
  const aStatus = random.chance(0.3) ? random.pick(ORDER_STATUSES) : undefined;
  const status = position ? position.filters.status : aStatus;
  if (status !== undefined) pairs.push(`status=${status}`);
  else if (random.chance(0.05))
    pairs.push(`status=${random.pick(["available", "Placed", "", "placed,approved"])}`);
  const aPet = random.chance(0.3) ? `${4 * random.between(1, Math.max(1, highest / 4))}` : undefined;
  const petId = position ? position.filters.petId : aPet;
  if (petId !== undefined) pairs.push(`petId=${petId}`);
  else if (random.chance(0.05)) pairs.push(`petId=${random.pick(PET_IDS)}`);
  if (position) pairs.push(`cursor=${random.chance(0.8) ? position.cursor : `${position.cursor}A`}`);
  else if (random.chance(0.05)) pairs.push(`cursor=${random.pick(["", "AAAA", "%", "0"])}`);
  if (random.chance(0.05)) pairs.push(random.pick(["x=1", "limit=7", "petId=4", "%6Cimit=5", ...pairs]));
  return pairs.length > 0 ? `?${pairs.join("&")}` : "";
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
