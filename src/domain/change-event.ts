import type { Animal } from "./animal.ts";
import type { Order } from "./order.ts";
import type { Page } from "./page.ts";

export const EVENT_TYPES = [
  "animal.created",
  "animal.status_changed",
  "order.placed",
  "order.status_changed",
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/**
 * A change of an animal or an order, as the feed reports it. Ids ascend in the order in which events become visible: a
 * client that has seen one event has seen all before it.
 */
export type ChangeEvent = {
  readonly id: bigint;
  /** Milliseconds since 1970, UTC. */
  readonly at: number;
} & (
  | { readonly type: "animal.created" | "animal.status_changed"; readonly animal: Animal }
  | { readonly type: "order.placed" | "order.status_changed"; readonly order: Order }
);

/** Selects events to read. */
export interface EventQuery {
  /** Events of any of these types; each type appears once. */
  readonly types: readonly EventType[];
  /** Only ids above this one. If `undefined`, the page starts with the oldest stored event. */
  readonly after: bigint | undefined;
  /** The maximum number of events: at most `LIMIT_MAX`, for which the stores read. */
  readonly limit: number;
}

export interface EventPage extends Page<ChangeEvent> {
  /** The id of the newest event of any type. If no events follow this page, a reader can continue after it and miss nothing. */
  readonly newest: bigint;
}

/** The id after which the reader of a page continues. */
export function endOf({ items, more, newest }: EventPage): bigint {
  const last = items.at(-1);
  return more && last ? last.id : newest;
}
