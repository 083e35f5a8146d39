import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { until } from "../../test/support/until.ts";
import { parentOf, together } from "../accounting.ts";
import { HERE, programOf } from "../program.ts";
import { accounted, startServer } from "../server.ts";
import type { SharedParts } from "../shared-parts.ts";
import type { RunningSide, Side, Start } from "../side.ts";
import { ANIMAL_COLUMNS } from "../stock.ts";
import { type OurOptions, signedPages } from "./animal-store.ts";

/** The service on a PostgreSQL of this machine, both with default settings. */
export function onPostgres({ name = "animal-store on PostgreSQL", ...options }: OurOptions = {}): Side {
  return onServers({ name, ...options }, async (shared) => {
    const url = await (await shared.postgres()).createDatabase();
    return { url, servers: [url] };
  });
}

/** The service on a primary and two standbys, all of this machine. The standbys answer reads. */
export function onStandbys({
  name = "animal-store on standbys",
  settings,
  ...options
}: OurOptions = {}): Side {
  const reading = { READ_STANDBYS: "true", ...settings };
  return onServers({ name, settings: reading, ...options }, async (shared) => {
    const cluster = await shared.servers();
    const database = `bench_${crypto.randomUUID().replaceAll("-", "")}`;
    await cluster.createDatabase(database);
    const servers = [cluster.primary, ...cluster.standbys].map((server) => server.url(database));
    return { url: cluster.url(database), servers };
  });
}

/** A new database. */
interface Database {
  /** As the service is given it. */
  readonly url: string;
  /** The same on each of its servers, the primary first. */
  readonly servers: readonly string[];
}

function onServers(
  { name, root = HERE, settings = {} }: OurOptions & { readonly name: string },
  createDatabase: (shared: SharedParts) => Promise<Database>,
): Side {
  return {
    name,
    kind: "ours",
    likeness: "data",
    checksKeys: true,
    async start({ folder, animals, shared }: Start): Promise<RunningSide> {
      const { url, servers } = await createDatabase(shared);
      const keyFile = join(folder, "key");
      const env = { ...settings, DATABASE_URL: url, FIRST_KEY: keyFile };
      const server = await startServer([programOf(root), "serve", "--port", "0"], { folder, env });
      const connections = servers.map((each) => new SQL({ url: each, max: 1 }));
      const [sql, ...standbys] = connections as [SQL, ...SQL[]];
      await fill(sql, animals);
      for (const standby of standbys) await until(async () => (await count(standby)) === animals);
      const postmasters = await Promise.all(connections.map(postmaster));
      return {
        ...server,
        headers: { authorization: `Bearer ${readFileSync(keyFile, "utf8").trim()}` },
        beside: { name: "PostgreSQL", ...together(postmasters.map(accounted)) },
        pagePath: signedPages(await secretOf(sql)),
        stored: () => count(sql),
        async [Symbol.asyncDispose]() {
          for (const connection of connections) await connection.close();
          await server[Symbol.asyncDispose]();
          await drop(servers[0] as string);
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

async function count(sql: SQL): Promise<number> {
  return Number((await sql`SELECT count(*) AS n FROM animal_store.animal`)[0].n);
}

/** Several starts would fill the disk. */
async function drop(database: string): Promise<void> {
  const server = new URL(database);
  const name = server.pathname.slice(1);
  server.pathname = "/postgres";
  await using sql = new SQL({ url: server.href, max: 1 });
  await sql.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
}

/** The main process of the server: the parent of the process that serves this connection. */
async function postmaster(sql: SQL): Promise<number> {
  return parentOf(Number((await sql`SELECT pg_backend_pid() AS pid`)[0].pid));
}

async function secretOf(sql: SQL): Promise<Uint8Array> {
  return (await sql`SELECT value FROM animal_store.secret WHERE name = 'cursor'`)[0].value;
}
