import type { Order } from "../../../domain/order.ts";
import type { CreateOutcome } from "../../create.ts";
import type { OrderOutcome, OrderWrite } from "../../order-write.ts";

type Items = readonly (OrderWrite | OrderOutcome | CreateOutcome)[];

/** The members of orders, of creates and of their outcomes that are int64s. */
const INT64S: Readonly<Record<string, true>> = {
  id: true,
  petId: true,
} satisfies Record<NamesOfInt64s<Order>, true>;

type NamesOfInt64s<Item> = {
  [Name in keyof Item]-?: NonNullable<Item[Name]> extends bigint ? Name : never;
}[keyof Item];

// A function that `JSON` itself calls for each member would take three times as long.

/** Writes items, with int64s as strings. */
export function jsonOf(items: Items): string {
  return JSON.stringify(items.map(withStrings));
}

/** Reads what `jsonOf` wrote. */
export function itemsOf<Item extends Items[number]>(json: string): Item[] {
  return JSON.parse(json).map(withInt64s);
}

/** A copy of an item or of a member: an item may hold another, as a replay holds its order. */
function withStrings(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (!isObject(value)) return value;
  if (Array.isArray(value)) return value.map(withStrings);
  const copy: Members = {};
  for (const name in value) copy[name] = withStrings(value[name]);
  return copy;
}

/** The same item or member, changed. */
function withInt64s(value: unknown): unknown {
  if (!isObject(value)) return value;
  for (const name in value) {
    value[name] = name in INT64S ? BigInt(value[name] as string) : withInt64s(value[name]);
  }
  return value;
}

type Members = Record<string, unknown>;

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null;
}
