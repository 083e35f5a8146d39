import type { ReadAnimal, Status } from "./animal.ts";
import type { Sort } from "./page.ts";

export const ORDER_STATUSES = ["placed", "approved", "delivered", "cancelled"] as const;

/** An order's status. */
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** The transitions between statuses. A delivered or cancelled order never changes again. */
const NEXT: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  placed: ["approved", "cancelled"],
  approved: ["delivered", "cancelled"],
  delivered: [],
  cancelled: [],
};

/** Whether an order may take this step. Its current status is no step. */
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

/**
 * An order to place. A new member of it or of `Order` does not compile until the schemas, the files and the stores' tables
 * declare it too. A member that an order may lack is declared as `member?: string | undefined`.
 */
export interface NewOrder {
  readonly petId: bigint;
}

/** An order. Times are milliseconds since 1970, UTC. */
export interface Order extends NewOrder {
  readonly id: bigint;
  readonly status: OrderStatus;
  readonly placedAt: number;
  readonly updatedAt: number;
}

/** What a reader may ask for together with an order. */
export const INCLUDED = ["pet"] as const;
export type Included = (typeof INCLUDED)[number];

/** An order as a store reads it: with its animal at the same revision, if the reader asked for it. */
export interface ReadOrder extends Order {
  readonly pet?: ReadAnimal;
}

/** An order as it is placed at a time (milliseconds since 1970); the store gives it an id. */
export function placedOrder(order: NewOrder, at: number): Omit<Order, "id"> {
  return { ...order, status: "placed", placedAt: at, updatedAt: at };
}

/** Selects orders to list, by keyset, so that every page costs the same. */
export interface OrderQuery {
  readonly status: OrderStatus | undefined;
  readonly petId: bigint | undefined;
  /** The order of the orders; `id` if it is left out. */
  readonly sort?: Sort;
  /** Only ids that follow this one in that order. */
  readonly after: bigint;
  /** The maximum number of orders. */
  readonly limit: number;
  /** `"pet"` reads each order together with its animal. */
  readonly include?: Included | undefined;
}
