import type { Status } from "../domain/animal.ts";
import type { ChangeEvent } from "../domain/change-event.ts";
import type { OrderStatus } from "../domain/order.ts";

interface AnimalEventRow {
  readonly id: bigint;
  readonly type: "animal.created" | "animal.status_changed";
  readonly at: bigint;
  readonly animalId: bigint;
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: Status;
  readonly orderId: null;
}

interface OrderEventRow {
  readonly id: bigint;
  readonly type: "order.placed" | "order.status_changed";
  readonly at: bigint;
  readonly animalId: bigint;
  readonly status: OrderStatus;
  readonly orderId: bigint;
  readonly placedAt: bigint;
}

/** An event as both engines read it. */
export type EventRow = AnimalEventRow | OrderEventRow;

export function eventOf(row: EventRow): ChangeEvent {
  const at = Number(row.at);
  if (row.orderId === null) {
    const { id, type, animalId, name, categoryId, status } = row;
    return { id, at, type, animal: { id: animalId, name, categoryId, status } };
  }
  const { id, type, orderId, animalId, status, placedAt } = row;
  const order = { id: orderId, petId: animalId, status, placedAt: Number(placedAt), updatedAt: at };
  return { id, at, type, order };
}

/**
 * Whether a reader may go on after a position: it is that of an event, or that of the newest one that is gone. A position
 * of neither was lost, for example with a server whose standby took over without it.
 */
export function isInFeed(position: bigint, expiredThrough: bigint, isOfEvent: boolean): boolean {
  return position === expiredThrough || (position > expiredThrough && isOfEvent);
}
