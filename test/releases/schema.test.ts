import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inOrder, migrationsModule } from "../../scripts/migrations.ts";
import { openStore } from "../../src/stores/open.ts";
import { Caller } from "../support/caller.ts";
import { onEveryEngine } from "../support/engines.ts";
import { temporaryFolder } from "../support/folder.ts";
import { run, serve } from "../support/program.ts";
import { describeSchema, loadStored } from "./stored.ts";

// What was released stays: a released migration never changes, and a store of any release can be used.

/** The SHA-256 of each released migration. A release adds lines here and changes none. */
const RELEASED: Readonly<Record<string, string>> = {
  "sqlite/migrations/0010-release-0.2.0.sql":
    "daa25d4ffd62c718a5d93cbdb7cf7e5d98b07b96c99d77775cee019729673a8c",
  "postgres/migrations/0010-release-0.2.0.sql":
    "3a5539859595002acc6c1df0f282bfe45a4db5e935a337bbc07f6a05c5539a9f",
};

/** The key of the stores that `0.2.0/` holds. */
const KEY = "as_test_PBZmiRQy4CUnklpPoCRdj8RRkOPsYu35CMZk";
/** When their idempotency records were fresh. */
const MADE_AT = 1795316490125;
const FIRST = {
  line: 1,
  key: "first",
  digest: "d3dbeaf794826179c9e807606a6b472fbb23f155985b90f9b1cdce69db65ae14",
};

test("the program has every migration of its folders", () => {
  const module = readFileSync(join(import.meta.dir, "../../src/stores/migrations.ts"), "utf8");
  expect(module).toBe(migrationsModule());
});

test.each([
  [
    ["0011-breed.sql", "0010-base.sql", "0011-size.sql"],
    "f/0011-size.sql: after 0011-breed.sql, a name begins with 0012-",
  ],
  [["0010-base.sql", "0012-size.sql"], "f/0012-size.sql: after 0010-base.sql, a name begins with 0011-"],
])("of migrations named %p, the one with a wrong number is refused with the right one", (files, message) => {
  expect(() => inOrder("f", files)).toThrow(message);
});

test("every released migration is as it was released", () => {
  const stores = join(import.meta.dir, "../../src/stores");
  const found = Object.keys(RELEASED).map((name) => {
    const bytes = readFileSync(join(stores, name));
    return [name, new Bun.CryptoHasher("sha256").update(bytes).digest("hex")];
  });
  expect(Object.fromEntries(found)).toEqual(RELEASED);
});

onEveryEngine((engine) => {
  test("a store of 0.2.0 keeps its animals, keys, records and corrections, and continues its ids", async () => {
    await using database = await engine.createDatabase();
    await loadStored(database, "0.2.0");
    {
      const store = await openStore(database.url, () => MADE_AT);
      const replayed = await store.addAnimal({ name: "Rex", categoryId: 1n, status: "sold" }, FIRST);
      expect(replayed).toMatchObject({ replayed: { id: 1n } });
      await store.close();
    }
    using folder = temporaryFolder();
    const options = { cwd: folder.path, env: { DATABASE_URL: database.url, ENVIRONMENT: "staging" } };
    await using service = await serve(options);
    const caller = new Caller({ address: service.address, key: KEY });
    expect(await caller.names()).toEqual(["Rex", "Bella 🐈", "imported"]);
    expect(await (await caller.create("new")).json()).toMatchObject({ id: 5 });
    expect((await run(["animals", "log"], options)).stdout).toContain("status pending → sold");
  });

  test("a store of 0.2.0 has the schema that a new store has, once it is opened", async () => {
    await using database = await engine.createDatabase();
    await loadStored(database, "0.2.0");
    await (await openStore(database.url, Date.now)).close();
    const found = await describeSchema(database);
    await using fresh = await engine.createDatabase();
    await (await openStore(fresh.url, Date.now)).close();
    expect(found.length).toBeGreaterThan(15);
    expect(found).toEqual(await describeSchema(fresh));
  });

  test("a store from before 0.2.0 is refused by every command, which says what to do, and stays unchanged", async () => {
    await using database = await engine.createDatabase();
    await loadStored(database, "before-0.2.0");
    const before = await describeSchema(database);
    using folder = temporaryFolder();
    const options = { cwd: folder.path, env: { DATABASE_URL: database.url } };
    await Bun.write(join(folder.path, "animals.csv"), "name,categoryId\nRex,1\n");
    for (const args of [
      ["serve", "--port", "0"],
      ["migrate"],
      ["migrate", "--check"],
      ["upgrade", "--check"],
      ["keys", "list"],
      ["keys", "create", "--name", "new"],
      ["export", "out.csv"],
      ["import", "animals.csv"],
      ["seed", "--count", "1"],
      ["animals", "log"],
      ["animals", "remove", "1"],
      ["copy", "--from", database.url, "--to", "sqlite:./copy.db"],
    ]) {
      const { exitCode, stderr } = await run(args, options);
      expect([args[0], exitCode]).toEqual([args[0], 1]);
      expect(stderr).toMatch(
        /^animal-store: .+ has schema version [79], from before release 0\.2\.0, and this program cannot use it\. Export .+`animal-store export animals\.ndjson`.+`animal-store import animals\.ndjson`/,
      );
      expect(stderr.trim().split("\n")).toHaveLength(1);
    }
    expect(await describeSchema(database)).toEqual(before);
    expect(await database.query("SELECT id FROM animal")).toHaveLength(3);
  });
});

test("a backup from before 0.2.0 is refused, and so is a store from before 0.2.0 in the place of a backup", async () => {
  using folder = temporaryFolder();
  const file = (name: string) => join(folder.path, name);
  await loadStored({ url: `sqlite:${file("old.db")}` }, "before-0.2.0");
  const options = { cwd: folder.path, env: { DATABASE_URL: "sqlite:./new.db" } };
  expect((await run(["restore", "old.db", "--ids-from", "9"], options)).stderr).toContain(
    "from before release 0.2.0",
  );
  expect((await run(["seed", "--count", "1"], options)).exitCode).toBe(0);
  expect((await run(["backup", "new.bak"], options)).exitCode).toBe(0);
  const old = { cwd: folder.path, env: { DATABASE_URL: "sqlite:./old.db" } };
  expect((await run(["backup", "old.bak"], old)).stderr).toContain("from before release 0.2.0");
  const restored = await run(["restore", "new.bak", "--force", "--ids-from", "9"], old);
  expect(restored).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("from before release 0.2.0"),
  });
});
