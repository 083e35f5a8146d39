import type { Order } from "../../../domain/order.ts";
import type { CreateOutcome } from "../../create.ts";
import type { OrderOutcome, OrderWrite } from "../../order-write.ts";

type Items = readonly OrderWrite[] | readonly OrderOutcome[] | readonly CreateOutcome[];

/** Writes changes of orders, or outcomes of writes, as JSON with int64s as strings. */
export function jsonOf(items: Items): string {
  return JSON.stringify(items, (_, value) => (typeof value === "bigint" ? value.toString() : value));
}

/** The members of orders, of creates and of their outcomes that are int64s. */
const INT64S: Readonly<Record<string, true>> = {
  id: true,
  petId: true,
} satisfies Record<NamesOfInt64s<Order>, true>;

type NamesOfInt64s<Item> = {
  [Name in keyof Item]-?: NonNullable<Item[Name]> extends bigint ? Name : never;
}[keyof Item];

/** Reads what `jsonOf` wrote. */
export function itemsOf<Item extends Items[number]>(json: string): Item[] {
  return JSON.parse(json, (name, value) => (name in INT64S ? BigInt(value) : value));
}
