import { describe, expect, test } from "bun:test";
import { type Animal, type ReadAnimal, STATUSES } from "../../src/domain/animal.ts";
import { hashApiKey } from "../../src/domain/api-key.ts";
import {
  digestOf,
  digestOfOrder,
  IDEMPOTENCY_TTL_MS,
  type Idempotency,
} from "../../src/domain/idempotency.ts";
import { INT64_MAX, INT64_MIN } from "../../src/domain/int64.ts";
import {
  mayBecome,
  ORDER_STATUSES,
  type Order,
  type OrderStatus,
  type ReadOrder,
} from "../../src/domain/order.ts";
import { SORTS, START } from "../../src/domain/page.ts";
import type { Revision } from "../../src/domain/revision.ts";
import { KeysChanged, type OrderStore, type Store } from "../../src/domain/store.ts";
import { openStore } from "../../src/stores/open.ts";
import type { TestDatabase } from "../support/database.ts";
import { revisionOf } from "../support/revision-of.ts";
import { exact } from "./exact.ts";
import { ordersByHand } from "./orders-by-hand.ts";
import { openPlace } from "./place.ts";
import { addAnimal, addAnimals, expectAgreement, place, statusOf, walkOrders } from "./stock-and-orders.ts";

/** The steps that lead to each status. */
const WAY: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  placed: [],
  approved: ["approved"],
  delivered: ["approved", "delivered"],
  cancelled: ["cancelled"],
};
/** What an order's status says about its animal; no order says that an animal is anything but available. */
const ANIMAL = { placed: "pending", approved: "pending", delivered: "sold", cancelled: "available" } as const;

const rex = { name: "Rex", categoryId: 1n, status: "available" } as const;

