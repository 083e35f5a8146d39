import { expect, spyOn, test } from "bun:test";
import type { ApiKey } from "../../src/domain/api-key.ts";
import {
  type ChangeEvent,
  EVENT_TYPES,
  type EventPage,
  type EventType,
} from "../../src/domain/change-event.ts";
import { StoreFailure } from "../../src/domain/failure.ts";
import { andThen } from "../../src/domain/maybe-promise.ts";
import { LIMIT_MAX } from "../../src/domain/page.ts";
import type { Revision } from "../../src/domain/revision.ts";
import type { Store } from "../../src/domain/store.ts";
import { Feed } from "../../src/feed/feed.ts";
import { FeedReader } from "../../src/feed/feed-reader.ts";
import { EventHub } from "../../src/http/events/event-hub.ts";
import type { Observation } from "../../src/observations/observation.ts";
import type { EndedStream } from "../../src/observations/request-observer.ts";
import { newKey } from "../../src/service/new-key.ts";
import { openSqliteStore } from "../../src/stores/sqlite/store.ts";
import { observedStore } from "../../src/telemetry/observed-store.ts";
import { createSqliteDatabase } from "../support/database.ts";
import { LOOK_EVERY_MS, until } from "../support/until.ts";

const HEARTBEAT_MS = 150;

const REX = { name: "Rex", categoryId: 12n, status: "available" } as const;
const utf8 = new TextDecoder();

/** A real store, whose reads of the feed can be held up, and which another server can take over. */
interface ControlledStore extends Store {
  epoch: number;
  held: Promise<void> | undefined;
  readsHeld: number;
  /** What reads of the feed find, in place of what is there. */
  stale: EventPage | undefined;
  /** Where each read of the feed began. */
  readonly reads: (bigint | undefined)[];
  /** The keys that were looked up, by their hashes. */
  readonly lookups: Uint8Array[];
  revisionAtHand(): Revision;
}

function controlled(inner: Store): ControlledStore {
  const revisionAtHand = (): Revision => ({
    ...(inner.revisionAtHand() as Revision),
    epoch: store.epoch,
  });
  const store: ControlledStore = {
    ...observedStore(inner, (_, call) => call()),
    epoch: 0,
    held: undefined,
    readsHeld: 0,
    stale: undefined,
    reads: [],
    lookups: [],
    listEvents(query) {
      store.reads.push(query.after);
      if (store.stale) return store.stale;
      if (!store.held) return inner.listEvents(query);
      store.readsHeld++;
      return store.held.then(() => inner.listEvents(query));
    },
    findKey(hash) {
      store.lookups.push(hash);
      return inner.findKey(hash);
    },
    revisionAtHand,
    read(work, sharedAs) {
      const revision = revisionAtHand();
      return andThen(inner.read(work, sharedAs), (dated) => ({ ...dated, revision }));
    },
  };
  return store;
}

function failing(message: string): Promise<void> {
  const failure = Promise.reject(new StoreFailure("store_unavailable", message));
  failure.catch(() => {});
  return failure;
}

interface Listening {
  readonly types?: readonly EventType[];
  /** Where the stream begins; left out, with what follows `after`. */
  readonly page?: EventPage;
  readonly after?: bigint | undefined;
  readonly limit?: number;
  readonly isSilent?: boolean;
  readonly by?: Caller;
  /** A revision from before the caller's key was looked up; left out, that of now. */
  readonly asOf?: Revision;
}

interface Caller {
  readonly key: ApiKey;
  readonly hash: Uint8Array;
}

