import { type Animal, parseExact } from "./animal.ts";
import type { Client } from "./client.ts";
import { assert, ContractViolation } from "./contract-violation.ts";
import { eventOf, type FeedEvent } from "./event.ts";
import { nextQueryOf } from "./headers.ts";
import type { Order } from "./order.ts";

/** Reads the whole feed by following the links, until a page has no news. */
export async function walkEvents(client: Client): Promise<FeedEvent[]> {
  const all: FeedEvent[] = [];
  let query: unknown = "limit=100";
  for (;;) {
    const path = `/events?${query}`;
    const { status, body, headers } = await client.send({ path });
    assert(status === 200, "200", `${status}: ${body}`, client.curl({ path }));
    const page = (parseExact(body) as unknown[]).map(eventOf);
    all.push(...page);
    if (page.length === 0) return all;
    query = nextQueryOf(headers, `${new URL(client.base).pathname}/events`);
  }
}

/**
 * Checks that a feed that was recorded from the beginning has each animal and each order of a store once and in order.
 *
 * @throws ContractViolation
 */
export function checkFeed(
  events: readonly FeedEvent[],
  animals: readonly Animal[],
  orders: readonly Order[],
): void {
  const descent = events.findIndex(({ id }, at) => at > 0 && id <= (events[at - 1] as FeedEvent).id);
  if (descent >= 0) throw new ContractViolation(`event ${events[descent]?.id} comes after a later one`);
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
