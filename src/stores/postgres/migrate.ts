import type { SQL } from "bun";
import type { ObservationSink } from "../../observations/observation.ts";
import { Pauses } from "../../system/pauses.ts";
import { UnusableStore } from "../errors.ts";
import { POSTGRES_MIGRATIONS } from "../migrations.ts";
import { assertSchemaVersion, FIRST_SCHEMA_VERSION } from "../schema-version.ts";
import { changesSince } from "../store-schema.ts";
import { findWait } from "./connect/lock-holders.ts";
import { LockWait } from "./connect/lock-wait.ts";
import type { Pool } from "./connect/pool.ts";
import { sqlStateOf } from "./errors.ts";
import { explainMissingRights } from "./rights.ts";

/** The schema version after this program's last migration. */
export const SCHEMA_VERSION = FIRST_SCHEMA_VERSION + POSTGRES_MIGRATIONS.length - 1;

/** What a store of this version still needs. */
export const changesFrom = (found: number) => changesSince(POSTGRES_MIGRATIONS, FIRST_SCHEMA_VERSION, found);

/** The key of the advisory lock that lets one instance migrate at a time: "ANST". */
const LOCK = 0x41_4e_53_54;

/**
 * How long a migration waits for a lock at a time. Meanwhile the statements of running instances queue behind it, so this
 * must stay well below the deadline of a request.
 */
const LOCK_TIMEOUT_MS = 200;
/** The pause between two attempts, in which those statements can run. */
const PAUSE_MIN_MS = 500;
const PAUSE_MAX_MS = 5000;
/** How long it keeps trying: a dump of a large database may hold its locks for minutes. */
const MIGRATION_TIMEOUT_MS = 10 * 60 * 1000;

/**
 * Migrates the schema to this program's version, under an advisory lock: if many instances start at once, one migrates
 * and the others find the schema up to date. It blocks no instance that serves, since it waits for a lock only briefly
 * and then tries again. If nothing needs to change, the role needs no right to change the schema.
 *
 * @throws UnusableStore if the schema belongs to a newer version of this program, if the role lacks a right, or if
 *   other sessions hold a lock for too long
 */
export async function migrate(pool: Pool, emit: ObservationSink): Promise<void> {
  const from = await schemaVersion(pool);
  if (from === SCHEMA_VERSION) return;
  const waiting = new LockWait("the change of the schema", emit);
  const giveUpAt = performance.now() + MIGRATION_TIMEOUT_MS;
  const pauses = new Pauses(PAUSE_MIN_MS, PAUSE_MAX_MS);
  for (;;) {
    try {
      const found = await attempt(pool, waiting);
      // Another instance may have changed it since.
      if (found < SCHEMA_VERSION) emit({ event: "schema_changed", from: found, to: SCHEMA_VERSION });
      return;
    } catch (error) {
      // 55P03: the lock was not granted in time.
      if (sqlStateOf(error) !== "55P03") throw await explain(pool, error, from);
      if (performance.now() > giveUpAt) throw failure(waiting, error);
    }
    waiting.report();
    await pauses.wait();
  }
}

/**
 * The number of the last migration that was applied; 0 if there is no store.
 *
 * @throws UnusableStore if this program cannot use that version, or the role may not read it
 */
export async function schemaVersion(pool: Pool): Promise<number> {
  try {
    const [found] = await pool.read<{ made: boolean }[]>(
      (sql) => sql`SELECT to_regclass('animal_store.migration') IS NOT NULL AS made`,
    );
    if (!found?.made) return 0;
    const [row] = await pool.read<{ done: number }[]>(
      (sql) => sql`SELECT coalesce(max(number), 0) AS done FROM animal_store.migration`,
    );
    return assertKnown(Number(row?.done));
  } catch (error) {
    throw await explain(pool, error, undefined);
  }
}

/** Tries once, and records meanwhile which sessions hold the lock that it waits for. Returns the version before. */
async function attempt(pool: Pool, waiting: LockWait): Promise<number> {
  let watching: Disposable | undefined;
  try {
    return await pool.write(
      (sql, _, process) =>
        sql.begin(async (transaction) => {
          await transaction`
            SELECT set_config('lock_timeout', ${`${LOCK_TIMEOUT_MS}`}, true),
                   set_config('statement_timeout', ${`${MIGRATION_TIMEOUT_MS}`}, true),
                   set_config('idle_in_transaction_session_timeout', ${`${MIGRATION_TIMEOUT_MS}`}, true)`;
          const look = () => pool.read((sql) => findWait(sql, process));
          // Reported once for each attempt, after it.
          watching = waiting.watch(look, () => {}, LOCK_TIMEOUT_MS / 4);
          await transaction`SELECT pg_advisory_xact_lock(${LOCK})`;
          // CREATE … IF NOT EXISTS requires the right to create even if there is nothing to do.
          const [found] = await transaction`SELECT to_regnamespace('animal_store') IS NOT NULL AS "hasSchema",
                                                   to_regclass('animal_store.migration') IS NOT NULL AS "hasTable"`;
          if (!found.hasSchema) await transaction`CREATE SCHEMA animal_store`;
          if (!found.hasTable)
            await transaction`CREATE TABLE animal_store.migration (number integer PRIMARY KEY)`;
          return await applyMissing(transaction);
        }),
      MIGRATION_TIMEOUT_MS,
    );
  } finally {
    watching?.[Symbol.dispose]();
  }
}

/** Returns the version before. */
async function applyMissing(transaction: SQL): Promise<number> {
  const [row] = await transaction`SELECT coalesce(max(number), 0) AS done FROM animal_store.migration`;
  const done = assertKnown(Number(row?.done));
  for (const [index, migration] of POSTGRES_MIGRATIONS.entries()) {
    const number = FIRST_SCHEMA_VERSION + index;
    if (number <= done) continue;
    await transaction.unsafe(migration);
    await transaction`INSERT INTO animal_store.migration VALUES (${number})`;
  }
  return done;
}

function assertKnown(done: number): number {
  assertSchemaVersion(done, SCHEMA_VERSION, "the database");
  return done;
}

/** A table, type or function exists already, or a column is missing (PostgreSQL's appendix A). */
const FOREIGN = /^42(?:P07|710|723|703)$/;

/** @param from the version of the schema; `undefined` if it could not be read */
async function explain(pool: Pool, error: unknown, from: number | undefined): Promise<unknown> {
  if (!FOREIGN.test(sqlStateOf(error) ?? "")) return explainMissingRights(pool, error, from, SCHEMA_VERSION);
  return new UnusableStore(
    `the schema animal_store of the database has something in it that Animal Store has not made ` +
      `(${(error as Error).message}). Nothing was changed. Name another database, or rename that schema.`,
    { cause: error },
  );
}

function failure(waiting: LockWait, cause: unknown): UnusableStore {
  return new UnusableStore(
    `the schema could not be changed within ${MIGRATION_TIMEOUT_MS / 60_000} minutes, since ${waiting.description} held a ` +
      "lock; end that, and start again.",
    { cause },
  );
}
