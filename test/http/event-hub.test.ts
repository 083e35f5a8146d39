import { expect, test } from "bun:test";
import {
  type ChangeEvent,
  EVENT_TYPES,
  type EventPage,
  type EventQuery,
} from "../../src/domain/change-event.ts";
import type { Event } from "../../src/domain/event.ts";
import { StoreFailure } from "../../src/domain/failure.ts";
import type { MaybePromise } from "../../src/domain/maybe-promise.ts";
import type { Revision } from "../../src/domain/revision.ts";
import { EventHub } from "../../src/http/events/event-hub.ts";
import { newKey } from "../../src/service/new-key.ts";
import { SqliteStore } from "../../src/stores/sqlite/store.ts";
import { ObservedStore } from "../../src/telemetry/observed-store.ts";
import { createSqliteDatabase } from "../support/database.ts";
import { until } from "../support/until.ts";

const REX = { name: "Rex", categoryId: 12n, status: "available" } as const;
const utf8 = new TextDecoder();

/** A real store, whose reads of the feed can be held up, and which another server can take over. */
class ControlledStore extends ObservedStore {
  epoch = 0;
  held: Promise<void> | undefined;
  readsHeld = 0;

  constructor(store: SqliteStore) {
    super(store, (_, call) => call());
  }

  override listEvents(query: EventQuery): MaybePromise<EventPage | "expired"> {
    if (!this.held) return super.listEvents(query);
    this.readsHeld++;
    return this.held.then(() => super.listEvents(query));
  }

  override revisionAtHand(): Revision {
    return { ...(super.revisionAtHand() as Revision), epoch: this.epoch };
  }

  override together<Result>(work: (revision: MaybePromise<Revision>) => Result): Result {
    return super.together(() => work(this.revisionAtHand()));
  }
}

function failing(message: string): Promise<void> {
  const failure = Promise.reject(new StoreFailure("store_unavailable", message));
  failure.catch(() => {});
  return failure;
}

async function start() {
  const database = await createSqliteDatabase();
  const inner = new SqliteStore(database.url.slice("sqlite:".length), Date.now);
  const store = new ControlledStore(inner);
  await store.recordEvents(true);
  const { stored } = newKey("production", {
    name: "test",
    scopes: ["events:read"],
    createdAt: 0,
    expiresAt: null,
  });
  const key = await store.addKey(stored);
  const emitted: Event[] = [];
  const emit = (event: Event) => void emitted.push(event);
  const hub = new EventHub({ store, clock: Date.now, streamsMax: 10, heartbeatMs: 15_000, emit });
  return {
    emitted,
    store,
    hub,
    database,
    /** Opens a stream after an event, and tells what it has sent and whether it has ended. */
    listen(after: bigint | undefined, limit = 100) {
      const page = inner.listEvents({ types: EVENT_TYPES, after, limit }) as EventPage;
      const listener = { key, hash: stored.hash, asOf: store.revisionAtHand() };
      const reader = hub.open({ types: EVENT_TYPES, page }, listener, () => {}).getReader();
      const state = { text: "", hasEnded: false, cancel: () => reader.cancel() };
      void (async () => {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) break;
          state.text += utf8.decode(value);
        }
        state.hasEnded = true;
      })();
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
  const { store, listen } = setup;
  const stream = listen(await idOf(store));
  await store.addAnimal(REX);
  await until(() => stream.text.includes("animal.created"));
  store.epoch++;
  listen(await idOf(store));
  await until(() => stream.hasEnded);
});

test("a client that leaves while events are read for it leaves no position to later streams", async () => {
  await using setup = await start();
  const { store, hub, listen } = setup;
  for (let n = 0; n < 3; n++) await store.addAnimal(REX);
  const { promise, resolve } = Promise.withResolvers<void>();
  store.held = promise;
  const first = listen(undefined, 1);
  await until(() => store.readsHeld > 0);
  await first.cancel();
  expect(hub.count).toBe(0);
  resolve();
  store.held = undefined;
  await Bun.sleep(0);
  await store.addAnimal(REX);
  await store.deleteExpiredEvents(Date.now() + 1000);
  const second = listen(await idOf(store));
  await store.addAnimal(REX);
  await until(() => second.text.includes("animal.created") || second.hasEnded);
  expect(second.hasEnded).toBe(false);
});

test("an event that cannot be shown ends the streams: they must not pass over it", async () => {
  await using setup = await start();
  const { store, hub, listen, database } = setup;
  const before = await idOf(store);
  const stream = listen(before);
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
  expect(() => listen(before)).toThrow(RangeError);
  expect(hub.count).toBe(0);
});

test("a feed that cannot be read is reported once for each cause, and streams go on when it can", async () => {
  await using setup = await start();
  const { store, listen, emitted } = setup;
  const stream = listen(await idOf(store));
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
