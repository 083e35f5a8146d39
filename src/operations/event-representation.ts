import type { ChangeEvent } from "../domain/change-event.ts";
import { rfc3339 } from "../domain/time.ts";
import { representOrder } from "./order-representation.ts";

/** An event as `eventSchema` describes it. */
export function representEvent(event: ChangeEvent) {
  const { id, type, at } = event;
  return "animal" in event
    ? { id, type, at: rfc3339(at), animal: event.animal }
    : { id, type, at: rfc3339(at), order: representOrder(event.order) };
}
