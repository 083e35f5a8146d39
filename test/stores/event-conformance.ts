import { describe, expect, test } from "bun:test";
import type { Animal } from "../../src/domain/animal.ts";
import {
  type ChangeEvent,
  EVENT_TYPES,
  type EventPage,
  type EventType,
} from "../../src/domain/change-event.ts";
import { digestOf, digestOfOrder } from "../../src/domain/idempotency.ts";
import { INT64_MAX, INT64_MIN } from "../../src/domain/int64.ts";
import type { Order } from "../../src/domain/order.ts";
import type { FeedStore, Store } from "../../src/domain/store.ts";
import { openStore } from "../../src/stores/open.ts";
import type { TestDatabase } from "../support/database.ts";
import { openPlace } from "./place.ts";
import { addAnimal, addAnimals, place } from "./stock-and-orders.ts";
import { visit } from "./visit.ts";

const rex = { name: "Rex", categoryId: 1n, status: "available" } as const;

/** Tests an engine against `FeedStore` in `src/domain/store.ts`: every engine runs this suite. */
export function eventConformance(
  engine: string,
  openFresh: () => Promise<TestDatabase>,
  openAt: (url: string, clock: () => number) => Promise<Store> = openStore,
): void {
  const fresh = (clock?: () => number) => openPlace(openFresh, openAt, clock);
  /** A store that records. */
  const recording = async (clock?: () => number) => {
    const stores = await fresh(clock);
    await stores.store.recordEvents(true);
    return stores;
  };

  describe(`${engine}: events`, () => {
    test("are not recorded at first", async () => {
      await using stores = await fresh();
      const { store } = stores;
      await place(store, await addAnimal(store));
      expect(await store.feedState()).toEqual({ isRecording: false, expiredThrough: 0n });
      expect(await store.newestEventId()).toBe(0n);
      expect(await list(store)).toEqual({ items: [], more: false, newest: 0n });
    });

    test("are recorded by every instance and process once one of them has switched recording on", async () => {
      await using stores = await fresh();
      const { store } = stores;
      const other = await stores.open();
      await addAnimal(store);
      await other.recordEvents(true);
      const states = [await store.feedState(), await other.feedState()];
      expect(states.map(({ isRecording }) => isRecording)).toEqual([true, true]);
      await addAnimal(store);
      await addAnimal(other);
      await visit(stores.url, "add", "visitor", "2");
      await place(store, 1n);
      for (const reader of [store, other]) {
        expect((await walk(reader)).map(nameOf)).toEqual([
          "animal.created 2 available",
          "animal.created 3 available",
          "animal.created 4 available",
          "animal.created 5 available",
          "order.placed 1 placed",
          "animal.status_changed 1 pending",
        ]);
      }
    });

    test("hold the animal or the order as it was after the change, to the last digit", async () => {
      let now = 1_000;
      await using stores = await recording(() => now);
      const { store } = stores;
      const given = [
        { name: "  '\"\\ 👩🏽‍🚀\n", categoryId: INT64_MAX, status: "available" },
        { name: "x".repeat(255), categoryId: INT64_MIN, status: "sold" },
      ] as const;
      for (const animal of given) await store.addAnimal(animal);
      now = 2_000;
      const order = await place(store, 1n);
      now = 3_000;
      await store.updateOrder(order.id, "approved");
      now = 4_000;
      await store.updateOrder(order.id, "delivered");
      const [first, second] = given.map((animal, n) => ({ id: BigInt(n + 1), ...animal }));
      expect((await walk(store)).map(({ id: _, ...event }) => event)).toEqual([
        { type: "animal.created", at: 1_000, animal: first as Animal },
        { type: "animal.created", at: 1_000, animal: second as Animal },
        { type: "order.placed", at: 2_000, order },
        { type: "animal.status_changed", at: 2_000, animal: { ...(first as Animal), status: "pending" } },
        {
          type: "order.status_changed",
          at: 3_000,
          order: { ...order, status: "approved", updatedAt: 3_000 },
        },
        {
          type: "order.status_changed",
          at: 4_000,
          order: { ...order, status: "delivered", updatedAt: 4_000 },
        },
        { type: "animal.status_changed", at: 4_000, animal: { ...(first as Animal), status: "sold" } },
      ]);
    });

    test("keep all digits of the ids of animals and orders", async () => {
      await using stores = await recording();
      const { store } = stores;
      await stores.place.query(
        `INSERT INTO animal (id, name, category_id, status) VALUES (${INT64_MAX}, 'Rex', 1, 'available')`,
      );
      await stores.place.query(
        `INSERT INTO store_order (id, animal_id, status, placed_at, updated_at) VALUES (${INT64_MAX - 1n}, ${INT64_MAX}, 'placed', 1, 1)`,
      );
      await store.updateOrder(INT64_MAX - 1n, "cancelled");
      expect((await walk(store)).map(nameOf)).toEqual([
        `order.status_changed ${INT64_MAX - 1n} cancelled`,
        `animal.status_changed ${INT64_MAX} available`,
      ]);
    });

    test("report an approval as a change of the order, and a cancellation as changes of the order and its animal", async () => {
      await using stores = await recording();
      const { store } = stores;
      const { id } = await place(store, await addAnimal(store));
      const { newest } = await list(store);
      await store.updateOrder(id, "approved");
      await store.updateOrder(id, "cancelled");
      expect((await walk(store, newest)).map(nameOf)).toEqual([
        "order.status_changed 1 approved",
        "order.status_changed 1 cancelled",
        "animal.status_changed 1 available",
      ]);
    });

    test("report nothing if nothing changed", async () => {
      await using stores = await recording();
      const { store } = stores;
      const create = { line: 1, key: "create", digest: digestOf(rex) };
      const order = { line: 1, key: "order", digest: digestOfOrder({ petId: 1n }) };
      await store.addAnimal(rex, create);
      await store.placeOrder({ petId: 1n }, order);
      const before = await walk(store);
      expect(before).toHaveLength(3);
      await Promise.allSettled([
        store.addAnimal(rex, create),
        store.addAnimal({ ...rex, name: "Mia" }, { ...create, digest: "0".repeat(64) }),
        store.addAnimal({ ...rex, name: "" }),
        store.addAnimal({ ...rex, name: "" }, { ...create, key: "bad" }),
        store.placeOrder({ petId: 1n }, order),
        store.placeOrder({ petId: 1n }, { ...order, key: "" }),
        store.placeOrder({ petId: 1n }),
        store.placeOrder({ petId: 9n }),
        store.updateOrder(1n, "placed"),
        store.updateOrder(1n, "delivered"),
        store.updateOrder(9n, "cancelled"),
      ]);
      expect(await walk(store)).toEqual(before);
    });

    test("report each change of a batch once, although others of the batch are refused or repeated", async () => {
      await using stores = await recording();
      const { store } = stores;
      const idempotency = { line: 1, key: "k", digest: digestOf(rex) };
      await store.addAnimal(rex, idempotency);
      const { newest } = await list(store);
      await Promise.allSettled([
        store.addAnimal({ ...rex, name: "a" }),
        store.addAnimal(rex, idempotency),
        store.addAnimal({ ...rex, name: "" }),
        store.addAnimal({ ...rex, name: "b" }, { ...idempotency, key: "l" }),
        store.addAnimal({ ...rex, name: "c" }),
      ]);
      const events = await walk(store, newest);
      expect(events.map((event) => "animal" in event && event.animal.name)).toEqual(["a", "b", "c"]);
    });
  });

  describe(`${engine}: the feed`, () => {
    test("can be listed by type, after an id and up to a limit, and says whether more events follow", async () => {
      await using stores = await recording();
      const { store } = stores;
      const animals = await addAnimals(store, 12);
      for (const [n, id] of animals.slice(0, 8).entries()) {
        const order = await place(store, id);
        if (n % 2 === 0) await store.updateOrder(order.id, "approved");
        if (n % 3 === 0) await store.updateOrder(order.id, "cancelled");
      }
      const all = await walk(store);
      const newest = all.at(-1)?.id as bigint;
      expect(await store.newestEventId()).toBe(newest);
      for (let set = 1; set < 2 ** EVENT_TYPES.length; set++) {
        const types = EVENT_TYPES.filter((_, n) => set & (1 << n));
        const matching = all.filter(({ type }) => types.includes(type));
        expect(await walk(store, undefined, types)).toEqual(matching);
        for (const after of [undefined, all[0]?.id, all[15]?.id, newest]) {
          const rest = matching.filter(({ id }) => id > (after ?? 0n));
          for (const limit of [1, 7, rest.length, 100].filter((limit) => limit > 0)) {
            const items = rest.slice(0, limit);
            const page = { items, more: rest.length > limit, newest };
            expect(await store.listEvents({ types, after, limit })).toEqual(page);
          }
        }
      }
    });

    test("can be read from any event, even from one in the middle of a batch of creates", async () => {
      await using stores = await recording();
      const { store } = stores;
      await addAnimals(store, 250);
      await place(store, 1n);
      await addAnimals(store, 30);
      const all = await walk(store);
      expect(all.map(nameOf)).toEqual([
        ...Array.from({ length: 250 }, (_, n) => `animal.created ${n + 1} available`),
        "order.placed 1 placed",
        "animal.status_changed 1 pending",
        ...Array.from({ length: 30 }, (_, n) => `animal.created ${n + 251} available`),
      ]);
      const created = all.filter(({ type }) => type === "animal.created");
      for (let position = 0; position < all.length; position += 7) {
        const after = all[position]?.id as bigint;
        for (const limit of [1, 40, 100]) {
          const page = await list(store, { after, limit });
          expect(page.items).toEqual(all.slice(position + 1, position + 1 + limit));
          expect(page.more).toBe(all.length > position + 1 + limit);
          const ofType = await list(store, { types: ["animal.created"], after, limit });
          expect(ofType.items).toEqual(created.filter(({ id }) => id > after).slice(0, limit));
        }
      }
    });

    test("resumes only after its own events: a position among lost events has expired", async () => {
      await using stores = await recording();
      const { store } = stores;
      // One transaction each: events of one transaction are lost together.
      for (let animal = 0; animal < 3; animal++) await addAnimal(store);
      const [first, lost, last] = (await walk(store)).map(({ id }) => id);
      await stores.place.query(`DELETE FROM event WHERE id = ${lost}`);
      for (const after of [first, last]) {
        expect(await list(store, { after })).toMatchObject({ newest: last as bigint });
      }
      for (const after of [lost, (last as bigint) + 1n, INT64_MAX]) {
        for (const types of [EVENT_TYPES, EVENT_TYPES.slice(0, 1)]) {
          expect(await events(store, { after, types })).toBe("expired");
        }
      }
    });

    test("shows events in the order of their ids, whichever instance or process writes: a reader misses none", async () => {
      await using stores = await recording();
      const both = [stores.store, await stores.open()];
      const reader = await stores.open();
      const writing = Promise.all([
        visit(stores.url, "add", "visitor", "100"),
        ...both.map(async (store) => {
          for (let round = 0; round < 10; round++) {
            const ids = await addAnimals(store, 10);
            const orders = await Promise.all(ids.slice(0, 5).map((id) => place(store, id)));
            await Promise.all([
              addAnimals(store, 5),
              ...orders.map(({ id }) => store.updateOrder(id, "cancelled")),
            ]);
          }
        }),
      ]);
      let done = false;
      void writing.finally(() => {
        done = true;
      });
      const seen: ChangeEvent[] = [];
      const look = async () => {
        const page = await list(reader, { after: seen.at(-1)?.id, limit: 50 });
        seen.push(...page.items);
        return page.more;
      };
      while (!done) {
        await look();
        await Bun.sleep(1);
      }
      await writing;
      while (await look());
      expect(seen).toEqual(await walk(reader));
      expect(seen.map(({ id }) => id)).toEqual(seen.map(({ id }) => id).toSorted(compare));
      const created = seen.flatMap((event) => (event.type === "animal.created" ? [event.animal.id] : []));
      expect(created).toEqual(Array.from({ length: 400 }, (_, n) => BigInt(n) + 1n));
      const count = (type: EventType) => seen.filter((event) => event.type === type).length;
      expect(EVENT_TYPES.map(count)).toEqual([400, 200, 100, 100]);
    });

    test("shows an event no later than the change that it reports", async () => {
      await using stores = await recording();
      const { store } = stores;
      const reader = await stores.open();
      let done = false;
      const writing = (async () => {
        for (let round = 0; round < 15; round++) {
          for (const id of await addAnimals(store, 3)) await place(store, id);
        }
      })().finally(() => {
        done = true;
      });
      const statusesOf = (events: readonly ChangeEvent[]) => {
        const statuses = new Map<bigint, string>();
        for (const event of events) if ("animal" in event) statuses.set(event.animal.id, event.animal.status);
        return statuses;
      };
      while (!done) {
        const before = statusesOf(await walk(reader));
        const { items } = await reader.listAnimals({ status: undefined, after: 0n, limit: 100 });
        const after = statusesOf(await walk(reader));
        const found = new Map(items.map(({ id, status }) => [BigInt(id), status as string]));
        for (const [id, status] of before) expect([status, "pending"]).toContain(found.get(id) ?? "missing");
        for (const [id, status] of found) expect([status, "pending"]).toContain(after.get(id) ?? "missing");
        await Bun.sleep(1);
      }
      await writing;
    });

    test("keeps what was recorded when recording ends, and lets earlier positions expire when it begins again", async () => {
      await using stores = await recording();
      const { store } = stores;
      const other = await stores.open();
      await addAnimals(store, 3);
      const { newest, items } = await list(store);
      await other.recordEvents(true);
      expect(await list(store, { after: newest })).toEqual({ items: [], more: false, newest });
      await other.recordEvents(false);
      await addAnimal(store);
      await place(store, 1n);
      expect(await list(store)).toEqual({ items, more: false, newest });
      await store.recordEvents(true);
      for (const after of [0n, items[0]?.id, newest]) expect(await events(store, { after })).toBe("expired");
      const position = await other.newestEventId();
      expect(position).toBeGreaterThan(newest);
      expect(await list(store)).toEqual({ items: [], more: false, newest: position });
      await addAnimal(other);
      const [event] = (await list(store, { after: position })).items;
      expect(nameOf(event as ChangeEvent)).toBe("animal.created 5 available");
      expect(await walk(other)).toEqual([event as ChangeEvent]);
    });

    test("deletes expired events a few at a time, oldest first, and never assigns their ids again", async () => {
      let now = 1_000;
      await using stores = await recording(() => now);
      const { store } = stores;
      const other = await stores.open();
      // Each group is one transaction, so its events may share a row.
      for (let group = 0; group < 250; group++) await addAnimals(store, 10);
      const old = await walk(store);
      now = 2_000;
      await addAnimals(store, 3);
      const young = (await walk(store)).slice(2500);
      expect(await store.deleteExpiredEvents(1_000)).toBe(0);
      const deleted: number[] = [];
      do deleted.push(await store.deleteExpiredEvents(2_000));
      while (deleted.at(-1) !== 0);
      expect(deleted.reduce((sum, count) => sum + count)).toBe(2500);
      expect(Math.max(...deleted)).toBeLessThan(2500);
      const last = old.at(-1)?.id as bigint;
      for (const reader of [store, other]) {
        expect(await walk(reader)).toEqual(young);
        expect((await list(reader, { after: last })).items).toEqual(young);
        for (const after of [0n, old[0]?.id, last - 1n])
          expect(await events(reader, { after })).toBe("expired");
      }
      now = 3_000;
      expect(await store.deleteExpiredEvents(3_000)).toBe(3);
      const newest = young.at(-1)?.id as bigint;
      expect(await list(store)).toEqual({ items: [], more: false, newest });
      await stores.close(store);
      const again = await stores.open();
      expect(await again.newestEventId()).toBe(newest);
      await addAnimal(again);
      const [event] = (await list(again, { after: newest })).items;
      expect(event?.id).toBeGreaterThan(newest);
    });

    test("deletes expired events although many before them were written while the clock was ahead", async () => {
      let now = 1_000;
      await using stores = await recording(() => now);
      const { store } = stores;
      await addAnimal(store);
      now = 9_000_000;
      for (let commit = 0; commit < 450; commit++) await addAnimal(store);
      now = 2_000;
      for (let commit = 0; commit < 300; commit++) await addAnimal(store);
      now = 3_000;
      await addAnimal(store);
      const deleted: number[] = [];
      do deleted.push(await store.deleteExpiredEvents(2_001));
      while (deleted.at(-1) !== 0);
      expect(deleted.reduce((sum, count) => sum + count)).toBe(751);
      expect(Math.max(...deleted)).toBeLessThanOrEqual(200);
      expect((await walk(store)).map(({ at }) => at)).toEqual([3_000]);
    });

    test("deletes expired events that share rows although the clock was ahead for the oldest", async () => {
      let now = 9_000_000;
      await using stores = await recording(() => now);
      const { store } = stores;
      for (let commit = 0; commit < 3; commit++) await addAnimals(store, 1000);
      now = 1_000;
      for (let commit = 0; commit < 3; commit++) await addAnimals(store, 1000);
      const deleted: number[] = [];
      do deleted.push(await store.deleteExpiredEvents(2_000));
      while (deleted.at(-1) !== 0);
      expect(deleted.reduce((sum, count) => sum + count)).toBe(6000);
      expect(Math.max(...deleted)).toBeLessThanOrEqual(3000);
    });

    test("deletes a few expired events at a time, however many share a row", async () => {
      let now = 1_000;
      await using stores = await recording(() => now);
      const { store } = stores;
      for (let commit = 0; commit < 5; commit++) await addAnimals(store, 1000);
      now = 2_000;
      const deleted: number[] = [];
      do deleted.push(await store.deleteExpiredEvents(now));
      while (deleted.at(-1) !== 0);
      expect(deleted.reduce((sum, count) => sum + count)).toBe(5000);
      expect(Math.max(...deleted)).toBeLessThanOrEqual(3000);
    });

    test.each(MALFORMED)("refuses %s, also by hand", async (_, onSqlite, onPostgres) => {
      await using stores = await recording();
      const statement = stores.url.startsWith("sqlite:") ? onSqlite : onPostgres;
      await expect(stores.place.query(statement)).rejects.toThrow(
        /CHECK|NOT NULL|null|malformed|UNIQUE|unique/,
      );
    });

    test("does not change the results of creates and orders", async () => {
      const answers = async (on: boolean) => {
        await using stores = await fresh(() => 1_000);
        const { store } = stores;
        if (on) await store.recordEvents(true);
        const animals = await Promise.all(Array.from({ length: 40 }, () => store.addAnimal(rex)));
        const orders = await Promise.all(
          animals.map((_, n) => store.placeOrder({ petId: BigInt((n % 30) + 1) })),
        );
        const updated = await Promise.all(orders.map((_, n) => store.updateOrder(BigInt(n), "approved")));
        return [animals, orders, updated] as readonly (readonly (Animal | Order | object | string)[])[];
      };
      expect(await answers(true)).toEqual(await answers(false));
    });
  });
}

