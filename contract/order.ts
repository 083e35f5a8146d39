// Orders by the contract, read by other means than the service uses.
import { type Animal, animalOf, INT64_MAX, type Status, show } from "./animal.ts";
import { ContractViolation } from "./contract-violation.ts";

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
    Object.keys(others).length === 0;
  if (!isWhole) throw new ContractViolation(`no order: ${Bun.inspect(value)}`);
  if (updatedAt < placedAt || (status === "placed" && updatedAt !== placedAt))
    throw new ContractViolation(`an order ${status} at ${updatedAt} that was placed at ${placedAt}`);
  return { id, petId, status: status as OrderStatus, placedAt, updatedAt };
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
export function showOrder({ id, petId, status, placedAt, updatedAt }: Order): string {
  return `order ${id} for animal ${petId}, ${status}, placed at ${placedAt}, updated at ${updatedAt}`;
}

function isId(value: unknown): value is bigint {
  return typeof value === "bigint" && value > 0n && value <= INT64_MAX;
}

function isTime(value: unknown): value is string {
  return typeof value === "string" && TIME.test(value);
}
