import { INT64_MAX, parseExact, show } from "./animal.ts";
import { askForCopies, badValues } from "./bad-requests.ts";
import { assert, assertSame } from "./contract-violation.ts";
import { EVENT_TYPES, eventOf, type FeedEvent } from "./event.ts";
import { tryFilters } from "./filters.ts";
import { EVENTS } from "./lists.ts";
import { showOrder } from "./order.ts";
import { pageOf } from "./page.ts";
import type { Cases, ContractSession, Group } from "./session.ts";

/** Pages of other clients' events that may come between ours. */
const PAGES_MAX = 50;

export const events: Group = {
  name: "events",
  promise:
    "The feed has each change once and in order, as pages and as a stream that resumes where it ended.",
  needs: ["pets:write", "orders:read", "orders:write", "events:read"],
  cases: {
    "pages and streams have each change once and in order": readFeed,
    "a page of each type of events has no others": async (session) => {
      for (const type of EVENT_TYPES) await pageOf(session, EVENTS, `limit=100&type=${type}`);
    },
    "a copy that is still current is not sent again": (session) => askForCopies(session, "/events?limit=1"),
    "an invalid parameter or position is refused by name": (session) => session.askAll(REFUSED),
  },
};

async function readFeed(session: ContractSession): Promise<void> {
  let { next } = await pageOf(session, EVENTS, "from=latest");
  const animal = await session.add("in the feed");
  const { id } = animal;
  const order = await session.place(id);
  const cancelled = await session.update(order, "cancelled");
  const expected = [
    `animal.created ${id}: ${show(animal)}`,
    `order.placed ${showOrder(order)}`,
    `animal.status_changed ${id}: ${show({ ...animal, status: "pending" })}`,
    `order.status_changed ${showOrder(cancelled)}`,
    `animal.status_changed ${id}: ${show(animal)}`,
  ];
  const isOurs = ({ subject }: FeedEvent) => subject === id;
  const seen: FeedEvent[] = [];
  for (let pages = 0; seen.filter(isOurs).length < expected.length && pages < PAGES_MAX; pages++) {
    const page = await pageOf(session, EVENTS, `${next}`, seen.at(-1)?.id);
    seen.push(...page.items);
    next = page.next;
  }
  expectEvents(seen.filter(isOurs), expected, "the next pages of the feed");
  await tryFilters(session, EVENTS, seen);
  const [first] = seen as [FeedEvent];
  // A stream that resumes after an event has all events that follow it.
  const streamed = await readStream(session, `${first.id}`, (all) => all.filter(isOurs).length >= 4);
  const after = seen.filter((event) => event.id > first.id && isOurs(event)).map(({ text }) => text);
  expectEvents(streamed.filter(isOurs).slice(0, after.length), after, "a stream");
}

const REFUSED: readonly Cases[] = [
  badValues("/events", "limit", ["0", "101", "x"]),
  badValues("/events", "type", [
    ...["animal", "Order.placed", "order.*", "animal.created,order.placed", ""],
    "animal.created&type=animal.created",
  ]),
  badValues("/events", "from", ["now", "first", "0", ""]),
  badValues("/events", "cursor", ["", "abc", "1", "A".repeat(32)]),
  {
    outcome: "400 invalid_header",
    says: "Last-Event-ID",
    calls: ["", "abc", "-1", "01", "1.5", `${INT64_MAX + 1n}`].map(streamAfter),
  },
  // A position that the feed has not reached is lost.
  { outcome: "410 events_expired", calls: [streamAfter(`${INT64_MAX}`)] },
];

/** Asks for the events that follow one, as a stream. */
function streamAfter(id: string) {
  return { path: "/events", headers: { Accept: "text/event-stream", "Last-Event-ID": id } };
}

/** Reads the events that follow one off a stream, until there was enough. */
async function readStream(
  session: ContractSession,
  lastEventId: string,
  enough: (events: readonly FeedEvent[]) => boolean,
): Promise<FeedEvent[]> {
  const { client } = session;
  const call = streamAfter(lastEventId);
  const seen: FeedEvent[] = [];
  const contentType = await client.stream(call, ({ id, type, data, text }) => {
    if (data === undefined) return false;
    const event = session.judge(call, () => eventOf(parseExact(Buffer.from(data))));
    const fits = id === `${event.id}` && type === event.type;
    assert(fits, `id ${event.id} and event ${event.type}`, text, client.curl(call));
    seen.push(event);
    return enough(seen);
  });
  const isStream = contentType?.startsWith("text/event-stream") ?? false;
  assert(isStream, "a stream", `${contentType}`, client.curl(call));
  return seen;
}

function expectEvents(seen: readonly FeedEvent[], expected: readonly string[], where: string): void {
  const texts = [...seen.map(({ text }) => text), `in ${where}`];
  assertSame(texts.join("\n"), [...expected, `in ${where}`].join("\n"));
}