type Row = Readonly<Record<string, string | number | null>>;

/**
 * A row of events that no reader could be shown, and the statements that insert it.
 *
 * @param items on SQLite, which gives the row its id
 * @param columns on PostgreSQL, where ids come from the program
 * @param events how many events the row says that it holds
 */
function malformed(what: string, type: string, items: string, columns: Row, events = 1) {
  const row = { id: 7, type, at: 1, events, ...columns };
  const values = Object.values(row).map((value) => (value === null ? "NULL" : `'${value}'`));
  return [
    what,
    `INSERT INTO event (type, at, items, events) VALUES ('${type}', 1, '${items}', ${events})`,
    `INSERT INTO event (${Object.keys(row)}) VALUES (${values})`,
  ] as const;
}

const ANIMAL: Row = { animal_ids: "{1}", names: "{Rex}", category_ids: "{1}", statuses: "{sold}" };
const WITH_ORDER: Row = { ...ANIMAL, order_id: 1, placed_at: 1 };

const MALFORMED: readonly (readonly [what: string, onSqlite: string, onPostgres: string])[] = [
  malformed("an event of another type", "animal.sold", '[["1", "Rex", "1", "sold"]]', ANIMAL),
  malformed("an event of an animal without its name", "animal.created", '[["1", "1", "sold"]]', {
    ...ANIMAL,
    names: null,
  }),
  malformed("an event of an animal without its category", "animal.status_changed", '[["1", "Rex", "sold"]]', {
    ...ANIMAL,
    category_ids: null,
  }),
  malformed("an event of an animal with an order", "animal.created", '[["1", "1", "placed", 1]]', WITH_ORDER),
  malformed(
    "an event of an animal in place of one of an order",
    "order.placed",
    '[["1", "Rex", "1", "sold"]]',
    {
      ...ANIMAL,
      statuses: "{placed}",
    },
  ),
  malformed("an event of an order without when it was placed", "order.placed", '[["1", "1", "placed"]]', {
    animal_ids: "{1}",
    statuses: "{placed}",
    order_id: 1,
  }),
  malformed("an event of an order with a name", "order.status_changed", '[["1", "1", "placed", "Rex"]]', {
    ...WITH_ORDER,
    statuses: "{placed}",
  }),
  malformed("an event without a status", "animal.created", '[["1", "Rex", "1"]]', {
    ...ANIMAL,
    statuses: null,
  }),
  malformed(
    "a row that holds fewer events than it says",
    "animal.created",
    '[["1", "Rex", "1", "sold"]]',
    ANIMAL,
    2,
  ),
  ["a second feed", "INSERT INTO feed DEFAULT VALUES", "INSERT INTO feed DEFAULT VALUES"],
];

interface Reading {
  readonly types?: readonly EventType[];
  readonly after?: bigint | undefined;
  readonly limit?: number;
}

async function events(store: FeedStore, { types = EVENT_TYPES, after, limit = 100 }: Reading) {
  return store.listEvents({ types, after, limit });
}

/** A page that has not expired. */
async function list(store: FeedStore, reading: Reading = {}): Promise<EventPage> {
  const page = await events(store, reading);
  if (page === "expired") throw new Error("expired");
  return page;
}

/** All events after one, or all that are kept, page by page. */
async function walk(store: FeedStore, after?: bigint, types = EVENT_TYPES as readonly EventType[]) {
  const all: ChangeEvent[] = [];
  for (let more = true; more; ) {
    const page = await list(store, { types, after: all.at(-1)?.id ?? after, limit: 90 });
    all.push(...page.items);
    more = page.more;
  }
  return all;
}

function nameOf(event: ChangeEvent): string {
  const { id, status } = "animal" in event ? event.animal : event.order;
  return `${event.type} ${id} ${status}`;
}

function compare(one: bigint, other: bigint): number {
  return one < other ? -1 : 1;
}
