import type { Idempotency } from "../domain/idempotency.ts";
import type { OrderStatus } from "../domain/order.ts";
import type { Placed, Updated } from "../domain/store.ts";

/** A change of the orders: one to place, or the status that one is to have. */
export type OrderWrite =
  | { readonly petId: bigint; readonly idempotency: Idempotency | undefined }
  | { readonly id: bigint; readonly status: OrderStatus };

/** What a change comes to, or why the engine refused it, which is a mistake of ours. */
export type OrderOutcome = Placed | Updated | { readonly refused: string };
