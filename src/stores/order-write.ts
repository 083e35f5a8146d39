import type { Idempotency } from "../domain/idempotency.ts";
import type { NewOrder, Order, OrderStatus } from "../domain/order.ts";
import type { Placed, Updated } from "../domain/store.ts";
import { valuesOf, withoutId } from "./table.ts";
import { ORDER } from "./tables.ts";

/** An order to place. */
export interface Placement {
  readonly order: NewOrder;
  readonly idempotency: Idempotency | undefined;
}

/** An order, and the status to give it. */
export interface StatusChange {
  readonly id: bigint;
  readonly status: OrderStatus;
  /** If set, the order changes only if it has this version. */
  readonly version?: string | undefined;
}

/** The columns of what can change of an order, also by hand. */
export const VERSION = withoutId<Omit<Order, "id">>(ORDER.columns);

/** The values of `VERSION`, in the order of the columns; what an order lacks is left out. `"unknown"` is the version of none. */
export function versionOf(order: Order | "unknown"): string {
  if (order === "unknown") return order;
  return valuesOf(VERSION, order)
    .filter((value) => value !== null)
    .join(" ");
}

export type OrderWrite = Placement | StatusChange;

/** The outcome of a write. If the engine refused the row, which would be a defect of this program, it says why. */
export type OrderOutcome = Placed | Updated | { readonly refused: string };