async function start(heartbeatMs = HEARTBEAT_MS) {
  const database = await createSqliteDatabase();
  const inner = openSqliteStore(database.url.slice("sqlite:".length), Date.now);
  const store = controlled(inner);
  await store.recordEvents(true);
  const newCaller = async (): Promise<Caller> => {
    const { stored } = newKey("production", {
      name: "test",
      scopes: ["events:read"],
      createdAt: 0,
      expiresAt: null,
    });
    return { key: await store.addKey(stored), hash: stored.hash };
  };
  const caller = await newCaller();
  const emitted: Observation[] = [];
  const emit = (event: Observation) => void emitted.push(event);
  const ended: EndedStream[] = [];
  const observer = { answered() {}, streamEnded: (stream: EndedStream) => void ended.push(stream) };
  const feed = new Feed(store, emit);
  const hub = new EventHub({ feed, store, clock: Date.now, streamsMax: 2000, heartbeatMs, observer });
  const pageAfter = (after: bigint | undefined, limit = 100) =>
    inner.listEvents({ types: EVENT_TYPES, after, limit }) as EventPage;
  return {
    emitted,
    ended,
    store,
    hub,
    database,
    newCaller,
    pageAfter,
    /** Opens a stream, and tells what it has sent and whether it has ended. */
    listen({ types = EVENT_TYPES, after, limit, page, isSilent = false, by = caller, asOf }: Listening) {
      const state = {
        text: "",
        hasEnded: false,
        isAbandoned: false,
        ids: () => [...state.text.matchAll(/^id: (\d+)\nevent/gm)].map(([, id]) => BigInt(id as string)),
        /** The hub looks for news many times between two heartbeats. */
        heartbeats: () => state.text.split("\n:\n").length - 1,
        cancel: () => reader.cancel(),
        async read() {
          for (;;) {
            const { done, value } = await reader.read();
            if (done) break;
            state.text += utf8.decode(value);
          }
          state.hasEnded = true;
        },
      };
      const listener = {
        requestId: "test",
        ...by,
        asOf: asOf ?? store.revisionAtHand(),
        abandon() {
          state.isAbandoned = true;
        },
      };
      const reader = hub.open({ types, page: page ?? pageAfter(after, limit) }, listener).getReader();
      if (!isSilent) state.read();
      return state;
    },
    async [Symbol.asyncDispose]() {
      hub.close();
      await store.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

const idOf = async (store: ControlledStore): Promise<ChangeEvent["id"]> => store.newestEventId();

test("streams end when another server takes over, also if a client connects to that one first", async () => {
  await using setup = await start();
  const { store, listen, ended } = setup;
  const stream = listen({ after: await idOf(store) });
  await store.addAnimal(REX);
  await until(() => stream.text.includes("animal.created"));
  store.epoch++;
  listen({ after: await idOf(store) });
  await until(() => stream.hasEnded);
  expect(ended[0]).toMatchObject({ end: "failover", eventsSent: 1 });
});

test("a client that disconnects while events are read for it does not affect the position of later streams", async () => {
  await using setup = await start();
  const { store, hub, listen } = setup;
  for (let n = 0; n < 3; n++) await store.addAnimal(REX);
  const { promise, resolve } = Promise.withResolvers<void>();
  store.held = promise;
  const first = listen({ limit: 1 });
  await until(() => store.readsHeld > 0);
  await first.cancel();
  expect(hub.streams.size).toBe(0);
  resolve();
  store.held = undefined;
  await Bun.sleep(0);
  await store.addAnimal(REX);
  await store.deleteExpiredEvents(Date.now() + 1000);
  const second = listen({ after: await idOf(store) });
  await store.addAnimal(REX);
  await until(() => second.text.includes("animal.created") || second.hasEnded);
  expect(second.hasEnded).toBe(false);
});

test("a reader of the feed that has left does not wait for news", async () => {
  await using setup = await start();
  const { store } = setup;
  const feed = new Feed(store, () => {});
  const position = await idOf(store);
  const reader = new FeedReader(feed, {
    types: EVENT_TYPES,
    position,
    more: false,
    asOf: store.revisionAtHand(),
  });
  reader.leave();
  expect(reader.next()).toBeUndefined();
});

test("an event that cannot be rendered ends the streams, which must not skip it", async () => {
  await using setup = await start();
  const { store, hub, listen, database } = setup;
  const before = await idOf(store);
  const stream = listen({ after: before });
  const { promise, resolve } = Promise.withResolvers<void>();
  store.held = promise;
  await store.addAnimal(REX);
  // By hand, in another unit: past every date.
  await database.query(`UPDATE event SET at = 9000000000000000000 WHERE id > ${before}`);
  store.held = undefined;
  resolve();
  await Bun.sleep(0);
  await store.addAnimal(REX);
  await until(() => stream.hasEnded || stream.text.includes("animal.created"));
  expect(stream.hasEnded).toBe(true);
  expect(() => listen({ after: before })).toThrow(RangeError);
  expect(hub.streams.size).toBe(0);
});

test("a feed that cannot be read is reported once for each cause, and streams continue when it can", async () => {
  await using setup = await start();
  const { store, listen, emitted } = setup;
  const stream = listen({ after: await idOf(store) });
  const reports = () =>
    emitted.map((event) => (event.event === "feed_failed" ? (event.error as Error).message : event.event));
  store.held = failing("no connection");
  await store.addAnimal(REX);
  await until(() => store.readsHeld === 3);
  expect(reports()).toEqual(["no connection"]);
  store.held = failing("read-only");
  await until(() => store.readsHeld === 5);
  expect(reports()).toEqual(["no connection", "read-only"]);
  store.held = undefined;
  await until(() => stream.hasEnded || stream.text.includes("animal.created"));
  expect(stream.hasEnded).toBe(false);
  store.held = failing("no connection");
  await store.addAnimal(REX);
  await until(() => reports().length === 3);
  expect(reports()[2]).toBe("no connection");
});

/** A live stream that got two events at once, and a page that ends between them. */
async function aheadOfPage({ store, listen }: Awaited<ReturnType<typeof start>>) {
  const live = listen({});
  const { promise, resolve } = Promise.withResolvers<void>();
  store.held = promise;
  await store.addAnimal(REX);
  const page = { items: [], more: false, newest: await idOf(store) };
  await store.addAnimal(REX);
  store.held = undefined;
  resolve();
  await until(() => live.ids().length === 2);
  return { page, live };
}

test("a stream whose page is older than what live streams have reads on before it is live", async () => {
  await using setup = await start();
  const { store, listen } = setup;
  const { page, live } = await aheadOfPage(setup);
  const late = listen({ page });
  await store.addAnimal(REX);
  await until(() => live.ids().length === 3 && late.ids().at(-1) === live.ids().at(-1));
  expect(late.ids()).toEqual(live.ids().slice(1));
});

test("a stream whose page is newer than what live streams have gets no event twice", async () => {
  await using setup = await start();
  const { store, listen } = setup;
  const live = listen({});
  const { promise, resolve } = Promise.withResolvers<void>();
  store.held = promise;
  await store.addAnimal(REX);
  await until(() => store.readsHeld > 0);
  const ahead = listen({});
  expect((await store.newestEventId()) > 0n).toBe(true);
  // The read that was held up finds what `ahead` has, and more.
  await store.addAnimal(REX);
  store.held = undefined;
  resolve();
  await until(() => live.ids().length === 2 && ahead.ids().at(-1) === live.ids().at(-1));
  expect(ahead.ids()).toEqual(live.ids());
});

test("a stream whose reads are behind those of others reads again, with growing pauses", async () => {
  await using setup = await start();
  const { store, listen } = setup;
  const { page } = await aheadOfPage(setup);
  store.stale = page;
  using sleep = spyOn(Bun, "sleep");
  const pauses = () => sleep.mock.calls.map(([pause]) => pause).filter((pause) => pause !== LOOK_EVERY_MS);
  const behind = listen({ page });
  await until(() => pauses().length >= 5);
  expect(pauses().slice(0, 5)).toEqual([10, 20, 40, 80, 160]);
  store.stale = undefined;
  await until(() => behind.ids().length === 1);
});

test("streams that catch up from the same position share each read", async () => {
  await using setup = await start();
  const { store, listen } = setup;
  const created = 1000;
  await Promise.all(Array.from({ length: created }, () => store.addAnimal(REX)));
  const streams = Array.from({ length: 20 }, () => listen({ limit: 1 }));
  await until(() => streams.every((stream) => stream.ids().length === created));
  expect(new Set(store.reads).size).toBe(store.reads.length);
});

test("keys that have changed are looked up together, each once however many streams it has, a bounded number in a turn", async () => {
  await using setup = await start();
  const { store, listen, newCaller, hub, ended } = setup;
  const callers = await Promise.all(Array.from({ length: 350 }, newCaller));
  const page = { items: [], more: false, newest: await idOf(store) };
  for (const by of callers) for (let stream = 0; stream < 3; stream++) listen({ by, page });
  expect(hub.streams.size).toBe(3 * callers.length);
  let most = 0;
  let isCounting = true;
  let before = 0;
  setImmediate(function count() {
    most = Math.max(most, store.lookups.length - before);
    before = store.lookups.length;
    if (isCounting) setImmediate(count);
  });
  const revoked = callers[200] as Caller;
  await store.revokeKey(revoked.key.id, Date.now());
  await until(() => ended.length === 3 && store.lookups.length >= callers.length);
  // The look-ups may have been in this very turn.
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  isCounting = false;
  expect(new Set(store.lookups.map((hash) => Buffer.from(hash).toString("hex"))).size).toBe(callers.length);
  expect(store.lookups.length).toBe(callers.length);
  // Two turns of the hub may fall between two counts.
  expect(most).toBeLessThanOrEqual(200);
  expect(hub.streams.size).toBe(3 * (callers.length - 1));
  expect(ended.map(({ end, keyId }) => [end, keyId])).toEqual(Array(3).fill(["key_ended", revoked.key.id]));
});

test("a stream ends if its key was revoked before it was opened, although others have been checked since", async () => {
  await using setup = await start();
  const { store, listen, newCaller } = setup;
  const revoked = await newCaller();
  const asOf = store.revisionAtHand();
  const other = listen({});
  await store.revokeKey(revoked.key.id, Date.now());
  await until(() => store.lookups.length === 1);
  await new Promise(setImmediate);
  const late = listen({ by: revoked, asOf });
  await until(() => late.hasEnded || late.heartbeats() > 2);
  expect(late.hasEnded).toBe(true);
  expect(other.hasEnded).toBe(false);
});

test("a stream ends if its key was revoked before it was opened while others were checked", async () => {
  await using setup = await start();
  const { store, listen, newCaller, hub } = setup;
  const revoked = await newCaller();
  const page = { items: [], more: false, newest: await idOf(store) };
  // More keys than are looked up in one turn.
  for (const by of await Promise.all(Array.from({ length: 150 }, newCaller))) listen({ by, page });
  const asOf = store.revisionAtHand();
  await store.revokeKey(revoked.key.id, Date.now());
  while (store.lookups.length === 0) await new Promise(setImmediate);
  expect(store.lookups.length).toBeLessThan(hub.streams.size);
  const late = listen({ by: revoked, asOf, page });
  await until(() => late.hasEnded || late.heartbeats() > 2);
  expect(late.hasEnded).toBe(true);
  expect(hub.streams.size).toBe(150);
});

test("a stream ends when its key loses a scope", async () => {
  await using setup = await start();
  const { store, listen, database } = setup;
  const stream = listen({});
  await store.addAnimal(REX);
  await until(() => stream.ids().length === 1);
  await database.query(`UPDATE api_key SET scopes = '["pets:read"]'`);
  await until(() => stream.hasEnded);
});

test("a client that leaves heartbeats unread is disconnected", async () => {
  await using setup = await start();
  const { hub, listen, ended } = setup;
  const silent = listen({ isSilent: true });
  const reading = listen({});
  await until(() => ended.length > 0);
  expect(ended).toMatchObject([{ end: "not_reading", eventsSent: 0 }]);
  expect([silent.isAbandoned, reading.hasEnded, hub.streams.size]).toEqual([true, false, 1]);
});

test("a client that reads slowly has at most one page waiting, and gets every event", async () => {
  await using setup = await start(1_000_000);
  const { store, hub, listen } = setup;
  const created = 1000;
  const reading = listen({});
  const slow = listen({ isSilent: true });
  await Promise.all(Array.from({ length: created }, () => store.addAnimal(REX)));
  await until(() => reading.ids().length === created);
  expect(hub.eventsSent).toBeLessThanOrEqual(created + LIMIT_MAX);
  slow.read();
  await until(() => slow.ids().length === created);
  expect(slow.ids()).toEqual(reading.ids());
});

test("a heartbeat sends a position that no event of the stream's types has sent", async () => {
  await using setup = await start();
  const { store, listen } = setup;
  const stream = listen({ types: ["order.placed"] });
  await store.addAnimal(REX);
  const id = await idOf(store);
  await until(() => stream.text.includes(`:\nid: ${id}\n\n`));
  expect(stream.ids()).toEqual([]);
});

test("a heartbeat sends a position after the last event of the stream's types", async () => {
  await using setup = await start();
  const { store, listen } = setup;
  await store.addAnimal(REX);
  await store.placeOrder({ petId: 1n });
  const id = await idOf(store);
  const stream = listen({ types: ["order.placed"], page: setup.pageAfter(undefined) });
  await until(() => stream.text.includes(`:\nid: ${id}\n\n`));
  expect(stream.ids()).toEqual([id - 1n]);
});

test("a stream without events sends its position at once, so that a client can resume", async () => {
  await using setup = await start(60_000);
  const { store, listen, pageAfter } = setup;
  const begin = await idOf(store);
  const empty = listen({});
  await until(() => empty.text === `retry: 2000\n\nid: ${begin}\n\n`);
  await store.addAnimal(REX);
  const id = await idOf(store);
  const latest = listen({ after: id });
  await until(() => latest.text === `retry: 2000\n\nid: ${id}\n\n`);
  const whole = listen({ page: pageAfter(undefined) });
  await until(() => whole.ids().length === 1);
  expect(whole.text).not.toContain(`id: ${id}\n\n`);
});

test("all streams end when the hub closes, and each logs the reason once", async () => {
  await using setup = await start();
  const { hub, listen, ended } = setup;
  const streams = [listen({}), listen({})];
  await (streams[0] as (typeof streams)[0]).cancel();
  hub.close();
  await until(() => streams[1]?.hasEnded);
  expect(ended.map(({ end }) => end)).toEqual(["client_left", "stopping"]);
  expect(hub.refusal).toBe("stopping");
});
