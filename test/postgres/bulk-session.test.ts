import { expect, test } from "bun:test";
import { SQL } from "bun";
import { BulkSession } from "../../src/stores/postgres/bulk/session.ts";
import { startPostgres } from "../support/postgres.ts";

test("what belongs to a transaction is not done alone, where the connection was lost in between", async () => {
  await using server = await startPostgres();
  const url = await server.createDatabase();
  await using sql = new SQL({ url, max: 1 });
  await sql`CREATE TABLE public.done (step int)`;
  const session = await BulkSession.open(url);
  const others = sql`SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
                      WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  let goesOn = false;
  const transaction = session.transaction(async () => {
    await session.run((sql) => sql`INSERT INTO public.done VALUES (1)`);
    expect(await others).toHaveLength(1);
    while (!(await ends(session))) await Bun.sleep(5);
    await session.run((sql) => {
      goesOn = true;
      return sql`INSERT INTO public.done VALUES (2)`;
    });
  });
  await expect(transaction).rejects.toThrow("PostgreSQL ended the connection");
  expect(goesOn).toBe(false);
  await session.close();
  expect([...(await sql`SELECT * FROM public.done`)]).toEqual([]);
});

/** Whether it has heard that its connection is no more. */
async function ends(session: BulkSession): Promise<boolean> {
  const error = await session.run((sql) => sql`SELECT 1`).catch((error) => error);
  return String(error).includes("PostgreSQL ended the connection");
}
