import { Database } from "bun:sqlite";
import { join } from "node:path";
import schema from "../../src/stores/sqlite/migrations/0001-animals-and-keys.sql" with { type: "text" };
import { givenModel, type Side, serve, startFile } from "../side.ts";
import { countAnimals } from "../stock.ts";

const FILE = "store.db";

/** What one writes first: parse, insert, and a durable commit for each request, on the same schema. */
export const transactionEach: Side = {
  name: "a transaction each",
  async start(folder, model) {
    const server = await startFile(import.meta.path, folder, model);
    return { ...server, stored: () => countAnimals(join(folder, FILE)) };
  },
};

if (import.meta.main) {
  const { status, headers } = await givenModel();
  const database = new Database(FILE, { create: true });
  database.run("PRAGMA journal_mode = WAL");
  database.run("PRAGMA synchronous = FULL");
  database.run(schema);
  // A statement outside of BEGIN and COMMIT is a transaction of its own.
  const insert = database.prepare<unknown, [string, number, string]>(
    "INSERT INTO animal (name, category_id, status) VALUES (?, ?, ?)",
  );
  serve(async (request) => {
    const animal = (await request.json()) as { name: string; categoryId: number; status: string };
    const id = insert.run(animal.name, animal.categoryId, animal.status).lastInsertRowid;
    return new Response(JSON.stringify({ id, ...animal }), {
      status,
      headers: { ...headers, location: `/v1/pets/${id}` },
    });
  });
}
