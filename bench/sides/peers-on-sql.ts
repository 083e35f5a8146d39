import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { PEERS, type Runtime, runtimeCommand } from "../peers/install.ts";
import { startServer } from "../server.ts";
import type { Filter, Side, Start } from "../side.ts";
import { countAnimals } from "../sqlite-file.ts";
import { ANIMAL_COLUMNS } from "../stock.ts";

const KEY = `as_live_${"7".repeat(36)}`;

/** A service as a developer would write it with a framework: the same data, keys looked up by hash, durable creates. */
function peer(name: string, runtime: Runtime, file: string): Side {
  return {
    name,
    kind: "peer",
    likeness: "data",
    checksKeys: true,
    unavailable: () => {
      if (!existsSync(join(PEERS, "node_modules"))) return "it is not installed";
      const driver = join(PEERS, "node_modules/better-sqlite3");
      if (runtime === "node" && !existsSync(join(driver, "build/Release/better_sqlite3.node"))) {
        return "better-sqlite3 is not built on this machine";
      }
      return undefined;
    },
    async start({ folder, animals }: Start) {
      const store = join(folder, "store.db");
      fill(store, animals);
      const command = [...runtimeCommand(runtime), join(PEERS, "peers/js", file), store];
      const server = await startServer(command, { folder, env: { NODE_ENV: "production" } });
      return {
        ...server,
        headers: { authorization: `Bearer ${KEY}` },
        pagePath: (after: number, status: Filter) =>
          `/v1/pets?limit=20${status ? `&status=${status}` : ""}&cursor=${after}`,
        stored: async () => countAnimals(store),
      };
    },
  };
}

export const peersOnSql: readonly Side[] = [
  peer("Fastify on Node, better-sqlite3", "node", "fastify.js"),
  peer("Hono on Node, better-sqlite3", "node", "hono-node.js"),
  peer("Hono on Bun, bun:sqlite", "bun", "hono-bun.js"),
  peer("Elysia on Bun, bun:sqlite", "bun", "elysia.js"),
];

function fill(file: string, animals: number): void {
  using database = new Database(file);
  database.run("PRAGMA journal_mode = WAL");
  database.run("PRAGMA synchronous = OFF");
  database.run(
    "CREATE TABLE animal (id INTEGER PRIMARY KEY, name TEXT NOT NULL, category_id INTEGER NOT NULL, status TEXT NOT NULL)",
  );
  database.run("CREATE INDEX animal_by_status ON animal (status)");
  database.run("CREATE TABLE api_key (hash TEXT PRIMARY KEY) WITHOUT ROWID");
  const hash = new Bun.CryptoHasher("sha256").update(KEY).digest("hex");
  database.run("INSERT INTO api_key VALUES (?)", [hash]);
  database.run(
    `WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < ${animals})
     INSERT INTO animal SELECT id, ${ANIMAL_COLUMNS} FROM ids WHERE id <= ${animals}`,
  );
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  // Otherwise the first sync of a create would wait for the file's own pages.
  Bun.spawnSync(["sync", file]);
}
