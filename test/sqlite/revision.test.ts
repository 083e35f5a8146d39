import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { openBulkStore, openStore } from "../../src/stores/open.ts";
import { createSqliteDatabase } from "../support/database.ts";
import { revisionOf } from "../support/revision-of.ts";

// What SQLite's triggers tell, and what is held where they cannot.

const rex = { name: "Rex", categoryId: 1n, status: "available" } as const;
const VALUES = "('Mia', 1, 'sold')";

/** A store with animals 1 to 3 and 11, and another hand on its file. */
async function fresh() {
  const place = await createSqliteDatabase();
  const store = await openStore(place.url, Date.now);
  for (let id = 1; id <= 3; id++) await store.addAnimal(rex);
  await place.setLastId(10n);
  await store.addAnimal(rex);
  const hand = new Database(place.url.slice("sqlite:".length));
  return {
    url: place.url,
    store,
    hand,
    revision: () => Promise.resolve(revisionOf(store)),
    async [Symbol.asyncDispose]() {
      hand.close();
      await store.close();
      await place[Symbol.asyncDispose]();
    },
  };
}

describe("the revision of existing rows grows when another program", () => {
  test.each([
    ["changes an animal", "UPDATE animal SET name = 'Mia' WHERE id = 2"],
    ["moves an animal", "UPDATE animal SET id = 20 WHERE id = 2"],
    ["moves an animal over another", "UPDATE OR REPLACE animal SET id = 3 WHERE id = 2"],
    ["removes an animal", "DELETE FROM animal WHERE id = 11"],
    ["removes all animals", "DELETE FROM animal"],
    [
      "adds one between others",
      `INSERT INTO animal (id, name, category_id, status) VALUES (7, 'Mia', 1, 'sold')`,
    ],
    [
      "replaces an animal",
      `REPLACE INTO animal (id, name, category_id, status) VALUES (2, 'Mia', 1, 'sold')`,
    ],
    [
      "replaces the last animal",
      `REPLACE INTO animal (id, name, category_id, status) VALUES (11, 'Mia', 1, 'sold')`,
    ],
    [
      "adds several of which one comes between others",
      `INSERT INTO animal (id, name, category_id, status) VALUES (12, 'a', 1, 'sold'), (4, 'b', 1, 'sold'), (13, 'c', 1, 'sold')`,
    ],
    [
      "adds one between others, when SQLite has been made to forget which ids it has given",
      `DELETE FROM sqlite_sequence; INSERT INTO animal (id, name, category_id, status) VALUES (4, 'Mia', 1, 'sold')`,
    ],
    [
      "changes an animal with no trigger there to tell",
      `BEGIN;
       DROP TRIGGER animal_updated;
       UPDATE animal SET name = 'Mia' WHERE id = 2;
       CREATE TRIGGER animal_updated AFTER UPDATE ON animal BEGIN UPDATE revision SET rewrites = rewrites + 1; END;
       COMMIT`,
    ],
    ["may have changed any row", "VACUUM"],
  ])("%s", async (_, statements) => {
    await using place = await fresh();
    const before = await place.revision();
    place.hand.run(statements);
    const after = await place.revision();
    expect(after.rewrite).toBeGreaterThan(before.rewrite);
    expect(after.append).toBeGreaterThan(before.append);
    expect(await place.revision()).toEqual(after);
  });
});

describe("the revision of existing rows stays the same when another program", () => {
  test.each([
    ["adds an animal", `INSERT INTO animal (name, category_id, status) VALUES ${VALUES}`],
    [
      "adds several, in any order, behind all others",
      `INSERT INTO animal (id, name, category_id, status) SELECT value ->> 0, 'Mia', 1, 'sold' FROM json_each('[[12],[13],[40]]')`,
    ],
    ["removes an animal that does not exist", "DELETE FROM animal WHERE id = 5"],
    ["empties the log", "PRAGMA wal_checkpoint(TRUNCATE)"],
  ])("%s", async (_, statements) => {
    await using place = await fresh();
    const { rewrite, keys } = await place.revision();
    place.hand.run(statements);
    expect(await place.revision()).toMatchObject({ rewrite, keys });
  });

  test("rolls its changes back", async () => {
    await using place = await fresh();
    const before = await place.revision();
    place.hand.run("BEGIN; UPDATE animal SET name = 'Mia'; DELETE FROM api_key; ROLLBACK");
    expect(await place.revision()).toEqual(before);
  });
});

test("another program's transaction changes the revision when it commits, and not before", async () => {
  await using place = await fresh();
  const before = await place.revision();
  place.hand.run("BEGIN; UPDATE animal SET name = 'Mia' WHERE id = 2");
  expect(await place.revision()).toEqual(before);
  place.hand.run("COMMIT");
  expect((await place.revision()).rewrite).toBeGreaterThan(before.rewrite);
});

test("while changes cannot be detected every read gets a new revision; afterwards it stays the same again", async () => {
  await using place = await fresh();
  let before = await place.revision();
  place.hand.run("ALTER TABLE revision RENAME TO elsewhere");
  for (let look = 0; look < 5; look++) {
    const next = await place.revision();
    for (const part of ["append", "rewrite", "keys"] as const)
      expect(next[part]).toBeGreaterThan(before[part]);
    before = next;
  }
  place.hand.run("ALTER TABLE elsewhere RENAME TO revision");
  const repaired = await place.revision();
  expect(repaired.rewrite).toBeGreaterThan(before.rewrite);
  await place.store.addAnimal(rex);
  expect(await place.revision()).toMatchObject({ rewrite: repaired.rewrite, keys: repaired.keys });
});

test.each([
  ["an import", [{ ...rex, id: 12n }], 1],
  ["an import that SQLite refuses", [{ ...rex, id: 12n, name: "" }], 0],
])("after %s, which goes past a trigger, it is there again and tells", async (_, animals, count) => {
  await using place = await fresh();
  {
    await using bulk = await openBulkStore(place.url, "write", Date.now);
    await using staging = await bulk.stage();
    await staging.add(animals);
    const published = staging.publish({ digest: undefined, commitEvery: 10, onProgress: () => {} });
    expect(
      await published.then(
        ({ count }) => count,
        () => 0,
      ),
    ).toBe(count);
  }
  const before = await place.revision();
  place.hand.run(`INSERT INTO animal (id, name, category_id, status) VALUES (7, 'Mia', 1, 'sold')`);
  expect((await place.revision()).rewrite).toBeGreaterThan(before.rewrite);
});

test("an emptied table of counters does not count as an unchanged counter", async () => {
  await using place = await fresh();
  const before = await place.revision();
  place.hand.run("DELETE FROM revision; UPDATE animal SET name = 'Mia'");
  expect((await place.revision()).rewrite).toBeGreaterThan(before.rewrite);
});
