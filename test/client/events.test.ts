import { expect, test } from "bun:test";
import { EventsExpiredError } from "../../client/errors-by-code.ts";
import type { StoreEvent } from "../../client/events.ts";
import { operationsOffered } from "../../src/operations/catalogue.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { clientOf, collect, errorOf } from "./client-of.ts";
import { startFeed } from "./start-feed.ts";

async function create(service: Service, count = 1): Promise<void> {
  for (let i = 0; i < count; i++) await service.create('{"name":"Rex","categoryId":9223372036854775807}');
}

async function first(events: AsyncIterable<StoreEvent>, count: number): Promise<StoreEvent[]> {
  const seen: StoreEvent[] = [];
  for await (const event of events) if (seen.push(event) === count) break;
  return seen;
}

const animalsOf = (events: readonly StoreEvent[]) => events.map(({ animal }) => animal?.id);
const textOf = ({ type, animal, order }: StoreEvent) => `${type} ${animal?.status ?? order?.status}`;

test("a stream returns earlier events, and then new ones", async () => {
  await using service = await startFeed();
  const { events, orders } = clientOf(service);
  await create(service);
  const loop = first(events.stream(), 6);
  await orders.place(1n);
  await orders.update(1n, "approved");
  await orders.update(1n, "cancelled");
  expect((await loop).map(textOf)).toEqual([
    "animal.created available",
    "order.placed placed",
    "animal.status_changed pending",
    "order.status_changed approved",
    "order.status_changed cancelled",
    "animal.status_changed available",
  ]);
});

test("a stream begins after an event, and may be filtered", async () => {
  await using service = await startFeed();
  const { events, orders } = clientOf(service);
  await create(service, 3);
  await orders.place(2n);
  const [, second, third, placed] = await first(events.stream(), 4);
  expect(await first(events.stream({ since: second?.id }), 2)).toEqual([third, placed] as StoreEvent[]);
  expect(await first(events.stream({ type: "order.placed" }), 1)).toEqual([placed as StoreEvent]);
  expect(placed).toEqual({
    id: expect.any(BigInt),
    type: "order.placed",
    at: expect.any(String),
    order: await orders.get(1n),
  });
});

test("a position that the feed has not reached, or has lost, is an error that says what to do", async () => {
  await using service = await startFeed();
  const { events } = clientOf(service);
  await create(service, 3);
  const [, second] = await first(events.stream(), 3);
  await service.database.query(`DELETE FROM event WHERE id = ${second?.id}`);
  for (const since of [second?.id, 1000n, 9_223_372_036_854_775_807n]) {
    const error = await errorOf(collect(events.stream({ since })));
    expect(error).toBeInstanceOf(EventsExpiredError);
    expect(error).toMatchObject({ status: 410, code: "events_expired", operation: "listEvents" });
    expect((error as Error).message).toContain("from=latest");
  }
});

test("a list returns the kept events as pages, and continues later at the last page's link", async () => {
  await using service = await startFeed();
  const { events } = clientOf(service);
  await create(service, 5);
  const pages = await collect(events.list({ limit: 2 }).pages());
  expect(pages.flatMap(({ items }) => animalsOf(items))).toEqual([1n, 2n, 3n, 4n, 5n]);
  const next = pages.at(-1)?.next as string;
  expect(await collect(events.listFrom(next))).toEqual([]);
  await create(service, 3);
  const later = await collect(events.listFrom(next));
  expect(animalsOf(later)).toEqual([6n, 7n, 8n]);
  expect(await collect(events.list())).toEqual([...pages.flatMap(({ items }) => items), ...later]);
});

test("a copy of the store begins with the latest page and the lists, and misses nothing", async () => {
  await using service = await startFeed();
  const { events } = clientOf(service);
  await create(service, 3);
  const { items, next = "" } = await events.list({ from: "latest" }).firstPage();
  expect(items).toEqual([]);
  await create(service, 2);
  expect(animalsOf(await first(events.streamFrom(next), 2))).toEqual([4n, 5n]);
  expect(() => events.streamFrom("")).toThrow(TypeError);
  expect(() => events.streamFrom("http://elsewhere/v1/events")).toThrow(TypeError);
});

test("a service that does not offer events says so", async () => {
  await using service = await startService({ operations: operationsOffered("beta") });
  const { events } = clientOf(service);
  expect(await errorOf(collect(events.stream()))).toMatchObject({ name: "PathNotFoundError" });
  expect(await errorOf(events.list().firstPage())).toMatchObject({ name: "PathNotFoundError" });
});

test("a key needs the scope for events, and that for orders for their events", async () => {
  await using service = await startFeed();
  const { orders } = clientOf(service);
  const eventsWith = async (scopes: Parameters<Service["issueKey"]>[0]) =>
    clientOf(service, { apiKey: (await service.issueKey(scopes)).key }).events;
  const refused = await eventsWith(["pets:read", "orders:read"]);
  expect(await errorOf(collect(refused.stream()))).toMatchObject({ name: "InsufficientScopeError" });
  await create(service);
  await orders.place(1n);
  const types = (await first((await eventsWith(["events:read"])).stream(), 2)).map(({ type }) => type);
  expect(types).toEqual(["animal.created", "animal.status_changed"]);
});

test("a stream whose key is revoked ends with that error", async () => {
  await using service = await startFeed();
  await create(service);
  const { id, key } = await service.issueKey();
  const seen: StoreEvent[] = [];
  const loop = async () => {
    for await (const event of clientOf(service, { apiKey: key }).events.stream()) seen.push(event);
  };
  const ended = errorOf(loop());
  await until(() => seen.length === 1);
  await service.store.revokeKey(id, Date.now());
  expect(await ended).toMatchObject({ name: "UnauthorizedError" });
});

test("events that are no longer kept are an error that says what to do", async () => {
  await using service = await startFeed();
  await create(service, 3);
  while ((await service.store.deleteExpiredEvents(Date.now() + 1)) > 0);
  const error = await errorOf(collect(clientOf(service).events.stream({ since: 1n })));
  expect(error).toBeInstanceOf(EventsExpiredError);
  expect(error.message).toMatch(/list/);
});
