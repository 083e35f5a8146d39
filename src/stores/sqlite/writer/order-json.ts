import type { OrderOutcome, OrderWrite } from "../../order-write.ts";

/** Changes of orders, or their outcomes, as JSON: int64s are strings. */
export function orderJsonOf(items: readonly OrderWrite[] | readonly OrderOutcome[]): string {
  return JSON.stringify(items, (_, value) => (typeof value === "bigint" ? value.toString() : value));
}

export function writesOf(json: string): OrderWrite[] {
  return JSON.parse(json, reviveInt64);
}

export function outcomesOf(json: string): OrderOutcome[] {
  return JSON.parse(json, reviveInt64);
}

function reviveInt64(name: string, value: unknown): unknown {
  return name === "id" || name === "petId" ? BigInt(value as string) : value;
}
