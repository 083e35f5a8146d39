import { StoreFailure } from "../../domain/failure.ts";
import type { ObservationSink } from "../../observations/observation.ts";
import type { Work } from "./connect/connection.ts";
import { findWait } from "./connect/lock-holders.ts";
import { LockWait } from "./connect/lock-wait.ts";
import type { Pool } from "./connect/pool.ts";
import { sqlStateOf } from "./errors.ts";

/** How many times to look for what a read waits for, before PostgreSQL cancels it. */
const LOOKS = 5;
const LOOK_EVERY_MAX_MS = 1000;

/** PostgreSQL cancelled a statement, here at its `statement_timeout`. */
const CANCELLED = "57014";

/**
 * Runs a read that a start or a command cannot do without. It reports what the read waits for; if the read gets no answer in
 * time, the failure names the sessions that hold the lock.
 *
 * @param name the name of the read, for example "the first read"
 * @throws StoreFailure
 */
export async function readOrNameHolders<Result>(
  pool: Pool,
  name: string,
  emit: ObservationSink,
  work: Work<Result>,
): Promise<Result> {
  const waiting = new LockWait(name, emit);
  let watching: Disposable | undefined;
  try {
    return await pool.read((sql, epoch, process) => {
      // After a lost connection the read runs once more, in another process.
      watching?.[Symbol.dispose]();
      const look = () => pool.read((sql) => findWait(sql, process));
      watching = waiting.watch(look, undefined, Math.min(pool.deadlineMs / LOOKS, LOOK_EVERY_MAX_MS));
      return work(sql, epoch, process);
    });
  } catch (error) {
    if (sqlStateOf(error) !== CANCELLED) throw error;
    const message = `${name} waited in vain for ${waiting.description}; end that, and try again.`;
    throw new StoreFailure("store_unavailable", message, { cause: error });
  } finally {
    watching?.[Symbol.dispose]();
  }
}
