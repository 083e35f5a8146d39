import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { assertHonoured } from "./postgres-url.ts";
import { type Fault, type Testbed, type TestStore, UnusableTestbed } from "./testbed.ts";

/** The schema in which the program keeps everything. */
const SCHEMA = "animal_store";
const MARK = "made by animal-store verify";

/**
 * A testbed in a PostgreSQL database that has no stock: creating the schema fails if it exists, and a schema without our mark
 * is never removed.
 */
export async function openPostgresTestbed(url: string): Promise<Testbed> {
  assertHonoured(url);
  const mark = `${MARK}, ${crypto.randomUUID()}`;
  const sql = connect(url);
  const folder = mkdtempSync(join(tmpdir(), "animal-store-verify-"));
  const end = async () => {
    await sql.close({ timeout: 5 }).catch(() => {});
    rmSync(folder, { recursive: true, force: true });
  };
  let database: string;
  try {
    const [row] = await sql`SELECT current_database() AS database`;
    database = row.database;
    await makeSchema(sql, mark);
  } catch (error) {
    const left = await markOf(sql).catch(() => undefined);
    await end();
    throw unusable(error, left);
  }
  let count = 0;
  return {
    kind: "postgres",
    description: `PostgreSQL, the database ${database}`,
    folder,
    durability: () => askSettings(sql),
    async fresh() {
      // The first schema exists already, and is empty.
      if (count > 0) {
        await dropSchema(sql, mark);
        await makeSchema(sql, mark);
      }
      const own = join(folder, `store-${++count}`);
      mkdirSync(own);
      return new PostgresSchema(url, own, sql);
    },
    async [Symbol.asyncDispose]() {
      try {
        await dropSchema(sql, mark);
      } catch (error) {
        const advice = `remove it with DROP SCHEMA ${SCHEMA} CASCADE`;
        throw new UnusableTestbed(
          `the schema ${SCHEMA} of this run could not be removed: ${(error as Error).message}; ${advice}.`,
        );
      } finally {
        await end();
      }
    },
  };
}

function connect(url: string): SQL {
  try {
    return new SQL({ url, max: 2 });
  } catch (error) {
    throw unusable(error, undefined);
  }
}

/** Atomic: of two concurrent attempts, one fails. */
async function makeSchema(sql: SQL, mark: string): Promise<void> {
  await sql.begin(async (transaction) => {
    await transaction.unsafe(`CREATE SCHEMA ${SCHEMA}`);
    await transaction.unsafe(`COMMENT ON SCHEMA ${SCHEMA} IS '${mark}'`);
  });
}

async function markOf(sql: SQL): Promise<string | undefined> {
  const [schema] = await sql`SELECT obj_description(oid) AS mark FROM pg_namespace WHERE nspname = ${SCHEMA}`;
  return schema?.mark ?? undefined;
}

async function dropSchema(sql: SQL, mark: string): Promise<void> {
  await sql.begin(async (transaction) => {
    if ((await markOf(transaction)) === mark) await transaction.unsafe(`DROP SCHEMA ${SCHEMA} CASCADE`);
  });
}

/** @param left the mark of the existing schema, if it has one */
function unusable(error: unknown, left: string | undefined): UnusableTestbed {
  const { errno, message } = error as { errno?: string; message: string };
  if (errno === "42P06" && left?.startsWith(MARK)) {
    return new UnusableTestbed(
      `the database has a schema ${SCHEMA} of another run of verify. If that run has ended, remove the schema with ` +
        `DROP SCHEMA ${SCHEMA} CASCADE.`,
    );
  }
  if (errno === "42P06") {
    return new UnusableTestbed(
      `the database has a schema ${SCHEMA}, and verify never touches an existing store; name an empty database, ` +
        "for example one made with `createdb animal_store_verify`.",
    );
  }
  if (errno === "42501")
    return new UnusableTestbed("the database user may not create schemas; name a user that may.");
  return new UnusableTestbed(`the database cannot be used: ${message}`);
}

/** What must be on for a commit to be on the disk when it is answered. */
async function askSettings(sql: SQL) {
  const doubts: string[] = [];
  const details: string[] = [];
  for (const name of ["fsync", "synchronous_commit", "full_page_writes"]) {
    const [row] = await sql.unsafe(`SELECT current_setting('${name}') AS value`);
    details.push(`${name} is ${row.value}`);
    if (row.value === "off") doubts.push(`PostgreSQL has ${name} off`);
  }
  const limit = "whether its disk really syncs can only be tested on its machine (pg_test_fsync)";
  return { doubts, details: [`PostgreSQL reports that ${details.join(", ")}; ${limit}`] };
}

class PostgresSchema implements TestStore {
  readonly url: string;
  readonly folder: string;
  readonly #sql: SQL;

  constructor(url: string, folder: string, sql: SQL) {
    this.url = url;
    this.folder = folder;
    this.#sql = sql;
  }

  async confuse(): Promise<Fault> {
    const tables = await this.#tables();
    const rename = async (from: string, to: string) => {
      const statements = tables.map(
        (name) => `ALTER TABLE ${SCHEMA}."${from}${name}" RENAME TO "${to}${name}"`,
      );
      await this.#sql.unsafe(statements.join(";")).simple();
    };
    await rename("", "elsewhere_");
    return { [Symbol.asyncDispose]: () => rename("elsewhere_", "") };
  }

  async #tables(): Promise<string[]> {
    const rows: { name: string }[] = await this.#sql`
      SELECT tablename AS name FROM pg_tables WHERE schemaname = ${SCHEMA}`;
    return rows.map(({ name }) => name);
  }

  /** Every table is locked, so that no statement is answered in time. */
  async block(): Promise<Fault> {
    const tables = await this.#tables();
    const connection = await this.#sql.reserve();
    await connection.unsafe("BEGIN");
    for (const name of tables)
      await connection.unsafe(`LOCK TABLE ${SCHEMA}."${name}" IN ACCESS EXCLUSIVE MODE`);
    return {
      async [Symbol.asyncDispose]() {
        await connection.unsafe("ROLLBACK");
        connection.release();
      },
    };
  }

  /** The next store replaces it in the database. */
  async discard(): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** PostgreSQL has no such examination for a client; the checks read everything through the service. */
  async examine(): Promise<undefined> {}
}
