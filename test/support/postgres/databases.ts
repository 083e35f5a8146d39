import { SQL } from "bun";
import type { TestDatabase } from "../database.ts";
import type { Postgres } from "../postgres.ts";
import { NewStore } from "./new-store.ts";

/** A database, and a connection of ours to it. */
interface Kept {
  readonly url: string;
  /** It stays open from test to test, since restoring a store on a new one takes five times the CPU; the server ends it. */
  readonly sql: SQL;
}

/** The databases of a server, each for one test at a time: emptying a database is faster than creating one. */
export class PostgresDatabases {
  readonly #server: Postgres;
  /** The empty databases that no test uses. */
  readonly #empty: Kept[] = [];
  readonly #stores: (Kept & { readonly store: NewStore })[] = [];

  constructor(server: Postgres) {
    this.#server = server;
  }

  /** A database with a new store in it. */
  async create(): Promise<TestDatabase> {
    const { url, sql, store } = this.#stores.pop() ?? (await this.#createStore());
    return this.#lend({ url, sql }, async () => {
      if (await store.restore(sql)) this.#stores.push({ url, sql, store });
      else await this.#clear({ url, sql });
    });
  }

  /** An empty database: the first program to open it makes the store. */
  async createEmpty(): Promise<TestDatabase> {
    const kept = await this.#takeEmpty();
    return this.#lend(kept, () => this.#clear(kept));
  }

  async #createStore() {
    const { url, sql } = await this.#takeEmpty();
    return { url, sql, store: await NewStore.make(url, sql) };
  }

  async #takeEmpty(): Promise<Kept> {
    const kept = this.#empty.pop();
    if (kept) return kept;
    const url = await this.#server.createDatabase();
    return { url, sql: new SQL({ url, max: 1, connection: { search_path: "animal_store" } }) };
  }

  async #clear(kept: Kept): Promise<void> {
    await kept.sql`DROP SCHEMA IF EXISTS animal_store, new_store CASCADE`;
    this.#empty.push(kept);
  }

  /** @param giveBack makes it ready for the next test */
  #lend({ url, sql }: Kept, giveBack: () => Promise<void>): TestDatabase {
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
      async [Symbol.asyncDispose]() {
        // What the test has set in its session.
        await sql`RESET ALL`;
        await giveBack();
      },
    };
  }

  /** Runs statements on the server's own database, since these cannot run inside the database that they change. */
  async #administer(...statements: string[]): Promise<void> {
    await using outside = new SQL({ url: this.#server.url, max: 1 });
    for (const statement of statements) await outside.unsafe(statement);
  }
}
