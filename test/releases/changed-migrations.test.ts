import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../src/stores/open.ts";
import { APPLICATION_IDS } from "../../src/stores/sqlite/application-id.ts";
import { temporaryFolder } from "../support/folder.ts";
import { run } from "../support/program.ts";

const MIGRATIONS = join(import.meta.dir, "../../src/stores/sqlite/migrations");
const INDEX = "CREATE INDEX event_by_time ON event (at);\n";

function schemaOf(file: string): unknown[] {
  using database = new Database(file);
  return database.query("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").all();
}

async function open(file: string): Promise<void> {
  await (await openStore(`sqlite:${file}`, Date.now)).close();
}

/** A new store, changed by hand after it was made. */
async function madeOtherwise(folder: string, statements: string): Promise<string> {
  const file = join(folder, "changed.db");
  await open(file);
  using database = new Database(file);
  database.run(statements);
  return file;
}

test("an index that a migration had not made yet when it ran is made when the store is migrated", async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "unreleased.db");
  {
    using database = new Database(file);
    for (const name of ["0010-release-0.2.0", "0011-orders", "0012-events"]) {
      database.run(readFileSync(join(MIGRATIONS, `${name}.sql`), "utf8").replace(INDEX, ""));
    }
    database.run(`PRAGMA user_version = 12; PRAGMA application_id = ${APPLICATION_IDS.service}`);
  }
  expect(JSON.stringify(schemaOf(file))).not.toContain("event_by_time");
  await open(file);
  const fresh = join(folder.path, "fresh.db");
  await open(fresh);
  expect(schemaOf(file)).toEqual(schemaOf(fresh));
});

test.each([
  ["is missing", "DROP INDEX event_by_time"],
  ["is another", "DROP INDEX event_by_time; CREATE INDEX event_by_time ON event (at, type)"],
])("an index that %s in a store of this version is made again", async (_, statements) => {
  using folder = temporaryFolder();
  const file = await madeOtherwise(folder.path, statements);
  await open(file);
  const fresh = join(folder.path, "fresh.db");
  await open(fresh);
  expect(schemaOf(file)).toEqual(schemaOf(fresh));
});

test.each([
  ["trigger store_order_insertion_checked", "DROP TRIGGER store_order_insertion_checked"],
  ["column key_use.day", "ALTER TABLE key_use RENAME COLUMN day TO days"],
])("a store without the %s is refused by name, and stays unchanged", async (name, statements) => {
  using folder = temporaryFolder();
  const file = await madeOtherwise(folder.path, statements);
  const before = schemaOf(file);
  const { exitCode, stderr } = await run(["serve", "--port", "0", "--database", `sqlite:${file}`], {
    cwd: folder.path,
  });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: expect.stringContaining(`changed.db is not as a release makes it, in the ${name}. Export`),
  });
  expect(schemaOf(file)).toEqual(before);
});

test("what an operator has added to a store stays, and the store opens", async () => {
  using folder = temporaryFolder();
  const file = await madeOtherwise(
    folder.path,
    "CREATE INDEX by_name ON animal (name); CREATE VIEW sold AS SELECT * FROM animal WHERE status = 'sold'; ANALYZE",
  );
  const before = schemaOf(file);
  await open(file);
  expect(schemaOf(file)).toEqual(before);
});
