import type { StagedRows } from "../../bulk/bulk-database.ts";
import type { OrderedAnimal } from "../../bulk/order-problems.ts";
import { logAppend } from "../change-logs.ts";
import { column } from "../columns.ts";
import type { BulkSession } from "./session.ts";

/** The temporary table, which disappears with the connection. */
export function stagedRows(session: BulkSession): StagedRows {
  return {
    async create(columns, setUp) {
      const definitions = columns.map(({ name, type }) => `${name} ${type}`).join(", ");
      const position = "position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY";
      // One text is one transaction, so a table whose index cannot be made does not remain.
      await session.rows(`CREATE TEMP TABLE staged (${position}, ${definitions}); ${setUp}`);
    },
    async drop() {
      await session.rows("DROP TABLE staged").catch(() => {});
    },
    orderedAnimals: (ids) =>
      session.run<OrderedAnimal[]>(
        (sql) => sql`
          SELECT given.id, a.status, o.id AS "orderId", o.status AS "orderStatus",
                 EXISTS (SELECT 1 FROM staged s WHERE s.animal_id = given.id AND s.status <> 'cancelled') AS staged
            FROM unnest(${column(sql, ids, String)}::bigint[]) AS given (id)
            LEFT JOIN animal_store.animal a ON a.id = given.id
            LEFT JOIN animal_store.store_order o ON o.animal_id = given.id AND o.status <> 'cancelled'`,
      ),
    // In the same order as the service, so that they never deadlock: animals by id, then the ids of orders.
    async lockAnimals({ from, to }) {
      await session.rows(
        `SELECT count(*) FROM (
           SELECT 1 FROM animal_store.animal
            WHERE id IN (SELECT animal_id FROM staged WHERE position > $1::bigint AND position <= $2::bigint)
            ORDER BY id FOR UPDATE) AS locked`,
        [from, to],
      );
    },
    async copy(table, text, parameters) {
      await session.rows(text, parameters);
      if (table === "animal") await session.run(logAppend);
    },
  };
}
