import { describe, expect, test } from "bun:test";
import type { Animal, NewAnimal, Status } from "../../src/domain/animal.ts";
import { STATUSES } from "../../src/domain/animal.ts";
import { hashApiKey, type NewApiKey } from "../../src/domain/api-key.ts";
import { digestOf, IDEMPOTENCY_TTL_MS, type Idempotency } from "../../src/domain/idempotency.ts";
import { INT64_MAX, INT64_MIN } from "../../src/domain/int64.ts";
import { START } from "../../src/domain/page.ts";
import type { Revision } from "../../src/domain/revision.ts";
import { type AnimalStore, KeysChanged, type Store } from "../../src/domain/store.ts";
import { openStore } from "../../src/stores/open.ts";
import { revisionOf } from "../support/revision-of.ts";
import { exact, exactPage } from "./exact.ts";
import { openPlace, type Place } from "./place.ts";
import { visit } from "./visit.ts";

/** Tests an engine against `src/domain/store.ts`: every engine runs this suite. */
export function storeConformance(
  engine: string,
  openFresh: () => Promise<Place>,
  openAt: (url: string, clock: () => number) => Promise<Store> = openStore,
): void {
  const fresh = (clock?: () => number) => openPlace(openFresh, openAt, clock);

  describe(`${engine}: animals`, () => {
    test("get consecutive ids from 1, in the order of arrival", async () => {
      await using place = await fresh();
      const one = await add(place.store, { name: "one" });
      expect(one).toEqual({ id: 1n, name: "one", categoryId: 1n, status: "available" });
      const many = await Promise.all(
        Array.from({ length: 300 }, (_, n) => add(place.store, { name: `${n}` })),
      );
      expect(many.map(({ id, name }) => [id, name])).toEqual(many.map((_, n) => [BigInt(n) + 2n, `${n}`]));
      expect(await walk(place.store)).toEqual([one, ...many]);
    });

    test.each([
      INT64_MIN,
      INT64_MIN + 1n,
      -(2n ** 53n) - 1n,
      -1n,
      0n,
      1n,
      2n ** 53n + 1n,
      INT64_MAX - 1n,
      INT64_MAX,
    ])("keep all digits of category id %d", async (categoryId) => {
      await using place = await fresh();
      const animal = await add(place.store, { categoryId });
      expect(animal.categoryId).toBe(categoryId);
      expect(await find(place.store, 1n)).toMatchObject({ categoryId });
      expect((await walk(place.store))[0]?.categoryId).toBe(categoryId);
    });

    test("keep all digits of long ids, also beside and after animals with short ids", async () => {
      await using place = await fresh();
      const categories = [1n, 2n ** 53n - 1n, -(2n ** 53n), INT64_MAX, 2n, 2n ** 53n + 1n];
      for (const [n, categoryId] of categories.entries()) {
        await add(place.store, { categoryId });
        const kept = categories.slice(0, n + 1);
        expect((await walk(place.store)).map((animal) => animal.categoryId)).toEqual(kept);
        for (const [m, categoryId] of kept.entries()) {
          expect(await find(place.store, BigInt(m + 1))).toMatchObject({ categoryId });
        }
      }
    });

    test.each([
      ["plain", "Rex"],
      ["one character", "x"],
      ["spaces around it", "  Rex \t\n"],
      ["quotes and backslashes", `'"\`\\ \\" '' \\u0041 \\`],
      ["line ends", "a\nb\r\nc\u2028d\u2029e"],
      [
        "every control character but U+0000",
        Array.from({ length: 31 }, (_, n) => String.fromCharCode(n + 1)).join(""),
      ],
      ["U+007F and the C1 controls", "\u007f\u0080\u009f"],
      ["composed and decomposed letters", "é e\u0301 \u1112\u1161\u11ab 한"],
      ["right to left, with marks of direction", "\u202bכלב\u202c \u200fقط\u061c"],
      ["emoji, joined and coloured", "👩🏽‍🚀🐕‍🦺🏳️‍🌈"],
      ["byte order marks", "\ufeffRex\ufeff"],
      ["noncharacters and the last code point", "\ufdd0\uffff\u{10ffff}"],
      ["255 code points of four bytes", "\u{1f415}".repeat(255)],
      ["255 code points of three bytes", "犬".repeat(255)],
      ["what looks like JSON", '["a",{"b":null}]'],
      ["what looks like a number", "007"],
      ["what looks like SQL", "'); DROP TABLE animal; -- $1 ?1 :name"],
    ])("keep a name exactly: %s", async (_, name) => {
      await using place = await fresh();
      expect((await add(place.store, { name })).name).toBe(name);
      expect((await place.store.findAnimal(1n))?.name).toBe(name);
      // Also in a batch: creates that share a commit stay separate.
      const both = await Promise.all([add(place.store, { name }), add(place.store, { name: "other" })]);
      expect(both.map((animal) => animal.name)).toEqual([name, "other"]);
      expect((await walk(place.store)).map((animal) => animal.name)).toEqual([name, name, "other"]);
    });

    test.each([...STATUSES])("keep the status %s", async (status) => {
      await using place = await fresh();
      expect(await add(place.store, { status })).toMatchObject({ status });
      expect(await find(place.store, 1n)).toMatchObject({ status });
    });

    test("are found by their ids, and an unknown id finds nothing", async () => {
      await using place = await fresh();
      const added = [await add(place.store, { name: "a" }), await add(place.store, { name: "b" })];
      expect([await find(place.store, 1n), await find(place.store, 2n)]).toEqual(added);
      for (const id of [INT64_MIN, -1n, 0n, 3n, 2n ** 53n + 1n, INT64_MAX]) {
        expect(await place.store.findAnimal(id)).toBe(undefined);
      }
    });

    test("are found and listed by every instance as soon as they are added", async () => {
      await using place = await fresh();
      const other = await place.open();
      for (let id = 1n; id <= 20n; id++) {
        const animal = await add(place.store, { name: `${id}` });
        for (const store of [place.store, other]) {
          expect(await find(store, id)).toEqual(animal);
          const page = exactPage(await store.listAnimals({ status: undefined, after: id - 1n, limit: 1 }));
          expect(page).toEqual({ items: [animal], more: false });
        }
      }
    });

    test("can be listed by status, after an id and up to a limit; the page says whether more follow", async () => {
      await using place = await fresh();
      const statusOf = (n: number): Status => (n % 7 === 0 ? "sold" : n % 3 === 0 ? "pending" : "available");
      const stock = await Promise.all(
        Array.from({ length: 120 }, (_, n) => add(place.store, { name: `${n}`, status: statusOf(n) })),
      );
      for (const status of [undefined, ...STATUSES]) {
        for (const after of [0n, 1n, 19n, 60n, 100n, 118n, 119n, 120n, INT64_MAX]) {
          const all = stock.filter(
            (animal) => animal.id > after && (status ?? animal.status) === animal.status,
          );
          // Also right at the end, where "more" must change.
          for (const limit of [1, 2, 20, 100, all.length - 1, all.length].filter(
            (limit) => limit > 0 && limit <= 100,
          )) {
            expect(exactPage(await place.store.listAnimals({ status, after, limit }))).toEqual({
              items: all.slice(0, limit),
              more: all.length > limit,
            });
          }
        }
        for (const after of [1n, 2n, 60n, 120n, 121n, INT64_MAX, START["-id"]]) {
          const all = stock
            .filter((animal) => animal.id < after && (status ?? animal.status) === animal.status)
            .reverse();
          for (const limit of [1, 20, 100, all.length - 1, all.length].filter(
            (limit) => limit > 0 && limit <= 100,
          )) {
            const query = { status, sort: "-id", after, limit } as const;
            expect(exactPage(await place.store.listAnimals(query))).toEqual({
              items: all.slice(0, limit),
              more: all.length > limit,
            });
          }
        }
      }
    });

    test("get unique ids, whichever instance or process adds them, and a reader that goes by id misses none", async () => {
      await using place = await fresh();
      const other = await place.open();
      const adding = [
        visit(place.url, "add", "from another process", "200"),
        ...[place.store, other].map(async (store, n) => {
          const added: bigint[] = [];
          for (let round = 0; round < 20; round++) {
            const some = Array.from({ length: 10 }, () => add(store, { name: `from store ${n}` }));
            added.push(...(await Promise.all(some)).map(({ id }) => id));
          }
          return added;
        }),
      ];
      let done = false;
      const all = Promise.all(adding).finally(() => {
        done = true;
      });
      // An id is visible only after every lower id, so a reader that continues after the last id misses none.
      const reader = await place.open();
      const seen: bigint[] = [];
      const look = async () => {
        const page = await reader.listAnimals({ status: undefined, after: seen.at(-1) ?? 0n, limit: 100 });
        seen.push(...page.items.map(({ id }) => BigInt(id)));
        return page.more;
      };
      while (!done) {
        await look();
        await Bun.sleep(1);
      }
      const lists = await all;
      while (await look());
      const ids = Array.from({ length: 600 }, (_, n) => BigInt(n) + 1n);
      expect(seen).toEqual(ids);
      expect(lists.flat().sort((a, b) => Number(a - b))).toEqual(ids);
      for (const list of lists) expect(list).toEqual(list.toSorted((a, b) => Number(a - b)));
    });

    test("are stored in order, although an invalid animal of the same batch is refused", async () => {
      await using place = await fresh();
      const names = ["a", "", "b", "x".repeat(256), "c\0d", "e"];
      const outcomes = await Promise.allSettled(names.map((name) => add(place.store, { name })));
      expect(outcomes.map(({ status }) => status)).toEqual([
        "fulfilled",
        "rejected",
        "fulfilled",
        "rejected",
        "rejected",
        "fulfilled",
      ]);
      const stored = await walk(place.store);
      expect(stored.map(({ name }) => name)).toEqual(["a", "b", "e"]);
      const answers = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
      expect(answers).toEqual(stored);
      // The store works as before.
      expect((await add(place.store, { name: "f" })).id).toBeGreaterThan(stored.at(-1)?.id ?? 0n);
    });

    test("that are being added when the store closes are stored and acknowledged", async () => {
      await using place = await fresh();
      let answered = 0;
      const adding = Array.from({ length: 2500 }, (_, n) =>
        add(place.store, { name: `${n}` }).finally(() => answered++),
      );
      await place.close(place.store);
      expect(answered).toBe(2500);
      expect((await Promise.all(adding)).map(({ id }) => id)).toEqual(adding.map((_, n) => BigInt(n) + 1n));
      const again = await place.open();
      expect(await walk(again)).toEqual(await Promise.all(adding));
      expect((await add(again)).id).toBe(2501n);
    });
  });

  describe(`${engine}: retries`, () => {
    test("get the first result again, any number of times and from any instance", async () => {
      await using place = await fresh();
      const other = await place.open();
      const rex = animalOf({ name: "Rex" });
      const first = await place.store.addAnimal(rex, idempotencyOf(rex));
      expect(first).toEqual({ id: 1n, ...rex });
      for (const store of [place.store, other, place.store]) {
        expect(await store.addAnimal(rex, idempotencyOf(rex))).toEqual({ replayed: first as Animal });
      }
      await place.close(place.store);
      expect(await (await place.open()).addAnimal(rex, idempotencyOf(rex))).toEqual({
        replayed: first as Animal,
      });
      expect(await walk(other)).toEqual([first as Animal]);
    });

    test("that arrive together with the first create add one animal", async () => {
      await using place = await fresh();
      const other = await place.open();
      const rex = animalOf({ name: "Rex" });
      const stores = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? place.store : other));
      const answers = await Promise.all(stores.map((store) => store.addAnimal(rex, idempotencyOf(rex))));
      const [added, ...replays] = answers.toSorted((one) =>
        typeof one === "object" && "id" in one ? -1 : 1,
      );
      expect(added).toEqual({ id: 1n, ...rex });
      expect(replays).toEqual(replays.map(() => ({ replayed: { id: 1n, ...rex } })));
      expect(await walk(place.store)).toHaveLength(1);
    });

    test("with different content are refused, and add nothing", async () => {
      await using place = await fresh();
      const [rex, mia] = [animalOf({ name: "Rex" }), animalOf({ name: "Mia" })];
      await place.store.addAnimal(rex, idempotencyOf(rex));
      expect(await place.store.addAnimal(mia, idempotencyOf(mia))).toBe("key_reused");
      // Of two that arrive at once, one is first.
      const at = { key: "at once" };
      const both = await Promise.all(
        [rex, mia].map((animal) => place.store.addAnimal(animal, idempotencyOf(animal, at))),
      );
      expect(both.filter((added) => added === "key_reused")).toHaveLength(1);
      expect(await walk(place.store)).toHaveLength(2);
    });

    test("are recognized by their API key and by every character of their Idempotency-Key", async () => {
      await using place = await fresh();
      const rex = animalOf({ name: "Rex" });
      const retries = [
        { line: 2 },
        { line: 1 },
        { line: 3 },
        { key: "K" },
        { key: "k " },
        { key: `'"\\` },
        { key: "~".repeat(255) },
      ];
      for (const some of retries) await place.store.addAnimal(rex, idempotencyOf(rex, some));
      expect(await walk(place.store)).toHaveLength(retries.length);
      for (const some of retries) await place.store.addAnimal(rex, idempotencyOf(rex, some));
      expect(await walk(place.store)).toHaveLength(retries.length);
    });

    test("share a batch with first creates, each with its own result", async () => {
      await using place = await fresh();
      const [rex, mia, bad] = [animalOf({ name: "Rex" }), animalOf({ name: "Mia" }), animalOf({ name: "" })];
      await place.store.addAnimal(rex, idempotencyOf(rex));
      const outcomes = await Promise.allSettled([
        place.store.addAnimal(mia),
        place.store.addAnimal(rex, idempotencyOf(rex)),
        place.store.addAnimal(bad),
        place.store.addAnimal(bad, idempotencyOf(bad, { key: "bad" })),
        place.store.addAnimal(mia, idempotencyOf(mia)),
        place.store.addAnimal(mia, idempotencyOf(mia, { key: "new" })),
        place.store.addAnimal(mia),
      ]);
      const kinds = outcomes.map((outcome) => (outcome.status === "rejected" ? "refused" : outcome.value));
      const named = (id: bigint, animal: NewAnimal) => ({ id, ...animal });
      const stored = await walk(place.store);
      const ids = stored.map(({ id }) => id) as [bigint, bigint, bigint, bigint];
      expect(kinds).toEqual([
        named(ids[1], mia),
        { replayed: named(ids[0], rex) },
        "refused",
        "refused",
        "key_reused",
        named(ids[2], mia),
        named(ids[3], mia),
      ]);
      // A refused create has not used up its key.
      expect(await place.store.addAnimal(rex, idempotencyOf(rex, { key: "bad" }))).toMatchObject(rex);
    });

    test("are recognized until their records expire, which are then deleted a few at a time", async () => {
      let now = 1_000_000;
      await using place = await fresh(() => now);
      const rex = animalOf({ name: "Rex" });
      const add = (n: number) => place.store.addAnimal(rex, idempotencyOf(rex, { key: `${n}` }));
      await Promise.all(Array.from({ length: 1200 }, (_, n) => add(n)));
      now += IDEMPOTENCY_TTL_MS - 1;
      expect(await place.store.deleteExpired()).toBe(0);
      expect(await add(7)).toMatchObject({ replayed: { id: 8n } });
      expect(await walk(place.store)).toHaveLength(1200);
      now += 1;
      // They have expired, swept or not.
      expect(await add(7)).toMatchObject({ id: 1201n });
      const swept: number[] = [];
      do swept.push(await place.store.deleteExpired());
      while (swept.at(-1) !== 0);
      expect(swept.reduce((sum, count) => sum + count)).toBe(1199);
      expect(Math.max(...swept)).toBeLessThan(1199);
      expect(await add(7)).toMatchObject({ replayed: { id: 1201n } });
    });

    test("whose records were written while the clock was ahead delay the deletion of no other record", async () => {
      let now = 9 * IDEMPOTENCY_TTL_MS;
      await using place = await fresh(() => now);
      const rex = animalOf({ name: "Rex" });
      const add = (n: number) => place.store.addAnimal(rex, idempotencyOf(rex, { key: `${n}` }));
      await Promise.all(Array.from({ length: 600 }, (_, n) => add(n)));
      now = 1_000;
      await Promise.all(Array.from({ length: 600 }, (_, n) => add(n + 600)));
      expect(await add(0)).toMatchObject({ replayed: { id: 1n } });
      now += IDEMPOTENCY_TTL_MS;
      const swept: number[] = [];
      do swept.push(await place.store.deleteExpired());
      while (swept.at(-1) !== 0);
      expect(swept.reduce((sum, count) => sum + count)).toBe(600);
      expect(await add(0)).toMatchObject({ replayed: { id: 1n } });
      expect(await add(600)).toMatchObject({ id: 1201n });
    });
  });

  describe(`${engine}: keys`, () => {
    test("are stored as given, and found by their hash", async () => {
      await using place = await fresh();
      const given = [
        keyOf("a", { name: "für 'die' 🐶", scopes: ["pets:read"] }),
        keyOf("b", { environment: "production", scopes: [], createdAt: 0 }),
        keyOf("c", {
          scopes: ["pets:write", "pets:read"],
          createdAt: 8_640_000_000_000_000,
          expiresAt: 2 ** 53 - 1,
        }),
      ];
      const added = [];
      for (const key of given) added.push(await place.store.addKey(key));
      expect(added).toEqual(
        given.map(({ hash: _, ...key }, n) => ({ id: n + 1, line: n + 1, ...key, revokedAt: null })),
      );
      for (const [n, { hash }] of given.entries())
        expect(await place.store.findKey(hash)).toEqual(added[n] as never);
      const unused = added.map((key) => ({ ...key, lastUsedDay: null }));
      expect(await place.store.listKeys()).toEqual(unused);
      expect(await place.store.findKey(hashApiKey("d"))).toBe(undefined);
      expect(await (await place.open()).listKeys()).toEqual(unused);
    });

    test("have unique hashes", async () => {
      await using place = await fresh();
      await place.store.addKey(keyOf("a"));
      await expect(place.store.addKey(keyOf("a", { name: "again" }))).rejects.toThrow();
      expect(await place.store.listKeys()).toHaveLength(1);
    });

    test("that are revoked again keep the earliest end", async () => {
      await using place = await fresh();
      const { id } = await place.store.addKey(keyOf("a"));
      expect(await place.store.revokeKey(id, 2000)).toMatchObject({ id, revokedAt: 2000 });
      expect(await place.store.revokeKey(id, 3000)).toMatchObject({ id, revokedAt: 2000 });
      expect(await place.store.revokeKey(id, 1000)).toMatchObject({ id, revokedAt: 1000 });
      expect(await (await place.open()).findKey(hashApiKey("a"))).toMatchObject({ id, revokedAt: 1000 });
      expect(await place.store.revokeKey(id + 1, 1000)).toBe(undefined);
    });

    test("get a successor, and end at the given time or at their own expiry, whichever is earlier", async () => {
      await using place = await fresh();
      const lasting = await place.store.addKey(keyOf("a"));
      const ending = await place.store.addKey(keyOf("b", { expiresAt: 500 }));
      const other = await place.store.addKey(keyOf("c"));
      expect(await place.store.replaceKey(lasting.id, keyOf("d", { name: "successor" }), 1000)).toMatchObject(
        {
          id: 4,
          name: "successor",
          expiresAt: null,
        },
      );
      expect(await place.store.replaceKey(ending.id, keyOf("e"), 1000)).toMatchObject({ id: 5 });
      const ends = (await place.store.listKeys()).map(({ id, expiresAt }) => [id, expiresAt]);
      expect(ends).toEqual([
        [lasting.id, 1000],
        [ending.id, 500],
        [other.id, null],
        [4, null],
        [5, null],
      ]);
    });

    test("keep the line of the key that they succeed, through every rotation", async () => {
      await using place = await fresh();
      const { id: first } = await place.store.addKey(keyOf("a"));
      await place.store.addKey(keyOf("b"));
      const second = await place.store.replaceKey(first, keyOf("c"), 1000);
      const third = await place.store.replaceKey(second?.id ?? 0, keyOf("d"), 1000);
      await place.store.replaceKey(2, keyOf("e"), 1000);
      expect(third?.line).toBe(first);
      const lines = (await (await place.open()).listKeys()).map(({ id, line }) => [id, line]);
      expect(lines).toEqual([
        [1, 1],
        [2, 2],
        [3, 1],
        [4, 1],
        [5, 2],
      ]);
      expect((await place.store.findKey(hashApiKey("d")))?.line).toBe(1);
    });

    test("get one successor, even if several rotations of a key arrive at once", async () => {
      await using place = await fresh();
      const { id } = await place.store.addKey(keyOf("a"));
      const tries = ["b", "c", "d"].map((key, n) => place.store.replaceKey(id, keyOf(key), 1000 - n));
      const made = (await Promise.all(tries)).filter((key) => key !== undefined);
      expect(made).toHaveLength(1);
      const before = await place.store.listKeys();
      expect(before).toHaveLength(2);
      expect(await place.store.replaceKey(id, keyOf("e"), 500)).toBe(undefined);
      expect(await place.store.listKeys()).toEqual(before);
      expect(await place.store.replaceKey(made[0]?.id ?? 0, keyOf("f"), 1000)).toMatchObject({ line: id });
    });

    test("stay unchanged if the key to replace is unknown or its successor is invalid", async () => {
      await using place = await fresh();
      const { id } = await place.store.addKey(keyOf("a"));
      const before = await place.store.listKeys();
      expect(await place.store.replaceKey(id + 1, keyOf("b"), 1000)).toBe(undefined);
      await expect(place.store.replaceKey(id, keyOf("a"), 1000)).rejects.toThrow();
      expect(await place.store.listKeys()).toEqual(before);
    });

    test("begin with one first key, however many instances and processes add it at once", async () => {
      await using place = await fresh();
      const stores = [place.store, await place.open()];
      const asking = Array.from({ length: 20 }, (_, n) =>
        (stores[n % 2] as Store).addFirstKey(keyOf(`${n}`)),
      );
      const visits = [1, 2].map(() => visit(place.url, "first-key", "5"));
      const here = (await Promise.all(asking)).filter((added) => added).length;
      const there = (await Promise.all(visits)).flat().reduce((sum, count) => sum + Number(count), 0);
      expect(here + there).toBe(1);
      expect(await place.store.listKeys()).toHaveLength(1);
    });

    test("get no first key in a store that has ever had a key", async () => {
      await using place = await fresh();
      const { id } = await place.store.addKey(keyOf("a"));
      await place.store.revokeKey(id, 1);
      expect(await place.store.addFirstKey(keyOf("b"))).toBe(false);
      expect(await place.store.findKey(hashApiKey("b"))).toBe(undefined);
    });
  });

  describe(`${engine}: the secret of cursors`, () => {
    test("is the same for all instances, even if they start at once, and survives a restart", async () => {
      await using place = await fresh();
      const stores = [place.store, await place.open(), await place.open()];
      const secrets = await Promise.all([...stores, ...stores].map((store) => store.cursorSecret()));
      const [secret] = secrets as [Uint8Array];
      expect(secret.length).toBeGreaterThanOrEqual(32);
      expect(secrets).toEqual(secrets.map(() => secret));
      for (const store of stores) await place.close(store);
      expect(await (await place.open()).cursorSecret()).toEqual(secret);
    });

    test("differs between stores", async () => {
      await using one = await fresh();
      await using other = await fresh();
      expect(await one.store.cursorSecret()).not.toEqual(await other.store.cursorSecret());
    });
  });

  describe(`${engine}: the revision`, () => {
    const rex = animalOf({ name: "Rex" });
    const commits: [string, keyof Revision, (store: Store, n: number) => Promise<unknown>][] = [
      ["an animal", "append", (store) => store.addAnimal(rex)],
      [
        "an animal with a retry",
        "append",
        (store, n) => store.addAnimal(rex, idempotencyOf(rex, { key: `${n}` })),
      ],
      ["a key", "keys", (store, n) => store.addKey(keyOf(`added ${n}`))],
      ["the end of a key", "keys", (store, n) => store.revokeKey(1, 1_000_000 - n)],
      [
        "the successor of a key",
        "keys",
        // Key 1 is there already; each successor is succeeded in its turn.
        async (store, n) =>
          expect(await store.replaceKey(n + 1, keyOf(`next ${n}`), 1_000_000)).toBeDefined(),
      ],
    ];

    test.each(commits)(
      "grows with %s, whichever instance commits it, before that is acknowledged",
      async (_, part, commit) => {
        await using place = await fresh();
        await place.store.addKey(keyOf("a"));
        const other = await place.open();
        let last = [await revisionOf(place.store), await revisionOf(other)];
        for (let n = 0; n < 20; n++) {
          await commit(n % 2 === 0 ? place.store : other, n);
          const next = [await revisionOf(place.store), await revisionOf(other)];
          for (const [which, revision] of next.entries()) {
            expect(revision[part]).toBeGreaterThan((last[which] as Revision)[part]);
          }
          last = next;
        }
      },
    );

    test("of existing rows and that of the keys stay the same while any instance adds animals", async () => {
      await using place = await fresh();
      await place.store.addKey(keyOf("a"));
      await add(place.store);
      const other = await place.open();
      const before = await Promise.all([revisionOf(place.store), revisionOf(other)]);
      for (let n = 0; n < 10; n++) {
        await add(n % 2 === 0 ? place.store : other);
        await place.store.addAnimal(rex, idempotencyOf(rex, { key: `${n % 5}` }));
      }
      await visit(place.url, "add", "visitor", "3");
      await other.deleteExpired();
      await other.checkWriting();
      for (const [which, store] of [place.store, other].entries()) {
        const { append, rewrite, keys } = await revisionOf(store);
        expect({ rewrite, keys }).toEqual({
          rewrite: before[which]?.rewrite,
          keys: before[which]?.keys,
        } as never);
        expect(append).toBeGreaterThan(before[which]?.append as number);
      }
    });

    test("of existing rows stays the same while keys change", async () => {
      await using place = await fresh();
      await place.store.addKey(keyOf("a"));
      const { rewrite } = await revisionOf(place.store);
      await place.store.addKey(keyOf("b"));
      await place.store.revokeKey(1, 1000);
      await place.store.replaceKey(2, keyOf("c"), 1000);
      expect((await revisionOf(place.store)).rewrite).toBe(rewrite);
    });

    test("grows when another process commits", async () => {
      await using place = await fresh();
      let last = await revisionOf(place.store);
      for (let n = 0; n < 3; n++) {
        await visit(place.url, "add", "visitor", "1");
        const next = await revisionOf(place.store);
        expect(next.append).toBeGreaterThan(last.append);
        last = next;
      }
      await visit(place.url, "first-key", "1");
      expect((await revisionOf(place.store)).keys).toBeGreaterThan(last.keys);
    });

    test("of the keys can be a condition: nothing is added if the keys have changed since", async () => {
      await using place = await fresh();
      const other = await place.open();
      const { id } = await place.store.addKey(keyOf("a"));
      const before = await revisionOf(place.store);
      expect(await place.store.addAnimal(rex, undefined, before)).toMatchObject({ id: 1n });
      expect(
        await place.store.addAnimal(rex, idempotencyOf(rex), await revisionOf(place.store)),
      ).toMatchObject({
        id: 2n,
      });
      await other.revokeKey(id, 1000);
      const since = await revisionOf(place.store);
      const outcomes = await Promise.allSettled([
        place.store.addAnimal(rex, undefined, before),
        place.store.addAnimal(rex, undefined, since),
        place.store.addAnimal(rex, idempotencyOf(rex, { key: "late" }), before),
        place.store.addAnimal(rex),
      ]);
      expect(
        outcomes.map((outcome) => (outcome.status === "fulfilled" ? outcome.value : outcome.reason)),
      ).toEqual([
        expect.any(KeysChanged),
        expect.objectContaining(rex),
        expect.any(KeysChanged),
        expect.objectContaining(rex),
      ]);
      // Nothing was added, and the Idempotency-Key was not used up.
      expect(await walk(place.store)).toHaveLength(4);
      const mia = animalOf({ name: "Mia" });
      expect(await place.store.addAnimal(mia, idempotencyOf(mia, { key: "late" }))).toMatchObject(mia);
    });

    test("stays the same while nothing is committed, whatever is read", async () => {
      await using place = await fresh();
      const other = await place.open();
      await add(place.store);
      await other.addKey(keyOf("a"));
      await place.store.cursorSecret();
      for (const store of [place.store, other]) {
        const before = await revisionOf(store);
        for (const reader of [place.store, other]) {
          await walk(reader);
          await reader.findAnimal(1n);
          await reader.findKey(hashApiKey("a"));
          await reader.listKeys();
          await reader.cursorSecret();
          await reader.check();
        }
        expect(await revisionOf(store)).toEqual(before);
      }
    });
  });

  describe(`${engine}: reads of one turn`, () => {
    const rex = animalOf({ name: "Rex" });
    /** More than few, so that the reads of the next turns are done together. */
    const MANY = 20;

    async function makeBusy(store: Store): Promise<void> {
      await Promise.all(Array.from({ length: MANY }, () => store.read(() => store.findAnimal(1n))));
      await new Promise(setImmediate);
      await Promise.all(Array.from({ length: MANY }, () => store.read(() => store.findAnimal(1n))));
    }

    test("return what separate reads return, and nothing older than their revision", async () => {
      await using place = await fresh();
      const { store } = place;
      const { id } = await store.addKey(keyOf("a"));
      const added = [await add(store), await add(store), await add(store)];
      for (let turn = 0; turn < 3; turn++) {
        const [none, animal, page, key] = await Promise.all([
          store.read(() => undefined),
          store.read(() => store.findAnimal(2n)),
          store.read(() => store.listAnimals({ status: undefined, after: 0n, limit: 2 })),
          store.read(() => store.findKey(hashApiKey("a"))),
        ]);
        expect(exact(animal.reply as Animal)).toEqual(added[1] as Animal);
        expect(exactPage(page.reply)).toEqual({ items: added.slice(0, 2), more: true });
        expect(key.reply).toMatchObject({ id });
        const latest = await revisionOf(store);
        for (const { revision } of [none, animal, page, key]) expect(revision).toEqual(latest);
        await makeBusy(store);
      }
    });

    test("succeed although others of the turn fail, and the next turn shows what was added since", async () => {
      await using place = await fresh();
      const { store } = place;
      await add(store);
      for (let turn = 0; turn < 3; turn++) {
        const read = async (work: () => unknown) => (await store.read(work)).reply;
        const outcomes = await Promise.allSettled([
          read(() => {
            throw new Error("before a read");
          }),
          read(() => {
            void store.findAnimal(1n);
            throw new Error("after a read");
          }),
          read(async () => {
            await store.findAnimal(1n);
            throw new Error("of a reply");
          }),
          read(() => store.findAnimal(1n)),
        ]);
        expect(outcomes.map(({ status }) => status)).toEqual([
          "rejected",
          "rejected",
          "rejected",
          "fulfilled",
        ]);
        const { id } = await add(await place.open());
        expect(await find(store, id)).toMatchObject(rex);
        expect((await walk(store)).at(-1)?.id).toBe(id);
        await makeBusy(store);
      }
    });

    test("share one query if they have the same name", async () => {
      await using place = await fresh();
      const { store } = place;
      await add(store);
      await makeBusy(store);
      for (let turn = 0; turn < 3; turn++) {
        let reads = 0;
        const readOnce = () =>
          store.read(() => {
            reads++;
            return store.findAnimal(1n);
          }, "the first animal");
        const read = await Promise.all(Array.from({ length: MANY }, readOnce));
        expect(reads).toBe(1);
        for (const { reply } of read) expect(exact(reply as Animal)).toMatchObject(rex);
      }
    });
  });

  test(`${engine}: an open store is ready`, async () => {
    await using place = await fresh();
    await place.store.check();
  });

  test(`${engine}: a store that is opened again has everything that was stored`, async () => {
    await using place = await fresh();
    const stock = [
      await add(place.store, { name: "a", categoryId: INT64_MIN }),
      await add(place.store, { status: "sold" }),
    ];
    await place.store.addKey(keyOf("a"));
    const keys = await place.store.listKeys();
    await place.close(place.store);
    const again = await place.open();
    expect(await walk(again)).toEqual(stock);
    expect(await again.listKeys()).toEqual(keys);
    expect((await add(again)).id).toBe(3n);
    expect((await again.addKey(keyOf("b"))).id).toBe(2);
  });
}

