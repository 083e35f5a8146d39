import { Database } from "bun:sqlite";
import { join } from "node:path";
import { givenModels, serve, startImitation } from "../imitation.ts";
import type { Side } from "../side.ts";
import { countAnimals } from "../sqlite-file.ts";

const FILE = "data/animal-store.db";

/** What one writes first: parse, insert, and a durable commit for each request, into the very same file as ours. */
export const transactionEach: Side = {
  name: "a transaction each",
  kind: "limit",
  likeness: "bytes",
  checksKeys: false,
  durable: true,
  async start(start) {
    await start.shared.sqlite.copyTo(start.folder, start.animals);
    const side = await startImitation(import.meta.path, start);
    return { ...side, stored: async () => countAnimals(join(start.folder, FILE)) };
  },
};

if (import.meta.main) {
  const [{ status, headers }] = await givenModels();
  const database = new Database(FILE);
  database.run("PRAGMA journal_mode = WAL");
  database.run("PRAGMA synchronous = FULL");
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
