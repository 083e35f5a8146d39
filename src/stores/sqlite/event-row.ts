import type { Animal } from "../../domain/animal.ts";
import type { ChangeEvent, EventType } from "../../domain/change-event.ts";
import type { Order } from "../../domain/order.ts";
import { LIMIT_MAX } from "../../domain/page.ts";
import { ANIMAL, EVENT_ORDER } from "../tables.ts";

/**
 * The most events in one row. A page that begins or ends within a row reads the whole row, so no row is longer than the
 * longest page.
 */
export const ROW_EVENTS_MAX = LIMIT_MAX;

/** One or more events, as they are stored: those of animals that were created together share a row. */
export interface EventRow {
  /** Of the last event that the row holds. The ids before it are those of the events before it. */
  readonly id: bigint;
  readonly type: EventType;
  /** Milliseconds since 1970. */
  readonly at: bigint;
  /** JSON: an array of what each event holds. Its int64s are strings, which JavaScript reads to the last digit. */
  readonly items: string;
}

/** The members of an animal in the order of its columns; those that came later are missing in older rows. */
type AnimalItem = readonly (string | null | undefined)[];
/** The members of an order in the order of `EVENT_ORDER`. */
type OrderItem = readonly (string | number | null | undefined)[];

/** The events of a row whose ids are above `after`, in the order of their ids. */
export function eventsOf({ id: lastId, type, at, items }: EventRow, after: bigint): ChangeEvent[] {
  const all: readonly unknown[] = JSON.parse(items);
  const firstId = lastId - BigInt(all.length) + 1n;
  const skipped = after < firstId ? 0 : Number(after - firstId) + 1;
  return all
    .slice(skipped)
    .map((item, index) => eventOf(firstId + BigInt(skipped + index), Number(at), type, item));
}

function eventOf(id: bigint, at: number, type: EventType, item: unknown): ChangeEvent {
  if (type === "animal.created" || type === "animal.status_changed") {
    return { id, at, type, animal: animalOf(item as AnimalItem) };
  }
  return { id, at, type, order: orderOf(item as OrderItem, at) };
}

/** The items of a row with the event of one order. */
export function orderItems(order: Order): string {
  const item = EVENT_ORDER.map(({ value }) => value(order));
  return JSON.stringify([item], (_, value) => (typeof value === "bigint" ? `${value}` : value));
}

function orderOf(item: OrderItem, at: number): Order {
  const order: Record<string, unknown> = {};
  for (const [place, { member, type }] of EVENT_ORDER.entries()) {
    const value = item[place] ?? undefined;
    order[member] = type === "bigint" && typeof value === "string" ? BigInt(value) : value;
  }
  order.updatedAt = at;
  return order as unknown as Order;
}

function animalOf(item: AnimalItem): Animal {
  const animal: Record<string, unknown> = {};
  for (const [at, { member, type }] of ANIMAL.columns.entries()) {
    const value = item[at] ?? undefined;
    animal[member] = type === "bigint" && value !== undefined ? BigInt(value) : value;
  }
  return animal as unknown as Animal;
}
