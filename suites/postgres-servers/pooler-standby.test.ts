import { expect, test } from "bun:test";
import { SQL } from "bun";
import type { PostgresServer } from "../../test/support/postgres/server.ts";
import { startServers } from "../../test/support/postgres/with-standbys.ts";
import { startReaders } from "../standbys/readers.ts";
import { startPgBouncer } from "./pgbouncer.ts";

const DATABASE = "animals";

test("a standby behind a pooler in transaction mode answers nothing, and its other clients keep their settings", async () => {
  await using servers = await startServers({ standbys: [[]] });
  const { primary, standbys } = servers;
  const [standby] = standbys as [PostgresServer];
  await servers.createDatabase(DATABASE);
  await using pooler = await startPgBouncer(standby.url(DATABASE), "transaction");
  const { port } = new URL(pooler.url);
  await using readers = await startReaders(servers.url(DATABASE, [primary, { port: Number(port) }]), 1);
  const caller = readers.caller(0);
  const animal = await (await caller.create("Rex")).json();
  await readers.processes[0]?.says(
    `the standby at 127.0.0.1:${port} answers no reads: it is behind a pooler`,
  );
  expect(await (await caller.get("/v1/pets/1")).json()).toEqual(animal);
  expect(await readers.answersOf({ port: Number(port) })).toBe(0);
  await using sql = new SQL({ url: pooler.url, max: 5 });
  const asked = Array.from({ length: 5 }, () =>
    sql.unsafe("SELECT current_setting('statement_timeout') AS timeout, pg_sleep(0.1)"),
  );
  for (const [session] of await Promise.all(asked)) expect(session).toMatchObject({ timeout: "0" });
});
