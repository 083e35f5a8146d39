import { SQL } from "bun";
import type { TestDatabase } from "../database.ts";
import type { Postgres } from "../postgres.ts";
import { NewStore } from "./new-store.ts";

/** The databases of a server, each for one test at a time: emptying a database is faster than creating one. */
export class PostgresDatabases {
  readonly #server: Postgres;
  /** The URLs of empty databases that no test uses. */
  readonly #empty: string[] = [];
  readonly #stores: { readonly url: string; readonly store: NewStore }[] = [];

  constructor(server: Postgres) {
    this.#server = server;
  }

  /** A database with a new store in it. */
  async create(): Promise<TestDatabase> {
    const kept = this.#stores.pop();
    const url = kept?.url ?? (await this.#takeEmpty());
    const sql = connect(url);
    const store = kept?.store ?? (await NewStore.make(url, sql));
    return this.#lend(url, sql, async () => {
      if (await store.restore(sql)) this.#stores.push({ url, store });
      else await this.#clear(url, sql);
    });
  }

  /** An empty database: the first program to open it makes the store. */
  async createEmpty(): Promise<TestDatabase> {
    const url = await this.#takeEmpty();
    const sql = connect(url);
    return this.#lend(url, sql, () => this.#clear(url, sql));
  }

  async #takeEmpty(): Promise<string> {
    return this.#empty.pop() ?? (await this.#server.createDatabase());
  }

  async #clear(url: string, sql: SQL): Promise<void> {
    await sql`DROP SCHEMA IF EXISTS animal_store, new_store CASCADE`;
    this.#empty.push(url);
  }

  /** @param giveBack makes it ready for the next test */
  #lend(url: string, sql: SQL, giveBack: () => Promise<void>): TestDatabase {
    const name = new URL(url).pathname.slice(1);
    return {
      url,
      query: <Row>(statement: string) => sql.unsafe<Row[]>(statement),
      async setLastId(id) {
        await sql`SELECT setval('animal_id_seq', ${id}::bigint)`;
      },
      async lock() {
        const connection = new SQL({ url, max: 1 });
        await connection.unsafe("BEGIN");
        await connection.unsafe("SELECT FROM animal_store.state FOR UPDATE");
        await connection.unsafe("SELECT FROM animal_store.rewrite_lock FOR UPDATE");
        return connection;
      },
      breakDown: async () => {
        await this.#administer(
          `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`,
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
        );
        const repair = () => this.#administer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
        return { [Symbol.asyncDispose]: repair };
      },
      [Symbol.asyncDispose]: async () => {
        await giveBack();
        await sql.close();
      },
    };
  }

  /** Runs statements on the server's own database, since these cannot run inside the database that they change. */
  async #administer(...statements: string[]): Promise<void> {
    await using outside = new SQL({ url: this.#server.url, max: 1 });
    for (const statement of statements) await outside.unsafe(statement);
  }
}

function connect(url: string): SQL {
  return new SQL({ url, max: 1, connection: { search_path: "animal_store" } });
}
