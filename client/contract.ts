// Generated from openapi.json by `npm run generate`: do not edit.

import type { Operation, Shape } from "./operation.ts";

/** An animal in stock. */
export interface Animal {
  /** The animal's unique identifier. The service assigns it on creation, in ascending order. */
  readonly id: bigint;
  /**
   * The animal's name, stored and returned exactly as sent. Lengths count Unicode code points. The pattern
   * states only what every regular expression dialect can check. The full rule: a name has at least one
   * character without Unicode's White_Space property (U+0009 to U+000D, U+0020, U+0085, U+00A0, U+1680, U+2000
   * to U+200A, U+2028, U+2029, U+202F, U+205F, U+3000), and neither U+0000 nor an unpaired surrogate.
   */
  readonly name: string;
  /** The identifier of the category that the animal belongs to. */
  readonly categoryId: bigint;
  readonly status?: Status;
}

/** The animal's availability. */
export type Status = "available" | "pending" | "sold";

/** An animal to add. The service assigns its `id`. */
export interface AnimalInput {
  /**
   * The animal's name, stored and returned exactly as sent. Lengths count Unicode code points. The pattern
   * states only what every regular expression dialect can check. The full rule: a name has at least one
   * character without Unicode's White_Space property (U+0009 to U+000D, U+0020, U+0085, U+00A0, U+1680, U+2000
   * to U+200A, U+2028, U+2029, U+202F, U+205F, U+3000), and neither U+0000 nor an unpaired surrogate.
   */
  readonly name: string;
  /** The identifier of the category that the animal belongs to. */
  readonly categoryId: bigint;
  readonly status?: Status | undefined;
}

/** An order for an animal. It holds `pet`, the animal itself, only if the request said `include=pet`. */
export interface Order {
  /** The order's unique identifier. The service assigns it, in ascending order. */
  readonly id: bigint;
  /** The identifier of the ordered animal. */
  readonly petId: bigint;
  readonly status: OrderStatus;
  /** When the order was placed (RFC 3339, UTC, milliseconds). */
  readonly placedAt: string;
  /** When its status last changed (RFC 3339, UTC, milliseconds). */
  readonly updatedAt: string;
  readonly pet?: Animal;
}

/** The order's status. */
export type OrderStatus = "placed" | "approved" | "delivered" | "cancelled";

/** An order to place. */
export interface OrderInput {
  /** The identifier of the ordered animal. */
  readonly petId: bigint;
}

/** The status that the order is to have. */
export interface OrderUpdate {
  readonly status: OrderStatus;
}

/** The API key of the request, without its secret. */
export interface CallerKey {
  /** The name that the operator gave the key. */
  readonly name: string;
  /** The only environment in which the key works. */
  readonly environment: "production" | "staging";
  /** What the key may do. A later version may have more scopes. */
  readonly scopes: string[];
  /** When the key ends (RFC 3339, UTC, milliseconds); `null` if it does not end by itself. */
  readonly expiresAt: string | null;
}

/** A change of an animal or an order, with the `animal` or the `order` as it was after the change. */
export interface Event {
  /** The event's identifier. Ids ascend in the order in which events become visible. */
  readonly id: bigint;
  readonly type: EventType;
  /** When it happened (RFC 3339, UTC, milliseconds). */
  readonly at: string;
  readonly animal?: Animal;
  readonly order?: Order;
}

/** What happened. */
export type EventType = "animal.created" | "animal.status_changed" | "order.placed" | "order.status_changed";

/** The codes of the service's errors. A newer service may have more. */
export type ErrorCode =
  | "malformed_escape"
  | "invalid_parameter"
  | "malformed_body"
  | "invalid_body"
  | "invalid_header"
  | "invalid_host"
  | "unauthorized"
  | "insufficient_scope"
  | "path_not_found"
  | "animal_not_found"
  | "order_not_found"
  | "method_not_allowed"
  | "animal_not_available"
  | "invalid_transition"
  | "events_expired"
  | "operation_removed"
  | "precondition_failed"
  | "body_too_large"
  | "unsupported_media_type"
  | "unsupported_content_encoding"
  | "idempotency_key_reused"
  | "rate_limited"
  | "internal_error"
  | "overloaded"
  | "store_unavailable"
  | "not_ready";

