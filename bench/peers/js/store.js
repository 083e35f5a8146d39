import { createHash } from "node:crypto";

const COLUMNS = "id, name, category_id AS categoryId, status";

/**
 * The database access of the peers, in the API that better-sqlite3 and bun:sqlite share: prepared statements, and a
 * durable transaction for each animal.
 */
export function openStore(database) {
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("PRAGMA synchronous = FULL");
  const key = database.prepare("SELECT 1 FROM api_key WHERE hash = ?");
  const one = database.prepare(`SELECT ${COLUMNS} FROM animal WHERE id = ?`);
  const all = database.prepare(`SELECT ${COLUMNS} FROM animal WHERE id > ? ORDER BY id LIMIT ?`);
  const some = database.prepare(
    `SELECT ${COLUMNS} FROM animal WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
  );
  const insert = database.prepare("INSERT INTO animal (name, category_id, status) VALUES (?, ?, ?)");
  return {
    knowsKey: (token) => !!key.get(createHash("sha256").update(token).digest("hex")),
    find: (id) => one.get(id),
    /** The animals after an id, and the address of the next page if more follow. */
    list({ limit, status, cursor }) {
      const animals = status ? some.all(status, cursor, limit + 1) : all.all(cursor, limit + 1);
      if (animals.length <= limit) return { animals };
      animals.pop();
      const filter = status ? `status=${status}&` : "";
      return { animals, next: `/v1/pets?limit=${limit}&${filter}cursor=${animals.at(-1).id}` };
    },
    add({ name, categoryId, status }) {
      const { lastInsertRowid } = insert.run(name, categoryId, status);
      return { id: Number(lastInsertRowid), name, categoryId, status };
    },
  };
}
