import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { ReadAnimal } from "../../src/domain/animal.ts";
import { hashApiKey } from "../../src/domain/api-key.ts";
import { StoreFailure } from "../../src/domain/failure.ts";
import type { Page } from "../../src/domain/page.ts";
import type { Store } from "../../src/domain/store.ts";
import { openStore } from "../../src/stores/open.ts";
import { connect } from "../../src/stores/sqlite/connection.ts";
import { storeConformance } from "../stores/store-conformance.ts";
import { visit } from "../stores/visit.ts";
import { createSqliteDatabase } from "../support/database.ts";
import { temporaryFolder } from "../support/folder.ts";
import { revisionOf } from "../support/revision-of.ts";

storeConformance("SQLite", createSqliteDatabase);

/** A store in a folder of its own. */
async function fresh() {
  const folder = temporaryFolder();
  const file = join(folder.path, "store.db");
  const url = `sqlite:${file}`;
  const store = await openStore(url, Date.now);
  return {
    file,
    url,
    store,
    async [Symbol.asyncDispose]() {
      await store.close();
      folder[Symbol.dispose]();
    },
  };
}

const rex = { name: "Rex", categoryId: 1n, status: "available" } as const;

async function list(store: Store): Promise<Page<ReadAnimal>> {
  return store.listAnimals({ status: undefined, after: 0n, limit: 100 });
}

/** Holds the write lock of a file until it is let go: to all others, a disk that does not write. */
function lock(file: string): { release(): void } & Disposable {
  const database = new Database(file);
  database.run("BEGIN IMMEDIATE");
  return {
    release: () => database.run("ROLLBACK"),
    [Symbol.dispose]: () => database.close(),
  };
}

describe("SQLite is configured so that", () => {
  test("a commit is on the disk when it returns, and readers wait for no writer", async () => {
    await using place = await fresh();
    using connection = connect(place.file);
    const pragma = (name: string) => Object.values(connection.query(`PRAGMA ${name}`).get() as object)[0];
    expect(pragma("journal_mode")).toBe("wal");
    expect(pragma("synchronous")).toBe(2n);
    expect(pragma("trusted_schema")).toBe(0n);
  });

  test("every table is strict", async () => {
    await using place = await fresh();
    using database = new Database(place.file, { readonly: true });
    const tables = database
      .query<{ name: string; strict: number }, []>(
        "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%'",
      )
      .all();
    expect(tables.length).toBeGreaterThanOrEqual(4);
    expect(tables.filter(({ strict }) => strict !== 1)).toEqual([]);
  });

  test("an id is not assigned again after its animal was removed and the store reopened", async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "store.db");
    for (const id of [1n, 2n, 3n]) {
      const store = await openStore(`sqlite:${file}`, Date.now);
      expect(await store.addAnimal(rex)).toMatchObject({ id });
      await store.close();
      using database = new Database(file);
      database.run("DELETE FROM animal");
    }
  });
});

test("reads of one turn see one moment, and hold no lock afterwards", async () => {
  await using place = await fresh();
  const { store } = place;
  await store.addAnimal(rex);
  using other = new Database(place.file);
  const rename = (name: string) => other.query("UPDATE animal SET name = ? WHERE id = 1").run(name);
  for (const fault of [undefined, new Error("for the test")]) {
    rename("before");
    const names: unknown[] = [];
    const read = () => names.push((store.findAnimal(1n) as { name: string }).name);
    const outcome = (async () =>
      store.read(() => {
        read();
        rename("meanwhile");
        read();
        if (fault) throw fault;
      }))();
    if (fault) await expect(outcome).rejects.toThrow(fault);
    else await outcome;
    read();
    expect(names).toEqual(["before", "before", "meanwhile"]);
    expect(other.query("PRAGMA wal_checkpoint(TRUNCATE)").get()).toMatchObject({ busy: 0 });
  }
});

