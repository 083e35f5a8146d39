// Orders by the contract, read by other means than the service uses.
import { type Animal, animalOf, INT64_MAX, type Status, show } from "./animal.ts";
import { ContractViolation } from "./contract-violation.ts";
import {
  aTextOfEach,
  escapeAll,
  isOptionalText,
  type OptionalTexts,
  type RulesOf,
  textsOf,
} from "./optional-text.ts";

export const ORDER_STATUSES = ["placed", "approved", "delivered", "cancelled"] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export interface Order {
  readonly id: bigint;
  readonly petId: bigint;
  readonly status: OrderStatus;
  /** RFC 3339, UTC, milliseconds: such texts sort by time. */
  readonly placedAt: string;
  readonly updatedAt: string;
}

type Later = Exclude<keyof Order, "id" | "petId" | "status" | "placedAt" | "updatedAt">;

const LATER: RulesOf<Order, Later> = {};

/** The members that an order may lack, by their names. What reads, writes, compares or invents orders follows from them. */
export const ORDER_TEXTS: OptionalTexts<Later> = Object.entries(LATER) as never;

/** What a client says of an order that it places. */
export type NewOrder = Pick<Order, "petId" | Later>;

/** An order that has each of the members that it may lack. */
export function wholeOrder(petId: bigint): NewOrder {
  return { petId, ...aTextOfEach(ORDER_TEXTS) };
}

const STEPS: ReadonlySet<string> = new Set([
  "placed approved",
  "placed cancelled",
  "approved delivered",
  "approved cancelled",
]);
const TIME = /^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z$/;

/** Whether a client may change an order's status in this way. The current status is no change. */
export function mayBecome(from: OrderStatus, to: OrderStatus): boolean {
  return STEPS.has(`${from} ${to}`);
}

/** The status of an animal whose last order has a status. */
export function animalStatusUnder(status: OrderStatus): Status {
  if (status === "delivered") return "sold";
  return status === "cancelled" ? "available" : "pending";
}

/**
 * Reads an order of a response: exactly these members, of these types.
 *
 * @throws ContractViolation
 */
export function orderOf(value: unknown): Order {
  const { id, petId, status, placedAt, updatedAt, ...others } = (value ?? {}) as Record<string, unknown>;
  const isWhole =
    isId(id) &&
    isId(petId) &&
    ORDER_STATUSES.includes(status as OrderStatus) &&
    isTime(placedAt) &&
    isTime(updatedAt) &&
    Object.keys(others).every((member) => isOptionalText(ORDER_TEXTS, member, others[member]));
  if (!isWhole) throw new ContractViolation(`no order: ${Bun.inspect(value)}`);
  if (updatedAt < placedAt || (status === "placed" && updatedAt !== placedAt))
    throw new ContractViolation(`an order ${status} at ${updatedAt} that was placed at ${placedAt}`);
  return { id, petId, status: status as OrderStatus, placedAt, updatedAt, ...others };
}

/** An order together with its animal (`include=pet`). */
export interface OrderWithPet extends Order {
  readonly pet: Animal;
}

/**
 * Reads an order that was asked for together with its animal. Both are of the same moment, so they must agree.
 *
 * @throws ContractViolation
 */
export function orderWithPetOf(value: unknown): OrderWithPet {
  const { pet: included, ...alone } = (value ?? {}) as Record<string, unknown>;
  const order = orderOf(alone);
  const pet = animalOf(included);
  const isOf = pet.id === order.petId;
  const agrees = order.status === "cancelled" || pet.status === animalStatusUnder(order.status);
  if (!isOf || !agrees) throw new ContractViolation(`${showOrder(order)}, with the animal ${show(pet)}`);
  return { ...order, pet };
}

/** An order for people. */
export function showOrder(order: Order): string {
  const { id, petId, status, placedAt, updatedAt } = order;
  const later = textsOf(ORDER_TEXTS, order).map(([member, value]) => `, ${member} ${escapeAll(value)}`);
  return `order ${id} for animal ${petId}, ${status}, placed at ${placedAt}, updated at ${updatedAt}${later.join("")}`;
}

/** What a client says of an order that it places, as the body of the request. */
export function bodyOf(order: NewOrder): string {
  const later = textsOf(ORDER_TEXTS, order).map(([member, value]) => `,"${member}":${escapeAll(value)}`);
  return `{"petId":${order.petId}${later.join("")}}`;
}

function isId(value: unknown): value is bigint {
  return typeof value === "bigint" && value > 0n && value <= INT64_MAX;
}

function isTime(value: unknown): value is string {
  return typeof value === "string" && TIME.test(value);
}
