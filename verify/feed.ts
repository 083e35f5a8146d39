import type { Animal } from "../contract/animal.ts";
import { ContractViolation } from "../contract/contract-violation.ts";
import type { FeedEvent } from "../contract/event.ts";
import type { Order } from "../contract/order.ts";

/**
 * Checks that a feed that was recorded from the beginning has each animal and each order of a store once and in order.
 *
 * @param events with ascending ids
 * @throws ContractViolation
 */
export function checkFeed(
  events: readonly FeedEvent[],
  animals: readonly Animal[],
  orders: readonly Order[],
): void {
  const subjectsOf = (type: string) =>
    events.filter((event) => event.type === type).map(({ subject }) => subject);
  expectSame(
    subjectsOf("animal.created"),
    animals.map(({ id }) => id),
    "animals created",
  );
  expectSame(
    subjectsOf("order.placed"),
    orders.map(({ petId }) => petId),
    "animals of orders",
  );
  // Each change of an order changes the status of its animal, but for an approval.
  const cancelled = orders.filter(({ status }) => status === "cancelled").length;
  const delivered = orders.filter(({ status }) => status === "delivered").length;
  const changes = subjectsOf("animal.status_changed").length;
  if (changes !== orders.length + cancelled + delivered)
    throw new ContractViolation(`the feed has ${changes} changes of animals' statuses`);
}

function expectSame(seen: readonly bigint[], expected: readonly bigint[], what: string): void {
  const at = expected.findIndex((id, index) => seen[index] !== id);
  if (seen.length === expected.length && at < 0) return;
  throw new ContractViolation(
    `the feed has ${seen.length} ${what}, the store ${expected.length}; they differ from ${expected[at] ?? "the end"} on`,
  );
}
