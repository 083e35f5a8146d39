import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { startOwnPostgres } from "../../test/support/postgres.ts";
import { cpuMicroseconds } from "../accounting.ts";
import { PROGRAM } from "../program.ts";
import { startServer } from "../server.ts";
import type { RunningSide } from "../side.ts";
import { signedPages } from "../sides/animal-store.ts";
import { ANIMAL_COLUMNS } from "../stock.ts";

/** The animals in the store before the bench adds some. */
export const ANIMALS = 100_000;

/** A PostgreSQL with durable commits, and instances of the service on it. */
export interface Stage extends AsyncDisposable {
  readonly url: string;
  /** As `SHOW server_version` has it. */
  readonly version: string;
  readonly addresses: readonly string[];
  /** Headers of every call. */
  readonly headers: Readonly<Record<string, string>>;
  readonly pagePath: RunningSide["pagePath"];
  /** CPU time so far, in microseconds, of the instances and of PostgreSQL. */
  cpu(): { readonly service: number; readonly postgres: number };
}

// The same columns, checks and indexes as ours, with ids from a sequence, as a developer would first write it.
const PLAIN = `
  CREATE TABLE plain_animal (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 255),
    category_id bigint NOT NULL,
    status text NOT NULL CHECK (status IN ('available', 'pending', 'sold')));
  CREATE INDEX ON plain_animal (status, id);
  INSERT INTO plain_animal (name, category_id, status) SELECT name, category_id, status FROM animal_store.animal`;

export async function setUp(folder: string, instances: number): Promise<Stage> {
  await using undo = new AsyncDisposableStack();
  const postgres = undo.use(await startOwnPostgres());
  const url = await postgres.createDatabase();
  const keyFile = join(folder, "key");
  const addresses: string[] = [];
  const services: { cpuMicroseconds(): number }[] = [];
  for (let count = 0; count < instances; count++) {
    const env = { DATABASE_URL: url, FIRST_KEY: keyFile };
    const server = undo.use(
      await startServer([PROGRAM, "serve", "--port", "0", "--log-level", "info"], { folder, env }),
    );
    addresses.push(server.address);
    services.push(server);
  }
  const sql = new SQL({ url, max: 1 });
  await sql.unsafe(
    `INSERT INTO animal_store.animal SELECT id, ${ANIMAL_COLUMNS} FROM generate_series(1, ${ANIMALS}) AS ids (id)`,
  );
  await sql`SELECT setval('animal_store.animal_id_seq', ${ANIMALS})`;
  await sql.unsafe(PLAIN).simple();
  // PostgreSQL would do this by itself later, in the middle of a measurement.
  await sql`VACUUM (ANALYZE)`;
  await sql`CHECKPOINT`;
  const [{ server_version: version }] = await sql`SHOW server_version`;
  const [{ value: secret }] = await sql`SELECT value FROM animal_store.secret WHERE name = 'cursor'`;
  await sql.close();
  const postmaster = Number(readFileSync(join(postgres.data, "postmaster.pid"), "utf8").split("\n")[0]);
  const everything = undo.move();
  return {
    url,
    version,
    addresses,
    headers: { authorization: `Bearer ${readFileSync(keyFile, "utf8").trim()}` },
    pagePath: signedPages(secret),
    cpu: () => ({
      service: services.reduce((total, each) => total + each.cpuMicroseconds(), 0),
      postgres: cpuMicroseconds(postmaster),
    }),
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  };
}
