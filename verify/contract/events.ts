import { INT64_MAX, parseExact, show } from "../animal.ts";
import { assert, ContractViolation } from "../contract-violation.ts";
import { EVENT_TYPES, eventOf, type FeedEvent } from "../event.ts";
import { nextQueryOf } from "../headers.ts";
import { showOrder } from "../order.ts";
import type { ContractSession, Group } from "./session.ts";

const STREAM = { Accept: "text/event-stream" };
/** Pages of other clients' events that may come between ours. */
const PAGES_MAX = 50;

export const events: Group = {
  name: "events",
  promise:
    "The feed has each change once and in order, as pages and as a stream that resumes where it ended.",
  needs: ["pets:write", "orders:read", "orders:write", "events:read"],
  async run(session) {
    const latest = await pageOf(session, "?from=latest");
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
    let next = latest.next;
    for (let pages = 0; seen.filter(isOurs).length < expected.length && pages < PAGES_MAX; pages++) {
      const page: Page = await pageOf(session, `?${next}`);
      seen.push(...page.events);
      next = page.next;
    }
    expectSame(seen.filter(isOurs), expected, "the next pages of the feed");
    const [first] = seen as [FeedEvent];
    // A stream that resumes after an event has all events that follow it.
    const streamed = await readStream(session, `${first.id}`, (all) => all.filter(isOurs).length >= 4);
    const after = seen.filter((event) => event.id > first.id && isOurs(event)).map(({ text }) => text);
    expectSame(streamed.filter(isOurs).slice(0, after.length), after, "a stream");
    for (const type of EVENT_TYPES) await pageOf(session, `?limit=100&type=${type}`);
    await askAgain(session);
    await refuse(session);
  },
};

interface Page {
  readonly events: readonly FeedEvent[];
  readonly next: URLSearchParams;
}

/** Asks for a page: every page leads to what follows it. */
async function pageOf(session: ContractSession, query: string): Promise<Page> {
  const call = { path: `/events${query}` };
  const { body, headers } = await session.ask(call, { status: 200 });
  return session.judge(call, () => {
    const list = parseExact(body);
    if (!Array.isArray(list)) throw new ContractViolation("it is no array");
    const all = list.map(eventOf);
    const type = new URLSearchParams(query).get("type");
    for (const [at, event] of all.entries()) {
      if (at > 0 && event.id <= (all[at - 1]?.id ?? 0n)) throw new ContractViolation("ids do not ascend");
      if (type !== null && event.type !== type) throw new ContractViolation(`an event is ${event.type}`);
    }
    const next = nextQueryOf(headers, `${new URL(session.client.base).pathname}/events`);
    if (!next) throw new ContractViolation("the page has no link to what follows");
    return { events: all, next };
  });
}

/** Reads a stream until there was enough. */
async function readStream(
  session: ContractSession,
  lastEventId: string,
  enough: (events: readonly FeedEvent[]) => boolean,
): Promise<FeedEvent[]> {
  const { client } = session;
  const call = { path: "/events", headers: { ...STREAM, "Last-Event-ID": lastEventId } };
  const seen: FeedEvent[] = [];
  const type = await client.stream(call, (text) => {
    // Whole events end with an empty line.
    const whole = text.split("\n\n").slice(0, -1);
    seen.length = 0;
    for (const block of whole) {
      const data = /^data: ?(.*)$/m.exec(block)?.[1];
      if (data === undefined) continue;
      const event = session.judge(call, () => eventOf(parseExact(Buffer.from(data))));
      const [id, name] = [/^id: ?(.*)$/m, /^event: ?(.*)$/m].map((field) => field.exec(block)?.[1]);
      const fits = id === `${event.id}` && name === event.type;
      assert(fits, `id ${event.id} and event ${event.type}`, block, client.curl(call));
      seen.push(event);
    }
    return enough(seen);
  });
  assert(type?.startsWith("text/event-stream") ?? false, "a stream", `${type}`, client.curl(call));
  return seen;
}

function expectSame(seen: readonly FeedEvent[], expected: readonly string[], where: string): void {
  const texts = seen.map(({ text }) => text);
  assert(texts.join("\n") === expected.join("\n"), `${expected.join("\n")}\nin ${where}`, texts.join("\n"));
}

async function askAgain(session: ContractSession): Promise<void> {
  const path = "/events?limit=1";
  const tag = (await session.ask({ path }, { status: 200 })).headers.get("etag") ?? "";
  await session.ask({ path, headers: { "If-None-Match": tag } }, { status: 304 });
}

async function refuse(session: ContractSession): Promise<void> {
  for (const [name, texts] of Object.entries({
    limit: ["0", "101", "x"],
    type: ["animal", "Order.placed", ""],
    from: ["now", ""],
    cursor: ["", "abc"],
  }))
    await session.refuseQueries(
      "/events",
      name,
      texts.map((text) => `${name}=${text}`),
    );
  for (const id of ["abc", "-1", "01", "9223372036854775808"])
    await session.ask(
      { path: "/events", headers: { ...STREAM, "Last-Event-ID": id } },
      { status: 400, code: "invalid_header", says: "Last-Event-ID" },
    );
  // A position that the feed has not reached is lost.
  await session.ask(
    { path: "/events", headers: { ...STREAM, "Last-Event-ID": `${INT64_MAX}` } },
    { status: 410, code: "events_expired" },
  );
}
