import type { SQL } from "bun";
import { StoreFailure } from "../../domain/failure.ts";
import type { ObservationSink } from "../../observations/observation.ts";
import { findWait } from "./connect/lock-holders.ts";
import { LockWait } from "./connect/lock-wait.ts";
import type { Pool } from "./connect/pool.ts";
import { continueOnServer } from "./events.ts";

/** How many times to look for what the first write waits for, before its deadline. */
const LOOKS = 5;

/** Brings every sequence past the rows that are there: rows that were restored or replicated may come without it. */
export const repairSequences = (sql: SQL): PromiseLike<unknown> =>
  sql`SELECT animal_store.repair_sequences()`;

/**
 * Prepares the server for writes, at the start of a service. While PostgreSQL takes no writes, since a session holds a lock or
 * a standby is away, it reports what it waits for, and leaves the preparation to the first write that succeeds: reads need
 * none.
 */
export async function prepareWriting(pool: Pool, emit: ObservationSink): Promise<void> {
  const waiting = new LockWait("the first write", emit);
  let watching: Disposable | undefined;
  try {
    await pool.write((sql, _, process) => {
      const look = () => pool.read((sql) => findWait(sql, process));
      watching = waiting.watch(look, () => waiting.report(), pool.deadlineMs / LOOKS);
      return repairSequences(sql);
    });
    pool.prepareEachServer(continueOnServer);
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error;
    pool.prepareEachServer(repairSequences);
  } finally {
    watching?.[Symbol.dispose]();
  }
}
