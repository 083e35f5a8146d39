import type { Idempotency } from "../domain/idempotency.ts";
import type { OrderStatus } from "../domain/order.ts";
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
}

export type OrderWrite = Placement | StatusChange;

/** The outcome of a write. If the engine refused the row, which would be a defect of this program, it says why. */
export type OrderOutcome = Placed | Updated | { readonly refused: string };
