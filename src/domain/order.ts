import { z } from "zod";
import type { Status } from "./animal.ts";
import { int64Schema } from "./int64.ts";
import { quote } from "./quote.ts";

export const ORDER_STATUSES = ["placed", "approved", "delivered", "cancelled"] as const;

/** How far an order has come. */
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** The transitions between statuses. A delivered or cancelled order never changes again. */
const NEXT: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  placed: ["approved", "cancelled"],
  approved: ["delivered", "cancelled"],
  delivered: [],
  cancelled: [],
};

export function mayBecome(from: OrderStatus, to: OrderStatus): boolean {
  return NEXT[from].includes(to);
}

/** The statuses that an order may have next. */
export function nextStatuses(from: OrderStatus): readonly OrderStatus[] {
  return NEXT[from];
}

/**
 * The status that an order gives its animal: pending while the order is open, sold once it is delivered. A cancelled order
 * says nothing about its animal, so the result is `undefined`.
 */
export function animalStatusUnder(status: OrderStatus): Status | undefined {
  if (status === "delivered") return "sold";
  return status === "cancelled" ? undefined : "pending";
}

const petId = int64Schema.meta({
  description: "The identifier of the ordered animal.",
  type: "integer",
  format: "int64",
  examples: [1],
});

export const orderStatusSchema = z
  .enum(ORDER_STATUSES, { error: `must be one of ${ORDER_STATUSES.map(quote).join(", ")}` })
  .meta({ id: "OrderStatus", description: "How far the order has come.", examples: ["placed"] });

/** The body of a new order. Other members are ignored. */
export const orderInputSchema = z
  .object({ petId })
  .meta({ id: "OrderInput", description: "An order to place." });

/** The body of a change of an order. */
export const orderUpdateSchema = z
  .object({ status: orderStatusSchema })
  .meta({ id: "OrderUpdate", description: "The status that the order is to have." });

const time = z.string().meta({ format: "date-time", examples: ["2026-11-22T09:30:00.000Z"] });

/** An order as clients see it. */
export const orderSchema = z
  .object({
    id: int64Schema.meta({
      description: "The order's unique identifier. The service assigns it, in ascending order.",
      type: "integer",
      format: "int64",
      minimum: 1,
      examples: [1],
    }),
    petId,
    status: orderStatusSchema,
    placedAt: time.meta({ description: "When the order was placed (RFC 3339, UTC, milliseconds)." }),
    updatedAt: time.meta({ description: "When its status last changed (RFC 3339, UTC, milliseconds)." }),
  })
  .meta({ id: "Order", description: "An order for an animal." });

/** An order. Times are milliseconds since 1970, UTC. */
export interface Order {
  readonly id: bigint;
  readonly petId: bigint;
  readonly status: OrderStatus;
  readonly placedAt: number;
  readonly updatedAt: number;
}

/** An order that was placed at a time (milliseconds since 1970). */
export function placedOrder(id: bigint, petId: bigint, at: number): Order {
  return { id, petId, status: "placed", placedAt: at, updatedAt: at };
}

/** Selects orders to list, by keyset, so that every page costs the same. */
export interface OrderQuery {
  readonly status: OrderStatus | undefined;
  readonly petId: bigint | undefined;
  /** Only ids above this one. */
  readonly after: bigint;
  /** The maximum number of orders. */
  readonly limit: number;
}
