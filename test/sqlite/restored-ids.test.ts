import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../support/folder.ts";
import { run } from "../support/program.ts";

// Other processes make and restore the store: SQLite would see a store that this one has opened as still in use.

/** A store whose backup has order 1 and event 1, and which has had order 2 and events to 5 since. */
async function backedUp() {
  const folder = temporaryFolder();
  const file = join(folder.path, "store.db");
  const options = { cwd: folder.path, env: { DATABASE_URL: `sqlite:${file}` } };
  const change = (...statements: string[]) => {
    using database = new Database(file);
    for (const statement of statements) database.run(statement);
  };
  const succeed = async (...args: string[]) =>
    expect(await run(args, options)).toMatchObject({ exitCode: 0 });
  const order = (id: number) =>
    `INSERT INTO store_order (animal_id, status, placed_at, updated_at) VALUES (${id}, 'placed', 1, 1)`;
  const event = `INSERT INTO event (type, at, items) VALUES ('animal.created', 1, '[["1", "Rex", "1", "sold"]]')`;
  await succeed("migrate");
  change(
    "INSERT INTO animal (id, name, category_id, status) VALUES (1, 'a', 1, 'available'), (2, 'b', 1, 'available'), (3, 'c', 1, 'available')",
  );
  // As a service leaves it: stores are told apart by this.
  change("INSERT INTO secret VALUES ('cursor', randomblob(32))", order(1), event);
  await succeed("backup", "a.bak");
  change(order(2), event, event, event, event);
  return {
    restore: (...args: string[]) => succeed("restore", "a.bak", "--force", ...args),
    /** The next ids, and the id that a reader of the feed must have reached. */
    next() {
      change(order(3), event);
      using database = new Database(file);
      return database
        .query(
          `SELECT (SELECT max(id) FROM store_order) AS "order", (SELECT max(id) FROM event) AS event,
                  expired_through AS expired FROM feed`,
        )
        .get();
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

test("a restored store gives no id of an order or event again, and lets readers of the feed start again", async () => {
  using store = await backedUp();
  await store.restore();
  // A reader that had come to event 5 has seen changes that are undone.
  expect(store.next()).toEqual({ order: 3, event: 7, expired: 6 });
});

test("--ids-from also applies to orders and events", async () => {
  using store = await backedUp();
  await store.restore("--ids-from", "100");
  expect(store.next()).toEqual({ order: 100, event: 101, expired: 100 });
});
