import type { BulkSession } from "./session.ts";

/** Makes a table give ids above `id`. It never lowers the next id. */
export async function raiseLastId(
  session: BulkSession,
  table: "animal" | "store_order" | "api_key",
  id: bigint,
): Promise<void> {
  if (id === 0n) return;
  const sequence = `animal_store.${table}_id_seq`;
  await session.run((sql) =>
    sql.unsafe(`SELECT setval('${sequence}', greatest(last_value, $1::bigint)) FROM ${sequence}`, [id]),
  );
}
