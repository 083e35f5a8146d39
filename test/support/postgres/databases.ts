import { SQL } from "bun";
import type { TestDatabase } from "../database.ts";
import type { Postgres } from "../postgres.ts";

/** The databases of a server, each for one test at a time: to empty one is quicker than to make one. */
export class PostgresDatabases {
  readonly #server: Postgres;
  readonly #free: string[] = [];

  constructor(server: Postgres) {
    this.#server = server;
  }

  async create(): Promise<TestDatabase> {
    const url = this.#free.pop() ?? (await this.#server.createDatabase());
    const name = new URL(url).pathname.slice(1);
    const sql = new SQL({ url, max: 1, connection: { search_path: "animal_store" } });
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
        await sql`DROP SCHEMA IF EXISTS animal_store CASCADE`;
        await sql.close();
        this.#free.push(url);
      },
    };
  }

  /** Runs statements on the server's own database: another cannot be changed from within. */
  async #administer(...statements: string[]): Promise<void> {
    await using outside = new SQL({ url: this.#server.url, max: 1 });
    for (const statement of statements) await outside.unsafe(statement);
  }
}
