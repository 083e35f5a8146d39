import type { CreateOutcome } from "../../create.ts";
import type { OrderOutcome, OrderWrite } from "../../order-write.ts";

type Items = readonly OrderWrite[] | readonly OrderOutcome[] | readonly CreateOutcome[];

/** Writes changes of orders, or outcomes of writes, as JSON with int64s as strings. */
export function jsonOf(items: Items): string {
  return JSON.stringify(items, (_, value) => (typeof value === "bigint" ? value.toString() : value));
}

/** Reads what `jsonOf` wrote. */
export function itemsOf<Item extends Items[number]>(json: string): Item[] {
  return JSON.parse(json, (name, value) => (name === "id" || name === "petId" ? BigInt(value) : value));
}