describe("SQLite refuses a row that would break a promise:", () => {
  const hash = "zeroblob(32)";
  test.each([
    ["an animal with an empty name", "INSERT INTO animal (name, category_id, status) VALUES ('', 1, 'sold')"],
    [
      "a name that is too long",
      `INSERT INTO animal (name, category_id, status) VALUES ('${"x".repeat(256)}', 1, 'sold')`,
    ],
    [
      "a name with U+0000",
      "INSERT INTO animal (name, category_id, status) VALUES ('a' || char(0) || 'b', 1, 'sold')",
    ],
    ["a name that is no text", "INSERT INTO animal (name, category_id, status) VALUES (x'00', 1, 'sold')"],
    ["no name", "INSERT INTO animal (name, category_id, status) VALUES (NULL, 1, 'sold')"],
    ["a category that is none", "INSERT INTO animal (name, category_id, status) VALUES ('a', 'b', 'sold')"],
    [
      "a category with a fraction",
      "INSERT INTO animal (name, category_id, status) VALUES ('a', 1.5, 'sold')",
    ],
    [
      "a category beyond int64",
      "INSERT INTO animal (name, category_id, status) VALUES ('a', 9223372036854775808, 'sold')",
    ],
    ["no category", "INSERT INTO animal (name, category_id, status) VALUES ('a', NULL, 'sold')"],
    ["another status", "INSERT INTO animal (name, category_id, status) VALUES ('a', 1, 'Sold')"],
    ["no status", "INSERT INTO animal (name, category_id, status) VALUES ('a', 1, NULL)"],
    ["the id 0", "INSERT INTO animal (id, name, category_id, status) VALUES (0, 'a', 1, 'sold')"],
    ["a negative id", "INSERT INTO animal (id, name, category_id, status) VALUES (-1, 'a', 1, 'sold')"],
    [
      "an id twice",
      "INSERT INTO animal (id, name, category_id, status) VALUES (7, 'a', 1, 'sold'), (7, 'b', 1, 'sold')",
    ],
    [
      "a key that is no hash",
      "INSERT INTO api_key (hash, name, scopes, environment, created_at) VALUES (x'00', 'a', '[]', 'production', 1)",
    ],
    [
      "a key with scopes that are none",
      `INSERT INTO api_key (hash, name, scopes, environment, created_at) VALUES (${hash}, 'a', '{}', 'production', 1)`,
    ],
    [
      "a key without a name",
      `INSERT INTO api_key (hash, name, scopes, environment, created_at) VALUES (${hash}, '', '[]', 'production', 1)`,
    ],
    [
      "a hash twice",
      `INSERT INTO api_key (hash, name, scopes, environment, created_at) VALUES (${hash}, 'a', '[]', 'production', 1), (${hash}, 'b', '[]', 'production', 1)`,
    ],
    [
      "an idempotency record without a digest",
      "INSERT INTO idempotency_key (line, key, digest, animal_id, created_at) VALUES (1, 'k', 'd', 1, 1)",
    ],
    ["a secret that is short", "INSERT INTO secret VALUES ('short', x'00')"],
  ])("%s", async (_, sql) => {
    await using place = await fresh();
    using database = new Database(place.file);
    expect(() => database.run(sql)).toThrow(/constraint failed|datatype mismatch|cannot store/);
    expect((await list(place.store)).items).toEqual([]);
  });
});

