import { join } from "node:path";
import { SQL } from "bun";
import { guardedFolder } from "./postgres/guarded-folder.ts";
import { PostgresPrograms } from "./postgres/programs.ts";
import { PostgresServer } from "./postgres/server.ts";
import { UNHURRIED } from "./postgres/unhurried.ts";

/** A PostgreSQL of a test's own, gone with `await using`, or the server that TEST_DATABASE_URL names. */
export interface Postgres extends AsyncDisposable {
  /** Its own database, from which others are made. */
  readonly url: string;
  /** Makes an empty database and returns its URL. */
  createDatabase(): Promise<string>;
}

/** A PostgreSQL of a test's own, which can be broken and repaired. */
export interface OwnPostgres extends Postgres {
  readonly port: number;
  /** Where its data and its settings are. */
  readonly data: string;
  /** Runs a statement on its own database. */
  query<Row>(statement: string): Promise<Row[]>;
  /** Kills all of its processes, as a machine that loses power does; resolves when they are gone. */
  kill(): Promise<void>;
  /** Stops all of its processes in the middle of what they do, connections and all, until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Starts it again after `kill`, on the same port and data; resolves when it takes connections. */
  startAgain(): Promise<void>;
}

/** Tests of behaviour need speed, and no data that survives a crash of the machine. */
const QUICK = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off"];

/** Test files that run at once share the connections, and each instance of a service may use a dozen. */
const SHARED_CONNECTIONS_MAX = 500;

/** A PostgreSQL for a whole run of tests, which find it by `TEST_DATABASE_URL`. */
export function startSharedPostgres(): Promise<OwnPostgres> {
  return startOwnPostgres([...QUICK, `max_connections=${SHARED_CONNECTIONS_MAX}`]);
}

/**
 * For tests that use a server without breaking it, since other tests or people may use it at the same time. The URLs of
 * its databases allow statements enough time for a busy machine.
 */
export async function startPostgres(): Promise<Postgres> {
  const given = process.env.TEST_DATABASE_URL;
  const server = given === undefined ? await startOwnPostgres(QUICK) : databasesAt(given);
  return {
    url: server.url,
    createDatabase: async () => (await server.createDatabase()) + UNHURRIED,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/**
 * @param settings of the server, in addition to those that every test wants: `ssl=on`, say
 * @param bin the folder of its programs, where a test needs other ones than its run has chosen
 * @param isNewCluster whether it has a system identifier of its own, which the servers of tests share otherwise
 */
export async function startOwnPostgres(
  settings: readonly string[] = [],
  bin?: string,
  isNewCluster = false,
): Promise<OwnPostgres> {
  const folder = guardedFolder();
  const programs = new PostgresPrograms(folder.path, bin);
  const data = join(folder.path, "data");
  await programs.initialise(data, isNewCluster);
  const server = new PostgresServer(programs, data, settings);
  await server.start();
  await printChosenServer(server);
  const { url, createDatabase } = databasesAt(server.url());
  return {
    url,
    createDatabase,
    port: server.port,
    data,
    query: (statement) => server.query(statement),
    kill: () => server.kill(),
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
    startAgain: () => server.start(),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

let printed = false;

/** Prints which server runs, if TEST_POSTGRES_BIN chose it: once for each process, and so for each suite. */
async function printChosenServer(server: PostgresServer): Promise<void> {
  if (printed || !process.env.TEST_POSTGRES_BIN) return;
  printed = true;
  const [row] = await server.query<{ version: string; jit: boolean }>(
    `SELECT split_part(version(), ' on ', 1) AS version,
            pg_jit_available() AND current_setting('jit')::boolean AS jit`,
  );
  console.log(`${row?.version}, JIT ${row?.jit ? "on" : "not available"}`);
}

/** Makes databases on a server, and drops them at the end. */
function databasesAt(url: string): Postgres {
  const made: string[] = [];
  return {
    url,
    async createDatabase() {
      const name = `animal_store_test_${crypto.randomUUID().replaceAll("-", "")}`;
      await using sql = new SQL({ url, max: 1 });
      await sql.unsafe(`CREATE DATABASE ${name}`);
      made.push(name);
      const database = new URL(url);
      database.pathname = `/${name}`;
      return database.href;
    },
    async [Symbol.asyncDispose]() {
      await using sql = new SQL({ url, max: 1 });
      for (const name of made) await sql.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}
