import type { SQL } from "bun";

/**
 * Both end with the transaction, so that they reach no other client of a pooler. Neither takes a snapshot, which a standby
 * refuses to a transaction that is `serializable`.
 */
const OWN_SETTINGS = "SET LOCAL statement_timeout = 0; SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

/**
 * Runs a statement on a session that does not have its settings yet, in one message, which is one transaction: the settings of
 * the role, of the database and of the server neither refuse nor end it.
 *
 * @returns the rows of the statement
 */
export async function runUnset<Row>(sql: SQL, statement: string): Promise<Row[]> {
  const results = await sql.unsafe<Row[][]>(`${OWN_SETTINGS}; ${statement}`);
  return results.at(-1) as Row[];
}