describe("while another process holds the write lock", () => {
  test("creates wait, and reads continue", async () => {
    await using place = await fresh();
    using held = lock(place.file);
    let answered = 0;
    const creating = Array.from({ length: 10 }, () => place.store.addAnimal(rex).finally(() => answered++));
    // Waiting for the answer of the writer's thread would let it come, if it could.
    for (let count = 0; count < 50; count++) {
      expect(await list(place.store)).toEqual({ items: [], more: false });
      expect(await place.store.findAnimal(1n)).toBe(undefined);
      expect(await place.store.findKey(hashApiKey("none"))).toBe(undefined);
      revisionOf(place.store);
      await Bun.sleep(1);
    }
    expect(answered).toBe(0);
    held.release();
    expect(await Promise.all(creating)).toHaveLength(10);
    expect((await list(place.store)).items).toHaveLength(10);
  });

  test("for too long, creates are refused and add nothing, and succeed afterwards", async () => {
    await using place = await fresh();
    using held = lock(place.file);
    const outcomes = await Promise.allSettled([place.store.addAnimal(rex), place.store.addAnimal(rex)]);
    for (const outcome of outcomes) {
      const reason = outcome.status === "rejected" ? outcome.reason : undefined;
      expect(reason).toBeInstanceOf(StoreFailure);
      expect(reason).toMatchObject({ code: "store_unavailable" });
    }
    // The writer's thread has given up; on a busy machine it may be later than the answer, and then it may store them.
    const isSure = outcomes.every((outcome) =>
      /SQLITE_BUSY/.test(String((outcome as PromiseRejectedResult).reason)),
    );
    expect((await list(place.store)).items).toEqual([]);
    held.release();
    expect(await place.store.addAnimal(rex)).toEqual({ id: isSure ? 1n : expect.any(BigInt), ...rex });
  });

  test("a bounded number of creates may wait: the rest are refused at once, and the waiting ones are stored", async () => {
    await using place = await fresh();
    using held = lock(place.file);
    let refused = 0;
    const waiting: Promise<unknown>[] = [];
    for (let count = 0; count < 15_000; count++) {
      const adding = place.store.addAnimal(rex);
      waiting.push(
        adding.catch((error) => {
          expect(error).toBeInstanceOf(StoreFailure);
          expect(error).toMatchObject({ code: "overloaded" });
          refused++;
        }),
      );
    }
    await Bun.sleep(0);
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThan(15_000);
    held.release();
    await Promise.all(waiting);
    const accepted = BigInt(15_000 - refused);
    expect(await place.store.findAnimal(accepted)).toMatchObject({ id: Number(accepted), name: rex.name });
    expect(await place.store.findAnimal(accepted + 1n)).toBe(undefined);
    expect(await place.store.addAnimal(rex)).toMatchObject({ id: accepted + 1n });
  });
});

describe("a store can be opened", () => {
  // A start that was killed while it made the file leaves it so: 3 bytes are SQLite's own first step.
  test.each([0, 3])("beside a leftover of %d bytes of shared memory", async (length) => {
    using folder = temporaryFolder();
    const file = join(folder.path, "store.db");
    await Bun.write(file, "");
    await Bun.write(`${file}-shm`, "x".repeat(length));
    const store = await openStore(`sqlite:${file}`, Date.now);
    const before = await revisionOf(store);
    expect(await store.addAnimal(rex)).toMatchObject({ id: 1n });
    expect((await revisionOf(store)).append).toBeGreaterThan(before.append);
    await store.close();
  });

  // Of two first starts at once, one finds the other at its `PRAGMA journal_mode = WAL`: SQLite then answers
  // BUSY at once, whatever the busy timeout.
  test("as soon as another process that writes to the empty file has finished", async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "store.db");
    using held = lock(file);
    const visiting = visit(`sqlite:${file}`, "add", "Rex", "1").then(
      (ids) => ids,
      (error: Error) => error.message,
    );
    await Promise.race([visiting, Bun.sleep(500)]);
    held.release();
    expect(await visiting).toEqual([1n]);
  });
});

test("an empty file is migrated once, however many processes start on it at once", async () => {
  for (let round = 0; round < 5; round++) {
    using folder = temporaryFolder();
    const url = `sqlite:${join(folder.path, "store.db")}`;
    const visits = Array.from({ length: 5 }, () => visit(url, "add", "Rex", "2"));
    const ids = (await Promise.all(visits)).flat();
    expect(ids.toSorted((a, b) => Number(a - b))).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n, 10n]);
  }
});

test("a commit increases the revision even if the write-ahead log was emptied before it", async () => {
  await using place = await fresh();
  using other = new Database(place.file);
  for (let round = 0; round < 5; round++) {
    const before = await revisionOf(place.store);
    expect(other.query("PRAGMA wal_checkpoint(TRUNCATE)").get()).toMatchObject({ busy: 0, log: 0 });
    await place.store.addAnimal(rex);
    const after = await revisionOf(place.store);
    expect(after.append).toBeGreaterThan(before.append);
  }
});