function animalOf(some: Partial<NewAnimal>): NewAnimal {
  return { name: "Rex", categoryId: 1n, status: "available", ...some };
}

/** Adds an animal that cannot meet an earlier retry. */
async function add(store: AnimalStore, some: Partial<NewAnimal> = {}): Promise<Animal> {
  return (await store.addAnimal(animalOf(some))) as Animal;
}

function idempotencyOf(animal: NewAnimal, some: Partial<Idempotency> = {}): Idempotency {
  return { line: 1, key: "k", digest: digestOf(animal), ...some };
}

function keyOf(text: string, some: Partial<NewApiKey> = {}): NewApiKey {
  return {
    hash: hashApiKey(text),
    environment: "staging",
    name: text,
    scopes: ["pets:read"],
    createdAt: 1,
    expiresAt: null,
    ...some,
  };
}

async function find(store: AnimalStore, id: bigint): Promise<Animal | undefined> {
  const animal = await store.findAnimal(id);
  return animal && exact(animal);
}

/** The whole stock, page by page. */
async function walk(store: AnimalStore): Promise<Animal[]> {
  const all: Animal[] = [];
  for (let more = true; more; ) {
    const page = await store.listAnimals({ status: undefined, after: all.at(-1)?.id ?? 0n, limit: 100 });
    all.push(...page.items.map(exact));
    more = page.more;
  }
  return all;
}
