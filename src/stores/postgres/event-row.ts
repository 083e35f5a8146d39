import type { Animal, NewAnimal } from "../../domain/animal.ts";
import type { ChangeEvent } from "../../domain/change-event.ts";
import type { Order } from "../../domain/order.ts";
import type { RowOf } from "../table.ts";
import { EVENT_ARRAYS, NEW_ANIMAL, ORDER } from "../tables.ts";

interface AnimalEventRow extends NewAnimal {
  readonly id: bigint;
  readonly type: "animal.created" | "animal.status_changed";
  readonly at: bigint;
  readonly animalId: bigint;
  readonly orderId: null;
}

interface OrderEventRow extends Omit<RowOf<Order>, "petId" | "updatedAt"> {
  /** The event's, like `at`. */
  readonly id: bigint;
  readonly type: "order.placed" | "order.status_changed";
  readonly at: bigint;
  readonly animalId: bigint;
  readonly orderId: bigint;
}

/** An event as it is read. */
export type EventRow = AnimalEventRow | OrderEventRow;

/**
 * Where a row has each member of an order, and the name under which it is read: in an array that animals have too, in the event's
 * own time, or in a column that only orders have.
 */
const ORDER_MEMBERS: Readonly<Record<string, { readonly column: string; readonly read: string }>> = {
  id: { column: "order_id", read: "orderId" },
  petId: { column: "animal_ids", read: "animalId" },
  status: { column: "statuses", read: "status" },
  placedAt: { column: "placed_at", read: "placedAt" },
  updatedAt: { column: "at", read: "at" },
} satisfies Record<keyof Order, { column: string; read: keyof OrderEventRow }>;

const SHARED = new Set([...Object.values(EVENT_ARRAYS), "at"]);

/** What an event of an order has, and that of an animal lacks. `name` is the column of orders. */
export const OF_ORDERS = ORDER.columns
  .map(({ member, name }) => ({ name, column: "", read: "", ...ORDER_MEMBERS[member] }))
  .filter(({ column }) => !SHARED.has(column));

/** The event in a row. */
export function eventOf(row: EventRow): ChangeEvent {
  const { id } = row;
  const at = Number(row.at);
  return row.orderId === null
    ? { id, at, type: row.type, animal: animalOf(row) }
    : { id, at, type: row.type, order: orderOf(row) };
}

function orderOf(row: OrderEventRow): Order {
  const order: Record<string, unknown> = {};
  for (const member in ORDER_MEMBERS) order[member] = row[ORDER_MEMBERS[member]?.read as keyof OrderEventRow];
  return ORDER.parse(order as unknown as RowOf<Order>);
}

function animalOf(row: AnimalEventRow): Animal {
  const animal: Record<string, unknown> = { id: row.animalId };
  for (const { member } of NEW_ANIMAL) animal[member] = row[member as keyof NewAnimal] ?? undefined;
  return animal as unknown as Animal;
}
