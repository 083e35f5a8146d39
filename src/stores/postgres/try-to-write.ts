import type { Pool } from "./connect/pool.ts";

/** A create of one animal may make each table and index a page larger, and a map of their free pages by three. */
const ROOM_KB = 512;
const ROW_KB = 8;

/**
 * A temporary file of `ROOM_KB` on the disk of the database, which is gone with its statement. It needs room as a table does
 * that grows, and leaves neither a row nor a page. Where `temp_file_limit` forbids such a file, nothing is known of the disk.
 *
 * A row lock is written to the WAL and flushed at the commit like a change, but creates no new version of the row.
 */
const STATEMENTS = `
  SET LOCAL temp_tablespaces = '';
  SET LOCAL work_mem = '64kB';
  WITH spilled AS MATERIALIZED (
    SELECT repeat(' ', ${ROW_KB * 1024})
      FROM generate_series(1, CASE WHEN pg_size_bytes(current_setting('temp_file_limit')) BETWEEN 0 AND ${2 * ROOM_KB * 1024}
                                   THEN 0 ELSE ${ROOM_KB / ROW_KB} END)
  ) SELECT count(*) FROM spilled;
  SELECT FROM animal_store.state WHERE single FOR UPDATE`;

/**
 * Commits a transaction that changes nothing, and needs free space and a sync, as a create does.
 *
 * @throws StoreFailure if the server does not write, or its disk is full
 */
export async function tryToWrite(pool: Pool): Promise<void> {
  await pool.write((sql) => sql.unsafe(STATEMENTS).simple());
}
