import type { SQL } from "bun";
import { UnusableStore } from "../unusable-store.ts";
import { sqlState } from "./errors.ts";
import stockKeysRetries from "./migrations/0001-stock-keys-retries.sql" with { type: "text" };
import importsAndCopies from "./migrations/0002-imports-and-copies.sql" with { type: "text" };
import revision from "./migrations/0003-revision.sql" with { type: "text" };
import keyLines from "./migrations/0004-key-lines.sql" with { type: "text" };
import replays from "./migrations/0005-replays.sql" with { type: "text" };
import type { Pool } from "./pool.ts";

/** In order; a migration that was released is never changed. */
const MIGRATIONS: readonly string[] = [stockKeysRetries, importsAndCopies, revision, keyLines, replays];

/** Names the lock that lets one instance migrate at a time: "ANST". */
const LOCK = 0x41_4e_53_54;

/** How long a migration may take, with those of other instances that it waits for. */
const PATIENCE_MS = 10 * 60 * 1000;

/**
 * Brings the schema up to this program's, under an advisory lock, so that of many instances that start
 * at once one migrates and the others find it done.
 *
 * @throws UnusableStore when the schema belongs to a newer version of this program
 */
export async function migrate(pool: Pool): Promise<void> {
  const migrating = pool.write(
    (sql) =>
      sql.begin(async (transaction) => {
        await transaction`SELECT set_config('statement_timeout', ${`${PATIENCE_MS}`}, true),
                                 set_config('idle_in_transaction_session_timeout', ${`${PATIENCE_MS}`}, true)`;
        await transaction`SELECT pg_advisory_xact_lock(${LOCK})`;
        await transaction`CREATE SCHEMA IF NOT EXISTS animal_store`;
        await transaction`CREATE TABLE IF NOT EXISTS animal_store.migration (number integer PRIMARY KEY)`;
        await applyMissing(transaction);
      }),
    PATIENCE_MS,
  );
  await migrating.catch(async (error) => {
    throw await explainRefusal(pool, error);
  });
}

/** Tells what a user lacks, in place of the server's "permission denied". */
async function explainRefusal(pool: Pool, error: unknown): Promise<unknown> {
  if (sqlState(error) !== "42501") return error;
  const [row] = await pool.read<{ user: string; database: string; missing: boolean }[]>(
    (sql) => sql`SELECT current_user AS user, current_database() AS database,
                        to_regnamespace('animal_store') IS NULL AS missing`,
  );
  const { user, database, missing } = row ?? {};
  return new UnusableStore(
    missing
      ? `the user ${user} may not make the schema animal_store in the database ${database}: as its owner, say ` +
          `GRANT CREATE ON DATABASE ${database} TO ${user}.`
      : `the user ${user} may not use the schema animal_store in the database ${database}, which another user ` +
          `made: ${(error as Error).message}.`,
    { cause: error },
  );
}

async function applyMissing(transaction: SQL): Promise<void> {
  const [row] = await transaction`SELECT coalesce(max(number), 0) AS done FROM animal_store.migration`;
  const done = Number(row?.done);
  if (done > MIGRATIONS.length) {
    throw new UnusableStore(
      `the database has schema version ${done}; this program knows versions up to ${MIGRATIONS.length}. ` +
        "Start a version of Animal Store at least as new as the one that wrote it.",
    );
  }
  for (const [index, migration] of MIGRATIONS.entries()) {
    if (index < done) continue;
    await transaction.unsafe(migration);
    await transaction`INSERT INTO animal_store.migration VALUES (${index + 1})`;
  }
}
