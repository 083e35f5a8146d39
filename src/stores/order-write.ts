import type { Idempotency } from "../domain/idempotency.ts";
import type { OrderStatus } from "../domain/order.ts";
import type { Placed, Updated } from "../domain/store.ts";

/** An order to place. */
export interface Placement {
  readonly petId: bigint;
  readonly idempotency: Idempotency | undefined;
}

/** The status that an order is to have. */
export interface StatusChange {
  readonly id: bigint;
  readonly status: OrderStatus;
}

export type OrderWrite = Placement | StatusChange;

/** What a write comes to, or why the engine refused it, which is a mistake of ours. */
export type OrderOutcome = Placed | Updated | { readonly refused: string };
