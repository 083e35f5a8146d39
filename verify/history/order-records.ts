import type { Status } from "../../contract/animal.ts";
import type { Order, OrderStatus } from "../../contract/order.ts";
import type { Span } from "./page-span.ts";
import type { PageRead } from "./reads.ts";

/** One order as a client meant it, however often the client asked for it. */
export interface Placing {
  readonly petId: number;
  readonly request: string;
  readonly from: number;
  /** When it was first acknowledged; `Infinity` if it never was. */
  to: number;
  /** The order as every acknowledgement had it. */
  order: Order | undefined;
  /** Whether a response said that the animal was not available. */
  isRefused: boolean;
}

/** An order that was refused since the animal was not available. */
export interface Refusal extends Span {
  readonly placing: Placing;
}

/** One change of an order as a client meant it. */
export interface Updating {
  readonly id: number;
  readonly status: OrderStatus;
  readonly request: string;
  readonly from: number;
  to: number;
  /** Whether it was done; `undefined`: no response said so. */
  done: boolean | undefined;
}

/** The query of a page of orders. */
export interface OrderQuery {
  readonly status: OrderStatus | undefined;
  readonly petId: number | undefined;
  readonly after: number;
}

/** A page of orders, as a client saw it. */
export type OrderPageSeen = PageRead<OrderQuery, OrderStatus>;

/** What was seen of an animal: its status, or that it was not among the animals with a status. */
export interface Sighting extends Span {
  readonly shown: Status | undefined;
  readonly hiddenFrom?: Status;
}

/** An animal that was ordered, as it was created. */
export interface Traded {
  readonly id: number;
  readonly status: Status;
  /** Its create. */
  readonly from: number;
  readonly to: number;
}