/** The query of `listPets`. */
export interface ListPetsQuery {
  /** The maximum number of items to return, in plain decimal. */
  readonly limit?: number | undefined;
  /** Return only animals with this availability. Omit it to return all. */
  readonly status?: Status | undefined;
  /**
   * The order of the items: `id` is the oldest first, `-id` the newest first. Following the links from the
   * newest visits each item that existed at the start exactly once, and none that was added later.
   */
  readonly sort?: string | undefined;
}

/** The query of `listOrders`. */
export interface ListOrdersQuery {
  /** The maximum number of items to return, in plain decimal. */
  readonly limit?: number | undefined;
  /** Return only orders with this status. Omit it to return all. */
  readonly status?: OrderStatus | undefined;
  /** Return only orders for this animal: a positive integer in plain decimal. Omit it to return all. */
  readonly petId?: bigint | undefined;
  /**
   * The order of the items: `id` is the oldest first, `-id` the newest first. Following the links from the
   * newest visits each item that existed at the start exactly once, and none that was added later.
   */
  readonly sort?: string | undefined;
  /**
   * `pet` adds to each order its animal as it is now, under the name `pet`: order and animal are of the same
   * moment, and the `ETag` covers both. Omit it for the orders alone.
   */
  readonly include?: "pet" | undefined;
}

/** The query of `getOrder`. */
export interface GetOrderQuery {
  /**
   * `pet` adds to each order its animal as it is now, under the name `pet`: order and animal are of the same
   * moment, and the `ETag` covers both. Omit it for the orders alone.
   */
  readonly include?: "pet" | undefined;
}

/** The query of `listEvents`. */
export interface ListEventsQuery {
  /** The maximum number of items to return, in plain decimal. */
  readonly limit?: number | undefined;
  /**
   * Return only events of this type. Omit it to return all that the key may read: without the scope
   * `orders:read`, events of orders are left out.
   */
  readonly type?: EventType | undefined;
  /**
   * Where to start without a `cursor` or a `Last-Event-ID`: with the oldest event that is kept, or after the
   * latest. A page after the latest is empty; its `Link` leads to what comes next.
   */
  readonly from?: "oldest" | "latest" | undefined;
}

const ANIMAL: Shape = { id: "int64", categoryId: "int64" };

const ORDER: Shape = { id: "int64", petId: "int64", pet: ANIMAL };

const EVENT: Shape = { id: "int64", animal: ANIMAL, order: ORDER };

export const listPets: Operation<Animal[]> = {
  id: "listPets",
  method: "GET",
  path: "/pets",
  query: ["limit", "status", "sort"],
  shape: [ANIMAL],
};

export const createPet: Operation<Animal> = {
  id: "createPet",
  method: "POST",
  path: "/pets",
  repeat: "with-key",
  query: [],
  shape: ANIMAL,
};

export const getPet: Operation<Animal> = {
  id: "getPet",
  method: "GET",
  path: "/pets/{petId}",
  query: [],
  shape: ANIMAL,
};

export const listOrders: Operation<Order[]> = {
  id: "listOrders",
  method: "GET",
  path: "/orders",
  query: ["limit", "status", "petId", "sort", "include"],
  shape: [ORDER],
};

export const placeOrder: Operation<Order> = {
  id: "placeOrder",
  method: "POST",
  path: "/orders",
  repeat: "with-key",
  query: [],
  shape: ORDER,
};

export const getOrder: Operation<Order> = {
  id: "getOrder",
  method: "GET",
  path: "/orders/{orderId}",
  query: ["include"],
  shape: ORDER,
};

export const updateOrder: Operation<Order> = {
  id: "updateOrder",
  method: "PATCH",
  path: "/orders/{orderId}",
  query: [],
  shape: ORDER,
};

export const getKey: Operation<CallerKey> = {
  id: "getKey",
  method: "GET",
  path: "/key",
  query: [],
  shape: {},
};

export const listEvents: Operation<Event[]> = {
  id: "listEvents",
  method: "GET",
  path: "/events",
  query: ["limit", "type", "from"],
  shape: [EVENT],
};
