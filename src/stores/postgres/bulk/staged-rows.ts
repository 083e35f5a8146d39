import type { StagedRows } from "../../bulk/bulk-database.ts";
import type { OrderedAnimal } from "../../bulk/order-problems.ts";
import { UnusableStore } from "../../errors.ts";
import { logAppend } from "../change-logs.ts";
import { column } from "../columns.ts";
import { sqlStateOf } from "../errors.ts";
import type { BulkSession } from "./session.ts";

/** The temporary table, which disappears with the connection. */
export function stagedRows(session: BulkSession): StagedRows {
  return {
    async create(columns, setUp) {
      const definitions = columns.map(({ name, type }) => `${name} ${type}`).join(", ");
      const position = "position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY";
      // One text is one transaction, so a table whose index cannot be made does not remain.
      const text = `CREATE TEMP TABLE staged (${position}, ${definitions}); ${setUp}`;
      await session.rows(text).catch(async (error: unknown) => {
        throw await explainNoTemporaryTable(session, error);
      });
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

/** Replaces the server's "permission denied" by an explanation of what the role lacks. Returns any other error as it is. */
async function explainNoTemporaryTable(session: BulkSession, error: unknown): Promise<unknown> {
  if (sqlStateOf(error) !== "42501") return error;
  const [row] = await session.rows<{
    user: string;
    role: string;
    database: string;
    quotedDatabase: string;
    owner: string;
  }>(
    `SELECT current_user AS user, quote_ident(current_user) AS role, datname AS database,
            quote_ident(datname) AS "quotedDatabase", pg_get_userbyid(datdba) AS owner
       FROM pg_database WHERE datname = current_database()`,
  );
  const { user, role, database, quotedDatabase, owner } = row ?? {};
  return new UnusableStore(
    `the user ${user} may not create temporary tables in the database ${database}, and new rows are first gathered in ` +
      `one: run this command as ${owner}, or say GRANT TEMPORARY ON DATABASE ${quotedDatabase} TO ${role}.`,
    { cause: error },
  );
}
