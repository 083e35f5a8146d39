import type { Animal, NewAnimal } from "../../domain/animal.ts";
import type { ChangeEvent } from "../../domain/change-event.ts";
import type { OrderStatus } from "../../domain/order.ts";
import { NEW_ANIMAL } from "../tables.ts";

interface AnimalEventRow extends NewAnimal {
  readonly id: bigint;
  readonly type: "animal.created" | "animal.status_changed";
  readonly at: bigint;
  readonly animalId: bigint;
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
    return { id: row.id, at, type: row.type, animal: animalOf(row) };
  }
  const { id, type, orderId, animalId, status, placedAt } = row;
  const order = { id: orderId, petId: animalId, status, placedAt: Number(placedAt), updatedAt: at };
  return { id, at, type, order };
}

function animalOf(row: AnimalEventRow): Animal {
  const animal: Record<string, unknown> = { id: row.animalId };
  for (const { member } of NEW_ANIMAL) animal[member] = row[member as keyof NewAnimal] ?? undefined;
  return animal as unknown as Animal;
}