/** Tests an engine against `OrderStore` in `src/domain/store.ts`: every engine runs this suite. */
export function orderConformance(
  engine: string,
  openFresh: () => Promise<TestDatabase>,
  openAt: (url: string, clock: () => number) => Promise<Store> = openStore,
): void {
  const fresh = (clock?: () => number) => openPlace(openFresh, openAt, clock);

  describe(`${engine}: an order`, () => {
    test("makes an available animal pending on every instance at once", async () => {
      await using stores = await fresh(() => 1_000);
      const other = await stores.open();
      const [first, second] = await addAnimals(stores.store, 2);
      const placed = await place(stores.store, second as bigint);
      const expected = { id: 1n, petId: second as bigint, status: "placed", placedAt: 1000, updatedAt: 1000 };
      expect(placed).toEqual(expected as Order);
      for (const store of [stores.store, other]) {
        expect(await store.findOrder(1n)).toEqual(placed);
        expect(await walkOrders(store)).toEqual([placed]);
        expect([await statusOf(store, first as bigint), await statusOf(store, second as bigint)]).toEqual([
          "available",
          "pending",
        ]);
        const pending = await store.listAnimals({ status: "pending", after: 0n, limit: 10 });
        expect(pending.items.map(({ id }) => BigInt(id))).toEqual([second as bigint]);
      }
    });

    test("gets the next id, in the order of arrival", async () => {
      await using stores = await fresh();
      const animals = await addAnimals(stores.store, 300);
      const orders = await Promise.all(animals.map((id) => place(stores.store, id)));
      expect(orders.map(({ id, petId }) => [id, petId])).toEqual(
        animals.map((petId, n) => [BigInt(n) + 1n, petId]),
      );
      expect(await walkOrders(stores.store)).toEqual(orders);
    });

    test("is refused for an unknown animal", async () => {
      await using stores = await fresh();
      await addAnimal(stores.store);
      for (const id of [INT64_MIN, -1n, 0n, 2n, 2n ** 53n + 1n, INT64_MAX]) {
        expect(await stores.store.placeOrder({ petId: id })).toBe("animal_not_found");
      }
      expect(await walkOrders(stores.store)).toEqual([]);
    });

    test.each(["pending", "sold"] as const)(
      "is refused for an animal that was added as %s",
      async (status) => {
        await using stores = await fresh();
        const id = await addAnimal(stores.store, status);
        expect(await stores.store.placeOrder({ petId: id })).toEqual({ unavailable: status });
        expect(await walkOrders(stores.store)).toEqual([]);
        expect(await statusOf(stores.store, id)).toBe(status);
      },
    );

    test("is refused for an animal that is ordered or sold, and accepted again once the order is cancelled", async () => {
      await using stores = await fresh();
      const { store } = stores;
      const petId = await addAnimal(store);
      const first = await place(store, petId);
      expect(await store.placeOrder({ petId })).toEqual({ unavailable: "pending" });
      await store.updateOrder(first.id, "approved");
      expect(await store.placeOrder({ petId })).toEqual({ unavailable: "pending" });
      await store.updateOrder(first.id, "cancelled");
      const second = await place(store, petId);
      expect(second).toMatchObject({ id: 2n, petId, status: "placed" });
      await store.updateOrder(second.id, "approved");
      await store.updateOrder(second.id, "delivered");
      expect(await store.placeOrder({ petId })).toEqual({ unavailable: "sold" });
      expect((await walkOrders(store)).map(({ status }) => status)).toEqual(["cancelled", "delivered"]);
      await expectAgreement(store);
    });

    test("keeps all digits of its ids", async () => {
      await using stores = await fresh();
      const { store } = stores;
      const ids = [2n ** 53n + 1n, 2n ** 62n + 1n, INT64_MAX];
      for (const id of ids) {
        await stores.place.query(
          `INSERT INTO animal (id, name, category_id, status) VALUES (${id}, 'Rex', 1, 'available')`,
        );
        await stores.place.query(
          `INSERT INTO store_order (id, animal_id, status, placed_at, updated_at) VALUES (${id}, ${id}, 'placed', 1, 1)`,
        );
      }
      const orders = ids.map(
        (id) => ({ id, petId: id, status: "placed", placedAt: 1, updatedAt: 1 }) as const,
      );
      expect(await walkOrders(store)).toEqual(orders);
      for (const order of orders) {
        expect(await store.findOrder(order.id)).toEqual(order);
        expect(await walkOrders(store, { petId: order.petId })).toEqual([order]);
        expect(await store.placeOrder({ petId: order.petId })).toEqual({ unavailable: "pending" });
        expect(await store.updateOrder(order.id, "cancelled")).toMatchObject({
          id: order.id,
          petId: order.petId,
        });
        expect(await statusOf(store, order.petId)).toBe("available");
      }
      for (const id of [INT64_MIN, -1n, 0n, 2n ** 53n]) expect(await store.findOrder(id)).toBe(undefined);
    });

    test("that is being placed when the store closes is stored and acknowledged", async () => {
      await using stores = await fresh();
      const animals = await addAnimals(stores.store, 50);
      const placing = animals.map((id) => place(stores.store, id));
      await stores.close(stores.store);
      const placed = await Promise.all(placing);
      expect(await walkOrders(await stores.open())).toEqual(placed);
    });

    test("that the engine refuses fails alone, and leaves its animal available", async () => {
      await using stores = await fresh();
      const { store } = stores;
      const [one, two, three] = (await addAnimals(store, 3)) as [bigint, bigint, bigint];
      const outcomes = await Promise.allSettled([
        store.placeOrder({ petId: one }),
        store.placeOrder({ petId: two }, idempotencyOf(two, { key: "" })),
        store.placeOrder({ petId: three }, idempotencyOf(three)),
        store.placeOrder({ petId: 9n }),
        store.placeOrder({ petId: one }),
        store.updateOrder(7n, "approved"),
      ]);
      expect(outcomes.map((outcome) => (outcome.status === "rejected" ? "rejected" : outcome.value))).toEqual(
        [
          expect.objectContaining({ petId: one, status: "placed" }),
          "rejected",
          expect.objectContaining({ petId: three, status: "placed" }),
          "animal_not_found",
          { unavailable: "pending" },
          "order_not_found",
        ],
      );
      expect(await statusOf(store, two)).toBe("available");
      expect((await walkOrders(store)).map(({ petId }) => petId)).toEqual([one, three]);
      expect(await place(store, two)).toMatchObject({ petId: two });
    });
  });

  describe(`${engine}: an order's status`, () => {
    const steps = ORDER_STATUSES.flatMap((from) => ORDER_STATUSES.map((to) => [from, to] as const));

    test.each(steps)("changes from %s to %s, or is refused, as the rules of orders say", async (from, to) => {
      let now = 1_000;
      await using stores = await fresh(() => now);
      const other = await stores.open();
      const petId = await addAnimal(stores.store);
      const { id } = await place(stores.store, petId);
      for (const status of WAY[from])
        expect(await stores.store.updateOrder(id, status)).toMatchObject({ status });
      const before = (await stores.store.findOrder(id)) as Order;
      expect(before).toMatchObject({ status: from, placedAt: 1_000 });
      now = 2_000;
      const result = await other.updateOrder(id, to);
      const after = mayBecome(from, to) ? { ...before, status: to, updatedAt: 2_000 } : before;
      expect(result).toEqual(mayBecome(from, to) || from === to ? after : { invalidFrom: from });
      for (const store of [stores.store, other]) {
        expect(await store.findOrder(id)).toEqual(after);
        expect(await statusOf(store, petId)).toBe(ANIMAL[after.status]);
      }
    });

    test("cannot be set for an unknown order", async () => {
      await using stores = await fresh();
      for (const id of [INT64_MIN, 0n, 1n, INT64_MAX]) {
        expect(await stores.store.updateOrder(id, "cancelled")).toBe("order_not_found");
      }
    });

    test("never gets a time before its previous one, even if the clock is set back", async () => {
      let now = 5_000;
      await using stores = await fresh(() => now);
      const { id } = await place(stores.store, await addAnimal(stores.store));
      now = 4_000;
      expect(await stores.store.updateOrder(id, "approved")).toMatchObject({
        placedAt: 5_000,
        updatedAt: 5_000,
      });
      now = 6_000;
      expect(await stores.store.updateOrder(id, "delivered")).toMatchObject({ updatedAt: 6_000 });
      expect(await stores.store.findOrder(id)).toMatchObject({ placedAt: 5_000, updatedAt: 6_000 });
    });

    test("may change several times in one batch, in the order of the requests", async () => {
      await using stores = await fresh();
      const petId = await addAnimal(stores.store);
      const { id } = await place(stores.store, petId);
      const asked = ["approved", "delivered", "delivered", "cancelled"] as const;
      const results = await Promise.all(asked.map((status) => stores.store.updateOrder(id, status)));
      expect(results).toMatchObject([
        { status: "approved" },
        { status: "delivered" },
        { status: "delivered" },
        { invalidFrom: "delivered" },
      ]);
      expect(await statusOf(stores.store, petId)).toBe("sold");
    });
  });

  describe(`${engine}: a conditional change of an order`, () => {
    test("is made if the order is as expected, and otherwise returns the order as it is", async () => {
      let now = 1_000;
      await using stores = await fresh(() => now);
      const { store } = stores;
      const placed = await place(store, await addAnimal(store));
      now = 2_000;
      expect(await store.updateOrder(placed.id, "approved", undefined, "unknown")).toEqual({
        differs: placed,
      });
      const approved = { ...placed, status: "approved", updatedAt: 2_000 } as const;
      expect(await store.updateOrder(placed.id, "approved", undefined, placed)).toEqual(approved);
      // Neither the status that it has already nor a step that it cannot take is told from another version.
      for (const status of ["approved", "placed", "delivered"] as const) {
        expect(await store.updateOrder(placed.id, status, undefined, placed)).toEqual({ differs: approved });
      }
      expect(await store.updateOrder(placed.id, "approved", undefined, approved)).toEqual(approved);
      expect(await store.updateOrder(placed.id, "placed", undefined, approved)).toEqual({
        invalidFrom: "approved",
      });
      for (const other of [
        { ...approved, petId: 9n },
        { ...approved, placedAt: 1_001 },
        { ...approved, updatedAt: 2_001 },
      ]) {
        expect(await store.updateOrder(placed.id, "cancelled", undefined, other)).toEqual({
          differs: approved,
        });
      }
      expect(await store.findOrder(placed.id)).toEqual(approved);
      expect(await store.updateOrder(9n, "cancelled", undefined, approved)).toBe("order_not_found");
    });

    test("is made once, however many instances expect the same order at once", async () => {
      await using stores = await fresh();
      const both = [stores.store, await stores.open()];
      for (const id of await addAnimals(stores.store, 10)) {
        const order = await place(stores.store, id);
        const asked = Array.from({ length: 12 }, (_, n) =>
          (both[n % 2] as Store).updateOrder(order.id, n % 3 ? "approved" : "cancelled", undefined, order),
        );
        const results = await Promise.all(asked);
        const now = await stores.store.findOrder(order.id);
        expect(results.filter((result) => Bun.deepEquals(result, now))).toHaveLength(1);
        expect(results.filter((result) => Bun.deepEquals(result, { differs: now }))).toHaveLength(11);
      }
    });
  });

  describe(`${engine}: concurrent orders`, () => {
    test("for a few animals on several instances sell each animal once", async () => {
      await using stores = await fresh();
      const both = [stores.store, await stores.open()];
      const animals = await addAnimals(stores.store, 20);
      for (let round = 0; round < 3; round++) {
        const asked = animals
          .flatMap((id) => Array.from({ length: 10 }, () => id))
          .toSorted(() => Math.random() - 0.5);
        const results = await Promise.all(
          asked.map((id, n) => (both[n % 2] as Store).placeOrder({ petId: id })),
        );
        const placed = results.filter(
          (result) => typeof result === "object" && "status" in result,
        ) as Order[];
        expect(placed.map(({ petId }) => petId).toSorted(compare)).toEqual(animals);
        expect(results.filter((result) => Bun.deepEquals(result, { unavailable: "pending" }))).toHaveLength(
          180,
        );
        await expectAgreement(stores.store);
        for (const { id } of placed) await stores.store.updateOrder(id, "cancelled");
      }
    });

    test("are either delivered or cancelled if both are asked for at once", async () => {
      await using stores = await fresh();
      const both = [stores.store, await stores.open()];
      const orders = await Promise.all(
        (await addAnimals(stores.store, 20)).map((id) => place(stores.store, id)),
      );
      await Promise.all(orders.map(({ id }) => stores.store.updateOrder(id, "approved")));
      const results = await Promise.all(
        orders.flatMap(({ id }, n) => {
          const statuses = ["delivered", "cancelled"] as const;
          return statuses.map((status, m) => (both[(n + m) % 2] as Store).updateOrder(id, status));
        }),
      );
      const won = results.filter((result) => typeof result === "object" && "status" in result);
      expect(won).toHaveLength(20);
      expect(new Set((won as Order[]).map(({ id }) => id)).size).toBe(20);
      await expectAgreement(stores.store);
    });

    test("of every kind leave animals and orders consistent", async () => {
      await using stores = await fresh();
      const both = [stores.store, await stores.open()] as const;
      const animals = await addAnimals(stores.store, 8);
      const any = <Item>(items: readonly Item[]) => items[Math.floor(Math.random() * items.length)] as Item;
      const act = (store: Store) =>
        Math.random() < 0.4
          ? store.placeOrder({ petId: any(animals) })
          : store.updateOrder(BigInt(1 + Math.floor(Math.random() * 60)), any(ORDER_STATUSES));
      for (let round = 0; round < 15; round++) {
        await Promise.all(Array.from({ length: 30 }, (_, n) => act(both[(n % 2) as 0 | 1])));
        await expectAgreement(both[1]);
      }
    });
  });

  describe(`${engine}: a repeated order`, () => {
    test("gets the first result from every instance, whatever the order's status is by then", async () => {
      let now = 1_000;
      await using stores = await fresh(() => now);
      const { store } = stores;
      const other = await stores.open();
      const petId = await addAnimal(store);
      const first = (await store.placeOrder({ petId }, idempotencyOf(petId))) as Order;
      expect(first).toMatchObject({ id: 1n, status: "placed", updatedAt: 1_000 });
      const again = async (from: OrderStore) => {
        now += 1_000;
        expect(await from.placeOrder({ petId }, idempotencyOf(petId))).toEqual({ replayed: first });
      };
      await again(store);
      await again(other);
      for (const status of ["approved", "cancelled"] as const) {
        await store.updateOrder(first.id, status);
        await again(other);
      }
      // The animal is in another order by now, and then the first order is gone.
      await place(store, petId);
      await again(store);
      await stores.place.query(`DELETE FROM store_order WHERE id = ${first.id}`);
      await again(store);
      await stores.close(store);
      await again(await stores.open());
      expect(await walkOrders(other)).toHaveLength(1);
    });

    test("that arrives together with the first places one order", async () => {
      await using stores = await fresh();
      const both = [stores.store, await stores.open()];
      const petId = await addAnimal(stores.store);
      const asking = Array.from({ length: 40 }, (_, n) =>
        (both[n % 2] as Store).placeOrder({ petId }, idempotencyOf(petId)),
      );
      const results = await Promise.all(asking);
      const placed = results.filter((result) => typeof result === "object" && "id" in result);
      expect(placed).toEqual([expect.objectContaining({ id: 1n, petId })]);
      expect(results.filter((result) => Bun.deepEquals(result, { replayed: placed[0] }))).toHaveLength(39);
      expect(await walkOrders(stores.store)).toHaveLength(1);
    });

    test("with different content is refused, and orders nothing", async () => {
      await using stores = await fresh();
      const { store } = stores;
      const [one, two] = (await addAnimals(store, 2)) as [bigint, bigint];
      await store.placeOrder({ petId: one }, idempotencyOf(one));
      expect(await store.placeOrder({ petId: two }, idempotencyOf(two))).toBe("key_reused");
      expect(await store.placeOrder({ petId: 9n }, idempotencyOf(9n))).toBe("key_reused");
      expect(await statusOf(store, two)).toBe("available");
      // Of two that arrive at once, one is first.
      const [three, four] = (await addAnimals(store, 2)) as [bigint, bigint];
      const results = await Promise.all(
        [three, four].map((id) => store.placeOrder({ petId: id }, idempotencyOf(id, { key: "at once" }))),
      );
      expect(results.filter((result) => result === "key_reused")).toHaveLength(1);
      expect(await walkOrders(store)).toHaveLength(2);
    });

    test("is not taken for a create with the same Idempotency-Key, nor a create for an order", async () => {
      await using stores = await fresh();
      const { store } = stores;
      const create = { ...idempotencyOf(1n), digest: digestOf(rex) };
      expect(await store.addAnimal(rex, create)).toMatchObject({ id: 1n });
      expect(await store.placeOrder({ petId: 1n }, idempotencyOf(1n))).toBe("key_reused");
      expect(await statusOf(store, 1n)).toBe("available");
      expect(await store.placeOrder({ petId: 1n }, idempotencyOf(1n, { key: "order" }))).toMatchObject({
        id: 1n,
      });
      expect(await store.addAnimal(rex, { ...create, key: "order" })).toBe("key_reused");
      expect(await store.addAnimal(rex, create)).toMatchObject({ replayed: { id: 1n } });
    });

    test("is a new order if the first was refused, or if another API key placed it", async () => {
      await using stores = await fresh();
      const { store } = stores;
      expect(await store.placeOrder({ petId: 1n }, idempotencyOf(1n))).toBe("animal_not_found");
      const petId = await addAnimal(store);
      const { id } = await place(store, petId);
      expect(await store.placeOrder({ petId }, idempotencyOf(petId))).toEqual({ unavailable: "pending" });
      await store.updateOrder(id, "cancelled");
      expect(await store.placeOrder({ petId }, idempotencyOf(petId))).toMatchObject({ id: 2n });
      expect(await store.placeOrder({ petId }, idempotencyOf(petId, { line: 2 }))).toEqual({
        unavailable: "pending",
      });
    });

    test("gets the first result until its record expires, which is then deleted", async () => {
      let now = 1_000_000;
      await using stores = await fresh(() => now);
      const { store } = stores;
      const petId = await addAnimal(store);
      const first = (await store.placeOrder({ petId }, idempotencyOf(petId))) as Order;
      now += IDEMPOTENCY_TTL_MS - 1;
      expect(await store.deleteExpired()).toBe(0);
      expect(await store.placeOrder({ petId }, idempotencyOf(petId))).toEqual({ replayed: first });
      now += 1;
      expect(await store.placeOrder({ petId }, idempotencyOf(petId))).toEqual({ unavailable: "pending" });
      expect(await store.deleteExpired()).toBe(1);
      expect(await store.findOrder(first.id)).toEqual(first);
    });
  });

  describe(`${engine}: a list of orders`, () => {
    test("has every filter, starts after an id, and says whether more follow", async () => {
      await using stores = await fresh();
      const { store } = stores;
      const animals = await addAnimals(store, 9);
      for (let n = 0; n < 40; n++) {
        const petId = animals[n % 4] as bigint;
        const { id } = await place(store, petId);
        if (n % 3 === 0) await store.updateOrder(id, "approved");
        await store.updateOrder(id, "cancelled");
      }
      for (const [n, status] of (
        ["placed", "approved", "delivered", "placed", "approved"] as const
      ).entries()) {
        const { id } = await place(store, animals[n] as bigint);
        for (const step of WAY[status]) await store.updateOrder(id, step);
      }
      const all = await walkOrders(store);
      expect(all).toHaveLength(45);
      for (const status of [undefined, ...ORDER_STATUSES]) {
        for (const petId of [undefined, ...animals.slice(0, 6), 99n, INT64_MIN, INT64_MAX]) {
          const matching = all.filter(
            (order) => order.status === (status ?? order.status) && order.petId === (petId ?? order.petId),
          );
          expect(await walkOrders(store, { status, petId })).toEqual(matching);
          for (const after of [0n, 1n, 20n, 44n, 45n, INT64_MAX]) {
            const rest = matching.filter(({ id }) => id > after);
            for (const limit of [1, 5, rest.length, 100].filter((limit) => limit > 0)) {
              expect(await store.listOrders({ status, petId, after, limit })).toEqual({
                items: rest.slice(0, limit),
                more: rest.length > limit,
              });
            }
          }
          for (const after of [1n, 2n, 20n, 45n, INT64_MAX, START["-id"]]) {
            const rest = matching.filter(({ id }) => id < after).reverse();
            for (const limit of [1, 5, rest.length, 100].filter((limit) => limit > 0)) {
              expect(await store.listOrders({ status, petId, sort: "-id", after, limit })).toEqual({
                items: rest.slice(0, limit),
                more: rest.length > limit,
              });
            }
          }
        }
      }
    });
  });

  describe(`${engine}: an order that is read with its animal`, () => {
    test("has it in every list and by itself, as it is at that revision", async () => {
      await using stores = await fresh();
      const { store } = stores;
      const names = ["Rex", "\u{1F408}\u200D\u2B1B", "pet.name"];
      const animals = await Promise.all(
        names.map(async (name) => (await store.addAnimal({ ...rex, name, categoryId: INT64_MAX })) as Animal),
      );
      for (const status of ORDER_STATUSES) {
        const { id } = await place(store, (animals[ORDER_STATUSES.indexOf(status) % 3] as Animal).id);
        for (const step of WAY[status]) await store.updateOrder(id, step);
        if (status === "placed") await store.updateOrder(id, "cancelled");
      }
      const include = "pet";
      const alone = await walkOrders(store);
      for (const order of alone) {
        const pet = await store.findAnimal(order.petId);
        const found = await store.findOrder(order.id, include);
        expect(found && { ...found, pet: exact(found.pet as ReadAnimal) }).toEqual({
          ...order,
          pet: exact(pet as ReadAnimal),
        });
        expect(await store.findOrder(order.id)).toEqual(order);
      }
      expect(await store.findOrder(99n, include)).toBeUndefined();
      for (const sort of SORTS) {
        for (const status of [undefined, ...ORDER_STATUSES]) {
          for (const petId of [undefined, ...animals.map(({ id }) => id), 99n]) {
            const query = { status, petId, sort, after: START[sort], limit: 2 };
            const { items, more } = await store.listOrders(query);
            const expected = await Promise.all(items.map(({ id }) => store.findOrder(id, include)));
            expect(await store.listOrders({ ...query, include })).toEqual({
              items: expected as ReadOrder[],
              more,
            });
          }
        }
      }
    });
  });

  describe(`${engine}: the revision`, () => {
    test("of existing rows grows on every instance with every change of an order, before that is acknowledged", async () => {
      await using stores = await fresh();
      const both = [stores.store, await stores.open()];
      const petId = await addAnimal(stores.store);
      let last = await Promise.all(both.map(revisionOf));
      const changes: ((store: Store) => Promise<unknown>)[] = [
        (store) => store.placeOrder({ petId }),
        (store) => store.updateOrder(1n, "approved"),
        (store) => store.updateOrder(1n, "cancelled"),
        (store) => store.placeOrder({ petId }, idempotencyOf(petId)),
      ];
      for (const [n, change] of changes.entries()) {
        await change(both[n % 2] as Store);
        const next = await Promise.all(both.map(revisionOf));
        for (const [which, { append, rewrite, keys }] of next.entries()) {
          expect(append).toBeGreaterThan((last[which] as Revision).append);
          expect(rewrite).toBeGreaterThan((last[which] as Revision).rewrite);
          expect(keys).toBe((last[which] as Revision).keys);
        }
        last = next;
      }
    });

    test("of existing rows stays the same if an order is refused, is repeated or already has its status", async () => {
      await using stores = await fresh();
      const { store } = stores;
      const petId = await addAnimal(store);
      await store.placeOrder({ petId }, idempotencyOf(petId));
      const { rewrite } = await revisionOf(store);
      await store.placeOrder({ petId }, idempotencyOf(petId));
      await store.placeOrder({ petId });
      await store.placeOrder({ petId: 9n });
      await store.updateOrder(1n, "placed");
      await store.updateOrder(1n, "delivered");
      expect((await revisionOf(store)).rewrite).toBe(rewrite);
    });

    test("of the keys can be a condition: no order is placed or changed if the keys have changed since", async () => {
      await using stores = await fresh();
      const { store } = stores;
      const other = await stores.open();
      const [one, two] = (await addAnimals(store, 2)) as [bigint, bigint];
      const added = await store.addKey({
        hash: hashApiKey("a"),
        environment: "staging",
        name: "a",
        scopes: [],
        createdAt: 1,
        expiresAt: null,
      });
      const before = await revisionOf(store);
      expect(await store.placeOrder({ petId: one }, undefined, before)).toMatchObject({ id: 1n });
      expect(await store.updateOrder(1n, "approved", before)).toMatchObject({ status: "approved" });
      await other.revokeKey(added.id, 1000);
      const since = await revisionOf(store);
      const outcomes = await Promise.allSettled([
        store.placeOrder({ petId: two }, idempotencyOf(two), before),
        store.updateOrder(1n, "cancelled", before),
        store.updateOrder(1n, "delivered", since),
      ]);
      expect(
        outcomes.map((outcome) => (outcome.status === "fulfilled" ? outcome.value : outcome.reason)),
      ).toEqual([
        expect.any(KeysChanged),
        expect.any(KeysChanged),
        expect.objectContaining({ status: "delivered" }),
      ]);
      expect(await statusOf(store, two)).toBe("available");
      // The Idempotency-Key was not used up.
      expect(await store.placeOrder({ petId: two }, idempotencyOf(two), since)).toMatchObject({ id: 2n });
    });
  });

  test(`${engine}: animals of every status can be added while others are ordered`, async () => {
    await using stores = await fresh();
    const { store } = stores;
    const animals = await addAnimals(store, 60);
    const [orders, added] = await Promise.all([
      Promise.all(animals.map((id) => place(store, id))),
      Promise.all(Array.from({ length: 60 }, (_, n) => addAnimal(store, STATUSES[n % 3]))),
    ]);
    expect(orders).toHaveLength(60);
    expect(added).toEqual(animals.map((_, n) => BigInt(n) + 61n));
    await expectAgreement(store);
  });

  ordersByHand(engine, fresh);
}

function idempotencyOf(petId: bigint, some: Partial<Idempotency> = {}): Idempotency {
  return { line: 1, key: "k", digest: digestOfOrder({ petId }), ...some };
}

function compare(one: bigint, other: bigint): number {
  return one < other ? -1 : 1;
}
