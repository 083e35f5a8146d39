import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { parentOf } from "../accounting.ts";
import { HERE, programOf } from "../program.ts";
import { accounted, startServer } from "../server.ts";
import type { RunningSide, Side, Start } from "../side.ts";
import { ANIMAL_COLUMNS } from "../stock.ts";
import { type OurOptions, signedPages } from "./animal-store.ts";

/** The service on a PostgreSQL of this machine, both with default settings. */
export function onPostgres({
  name = "animal-store on PostgreSQL",
  root = HERE,
  settings = {},
}: OurOptions = {}): Side {
  return {
    name,
    kind: "ours",
    likeness: "data",
    checksKeys: true,
    async start({ folder, animals, shared }: Start): Promise<RunningSide> {
      const url = await (await shared.postgres()).createDatabase();
      const keyFile = join(folder, "key");
      const env = { ...settings, DATABASE_URL: url, FIRST_KEY: keyFile };
      const server = await startServer([programOf(root), "serve", "--port", "0"], { folder, env });
      const sql = new SQL({ url, max: 1 });
      await fill(sql, animals);
      return {
        ...server,
        headers: { authorization: `Bearer ${readFileSync(keyFile, "utf8").trim()}` },
        beside: { name: "PostgreSQL", ...accounted(await postmaster(sql)) },
        pagePath: signedPages(await secretOf(sql)),
        stored: async () => Number((await sql`SELECT count(*) AS n FROM animal_store.animal`)[0].n),
        async [Symbol.asyncDispose]() {
          await sql.close();
          await server[Symbol.asyncDispose]();
        },
      };
    },
  };
}

export const OURS_ON_POSTGRES = onPostgres();

async function fill(sql: SQL, animals: number): Promise<void> {
  await sql.begin(async (transaction) => {
    // Ids go on behind these animals.
    await transaction`SELECT setval('animal_store.animal_id_seq', ${animals})`;
    await transaction.unsafe(
      `INSERT INTO animal_store.animal (id, name, category_id, status)
       SELECT id, ${ANIMAL_COLUMNS} FROM generate_series(1, ${animals}) AS ids (id)`,
    );
  });
  // PostgreSQL would do this by itself later, in the middle of a measurement.
  await sql`VACUUM (ANALYZE) animal_store.animal`;
  await sql`CHECKPOINT`;
}

/** The main process of the server: the parent of the process that serves this connection. */
async function postmaster(sql: SQL): Promise<number> {
  return parentOf(Number((await sql`SELECT pg_backend_pid() AS pid`)[0].pid));
}

async function secretOf(sql: SQL): Promise<Uint8Array> {
  return (await sql`SELECT value FROM animal_store.secret WHERE name = 'cursor'`)[0].value;
}
