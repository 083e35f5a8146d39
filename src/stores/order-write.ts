import type { Idempotency } from "../domain/idempotency.ts";
import type { Order, OrderStatus } from "../domain/order.ts";
import type { Placed, Updated } from "../domain/store.ts";

/** An order to place. */
export interface Placement {
  readonly petId: bigint;
  readonly idempotency: Idempotency | undefined;
}

/** An order, and the status to give it. */
export interface StatusChange {
  readonly id: bigint;
  readonly status: OrderStatus;
  /** If set, the order changes only if it has this version. */
  readonly version?: string | undefined;
}

/** Everything about an order that can change, also by hand. `"unknown"` is the version of none. */
export function versionOf(order: Order | "unknown"): string {
  if (order === "unknown") return order;
  const { petId, status, placedAt, updatedAt } = order;
  return `${petId} ${status} ${placedAt} ${updatedAt}`;
}

export type OrderWrite = Placement | StatusChange;

/** The outcome of a write. If the engine refused the row, which would be a defect of this program, it says why. */
export type OrderOutcome = Placed | Updated | { readonly refused: string };
