import type { Animal, Status } from "../../domain/animal.ts";
import type { ChangeEvent } from "../../domain/change-event.ts";
import type { OrderStatus } from "../../domain/order.ts";

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

/** An event as it is read. */
export type EventRow = AnimalEventRow | OrderEventRow;

/** The event in a row. */
export function eventOf(row: EventRow): ChangeEvent {
  const at = Number(row.at);
  if (row.orderId === null) {
    const { id, type, animalId, name, categoryId, status } = row;
    const animal = { id: animalId, name, categoryId, status } satisfies Record<keyof Animal, unknown>;
    return { id, at, type, animal };
  }
  const { id, type, orderId, animalId, status, placedAt } = row;
  const order = { id: orderId, petId: animalId, status, placedAt: Number(placedAt), updatedAt: at };
  return { id, at, type, order };
}
