import { incompleteCopy, UnusableStore } from "../errors.ts";
import type { Pool } from "./connect/pool.ts";

const SECRET_BYTES = 32;

/**
 * The secret that signs cursors, created where there is none. To read it needs no write, so that a service also starts while
 * PostgreSQL takes none.
 *
 * @throws UnusableStore if a copy into this store has begun since it was opened: the copy brings the other store's secret
 */
export async function cursorSecret(pool: Pool): Promise<Uint8Array> {
  const kept = (await find(pool)) ?? (await create(pool));
  if (!kept) throw new UnusableStore(incompleteCopy("the database"));
  return kept;
}

async function find(pool: Pool): Promise<Uint8Array | undefined> {
  const [row] = await pool.read<{ value: Uint8Array }[]>(
    (sql) => sql`
      SELECT value FROM animal_store.secret
       WHERE name = 'cursor' AND NOT EXISTS (SELECT 1 FROM animal_store.incomplete_copy WHERE single)`,
  );
  return row?.value;
}

async function create(pool: Pool): Promise<Uint8Array | undefined> {
  const secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  await pool.write((sql) =>
    sql.begin(async (transaction) => {
      // A copy into this store takes the same lock when it begins, so it is visible once the lock is granted.
      await transaction`SELECT 1 FROM animal_store.state WHERE single FOR UPDATE`;
      await transaction`
        INSERT INTO animal_store.secret
        SELECT 'cursor', ${secret}::bytea WHERE NOT EXISTS (SELECT 1 FROM animal_store.incomplete_copy WHERE single)
        ON CONFLICT DO NOTHING`;
    }),
  );
  return find(pool);
}
