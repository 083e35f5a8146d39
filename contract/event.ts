import { animalOf, show } from "./animal.ts";
import { ContractViolation } from "./contract-violation.ts";
import { orderOf, showOrder } from "./order.ts";

export const EVENT_TYPES = [
  "animal.created",
  "animal.status_changed",
  "order.placed",
  "order.status_changed",
] as const;
type EventType = (typeof EVENT_TYPES)[number];

/** One change in the feed. */
export interface FeedEvent {
  readonly id: bigint;
  /** The animal that it is about. */
  readonly subject: bigint;
  readonly type: string;
  /** All of it but its id and its time. */
  readonly text: string;
}

/** @throws ContractViolation */
export function eventOf(value: unknown): FeedEvent {
  const { id, type, at, animal, order, ...others } = (value ?? {}) as Record<string, unknown>;
  const isKnown = EVENT_TYPES.includes(type as EventType) && Object.keys(others).length === 0;
  const isTime = typeof at === "string" && /^[0-9-]{10}T[0-9:]{8}\.[0-9]{3}Z$/.test(at);
  const ofOrder = `${type}`.startsWith("order.");
  const isWhole = typeof id === "bigint" && id > 0n && isKnown && isTime && (ofOrder ? !animal : !order);
  if (!isWhole) throw new ContractViolation(`no event: ${Bun.inspect(value)}`);
  if (ofOrder) {
    const about = orderOf(order);
    return { id, subject: about.petId, type: `${type}`, text: `${type} ${showOrder(about)}` };
  }
  const about = animalOf(animal);
  return { id, subject: about.id, type: `${type}`, text: `${type} ${about.id}: ${show(about)}` };
}
