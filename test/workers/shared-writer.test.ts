import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Animal } from "../../src/domain/animal.ts";
import { StoreFailure } from "../../src/domain/failure.ts";
import { digestOf } from "../../src/domain/idempotency.ts";
import type { Store } from "../../src/domain/store.ts";
import { temporaryFolder } from "../support/folder.ts";
import { openSharedStore, type WorkerStore } from "./worker-store.ts";

const animalOf = (name: string) => ({ name, categoryId: 1n, status: "available" }) as const;

const byId = ([one]: readonly [number, string], [other]: readonly [number, string]) => one - other;

/** Workers of one store, whose file nobody can write until it is released: so what they ask for meanwhile waits. */
async function workersThatWait(count: number) {
  const folder = temporaryFolder();
  const file = join(folder.path, "store.db");
  const shared = await openSharedStore(`sqlite:${file}`, Date.now);
  const workers: WorkerStore[] = [];
  for (let number = 0; number < count; number++) workers.push(await shared.open());
  const other = new Database(file);
  other.run("BEGIN IMMEDIATE");
  const stored = () => {
    const rows = other
      .query<{ id: number; name: string }, []>("SELECT id, name FROM animal ORDER BY id")
      .all();
    return rows.map(({ id, name }) => [id, name] as const);
  };
  return {
    stores: workers.map(({ store }) => store) as [Store, Store, Store],
    workers,
    release: () => other.run("ROLLBACK"),
    stored,
    names: () => stored().map(([, name]) => name),
    async [Symbol.asyncDispose]() {
      other.close();
      for (const { store } of workers) await store.close();
      await shared[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

/** Within this time a write has reached the writer, which tries it while those that come second wait. */
const SENT_MS = 1000;

describe("workers whose writes share a transaction", () => {
  test("each get the ids of their own animals", async () => {
    await using place = await workersThatWait(3);
    const ROUNDS = 30;
    const nameOf = (worker: number, n: number) => `${worker}.${n}`;
    const first = place.stores[0].addAnimal(animalOf("first"));
    await Bun.sleep(SENT_MS);
    // Of so many rounds, some are written together even if the machine is so busy that a round arrives late.
    const adding = place.stores.map(async (store, worker) => {
      const added = [];
      for (let round = 0; round < ROUNDS; round++) {
        const names = Array.from({ length: 10 }, (_, n) => nameOf(worker, 10 * round + n));
        added.push(...(await Promise.all(names.map((name) => store.addAnimal(animalOf(name))))));
      }
      return added;
    });
    await Bun.sleep(SENT_MS);
    place.release();
    const told = (await Promise.all(adding)).flat().concat(await first) as Animal[];
    expect(told.map(({ id, name }) => [Number(id), name] as const).toSorted(byId)).toEqual(place.stored());
    // Those of each are in the order in which they came.
    for (const worker of [0, 1, 2]) {
      const own = place.names().filter((name) => name.startsWith(`${worker}.`));
      expect(own).toEqual(Array.from({ length: 300 }, (_, n) => nameOf(worker, n)));
    }
  });

  test("are stored completely even if a socket takes them in parts", async () => {
    await using place = await workersThatWait(1);
    const names = Array.from({ length: 1000 }, (_, n) => `${n} ${"\u{1f415}".repeat(245)}`);
    const adding = Promise.all(names.map((name) => place.stores[0].addAnimal(animalOf(name))));
    await Bun.sleep(SENT_MS);
    place.release();
    expect(await adding).toHaveLength(1000);
    expect(place.names()).toEqual(names);
  });

  test("are not affected by another worker's invalid animal", async () => {
    await using place = await workersThatWait(3);
    const [one, two, three] = place.stores;
    const first = one.addAnimal(animalOf("first"));
    await Bun.sleep(SENT_MS);
    const outcomes = Promise.allSettled([
      one.addAnimal(animalOf("one")),
      two.addAnimal(animalOf("")),
      two.addAnimal(animalOf("two")),
      three.addAnimal(animalOf("three")),
    ]);
    await Bun.sleep(SENT_MS);
    place.release();
    await first;
    const told = (await outcomes).map((outcome) =>
      outcome.status === "rejected" ? "refused" : (outcome.value as Animal).name,
    );
    expect(told).toEqual(["one", "refused", "two", "three"]);
    expect(place.names().toSorted()).toEqual(["first", "one", "three", "two"]);
  });

  test("are not affected by another worker's invalid animal, even with Idempotency-Keys", async () => {
    await using place = await workersThatWait(3);
    const [one, two, three] = place.stores;
    const retry = (key: string, name: string) => ({ line: 1, key, digest: digestOf(animalOf(name)) });
    const first = one.addAnimal(animalOf("first"), retry("a", "first"));
    await Bun.sleep(SENT_MS);
    const outcomes = Promise.allSettled([
      one.addAnimal(animalOf("one")),
      two.addAnimal(animalOf("")),
      two.addAnimal(animalOf("two")),
      three.addAnimal(animalOf("first"), retry("a", "first")),
      three.addAnimal(animalOf("other"), retry("a", "other")),
      three.addAnimal(animalOf("three"), retry("b", "three")),
    ]);
    await Bun.sleep(SENT_MS);
    place.release();
    expect(await first).toMatchObject({ id: 1n });
    const told = (await outcomes).map((outcome) => {
      if (outcome.status === "rejected") return "refused";
      if (outcome.value === "key_reused") return "key_reused";
      return "replayed" in outcome.value ? `${outcome.value.replayed.name} again` : outcome.value.name;
    });
    expect(told).toEqual(["one", "refused", "two", "first again", "key_reused", "three"]);
    expect(place.names().toSorted()).toEqual(["first", "one", "three", "two"]);
  });
});

test("creates and orders of several workers share a transaction, each with its own outcome", async () => {
  await using place = await workersThatWait(3);
  const [one, two, three] = place.stores;
  const first = one.addAnimal(animalOf("first"));
  await Bun.sleep(SENT_MS);
  // All of these are in the writer's queue when the first create is written, so one transaction takes them.
  const outcomes = Promise.allSettled([
    one.placeOrder({ petId: 1n }),
    one.addAnimal(animalOf("one")),
    two.addAnimal(animalOf("")),
    two.placeOrder({ petId: 1n }),
    three.placeOrder({ petId: 99n }),
    three.addAnimal(animalOf("three")),
    three.updateOrder(99n, "approved"),
  ]);
  await Bun.sleep(SENT_MS);
  place.release();
  expect(await first).toMatchObject({ id: 1n });
  const told = (await outcomes).map((outcome) => (outcome.status === "rejected" ? "refused" : outcome.value));
  expect(told.filter((each) => typeof each === "object" && "petId" in each)).toMatchObject([
    { id: 1n, petId: 1n, status: "placed" },
  ]);
  expect(told.filter((each) => Bun.deepEquals(each, { unavailable: "pending" }))).toHaveLength(1);
  expect([told[1], told[2], told[4], told[5], told[6]]).toMatchObject([
    { name: "one" },
    "refused",
    "animal_not_found",
    { name: "three" },
    "order_not_found",
  ]);
  expect(place.names().toSorted()).toEqual(["first", "one", "three"]);
  expect(await one.findAnimal(1n)).toMatchObject({ status: "pending" });
});

test("a worker that lost the writer answers that it cannot store, and the other workers continue", async () => {
  await using place = await workersThatWait(2);
  const [{ store: cut, cutOff, lost }, { store: sibling }] = place.workers as [WorkerStore, WorkerStore];
  const adding = cut.addAnimal(animalOf("cut off")).catch((error) => error);
  const others = sibling.addAnimal(animalOf("sibling"));
  await Bun.sleep(SENT_MS);
  await cutOff();
  await lost;
  expect(await adding).toBeInstanceOf(StoreFailure);
  await expect(cut.addAnimal(animalOf("later"))).rejects.toThrow(StoreFailure);
  await expect(cut.checkWriting()).rejects.toThrow(StoreFailure);
  place.release();
  expect(await others).toMatchObject({ name: "sibling" });
  expect(place.names()).not.toContain("later");
});
