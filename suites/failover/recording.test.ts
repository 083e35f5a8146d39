import { expect, test } from "bun:test";
import { parseExact } from "../../contract/animal.ts";
import { Client } from "../../contract/client.ts";
import { nextQueryOf } from "../../contract/headers.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import type { PostgresServer } from "../../test/support/postgres/server.ts";
import { run, serve } from "../../test/support/program.ts";
import { until } from "../../test/support/until.ts";
import { startReplicatedPostgres } from "./replication.ts";

async function create(client: Client, name: string): Promise<bigint> {
  const { status, body } = await client.send({ path: "/pets", body: `{"name":"${name}","categoryId":1}` });
  expect(status).toBe(201);
  return (parseExact(body) as { id: bigint }).id;
}

/** Resolves when a standby has replayed all that the primary has. */
async function replayed(primary: PostgresServer, standby: PostgresServer): Promise<void> {
  const [{ lsn }] = (await primary.query("SELECT pg_current_wal_lsn()::text AS lsn")) as [{ lsn: string }];
  const reached = `SELECT 1 WHERE pg_last_wal_replay_lsn() >= '${lsn}'`;
  await until(async () => (await standby.query(reached)).length > 0);
}

test("if a failover loses that changes are recorded, they are again, and no reader misses any in silence", async () => {
  await using postgres = await startReplicatedPostgres({ synchronous: false });
  const { primary, standby } = postgres;
  await postgres.createDatabase("animals");
  using folder = temporaryFolder();
  const options = { cwd: folder.path, env: { DATABASE_URL: postgres.url("animals") } };
  let key: string;
  {
    await using first = await serve(options);
    key = first.key;
    await create(new Client(`${first.address}/v1`, key), "kept");
  }
  await replayed(primary, standby);
  await standby.kill();
  const env = { ...options.env, STABILITY: "experimental" };
  await using service = await serve({ ...options, env });
  const client = new Client(`${service.address}/v1`, key);
  const lost = await create(client, "lost");
  const read = async (query = new URLSearchParams()) => {
    const { status, headers, body } = await client.send({ path: `/events?${query}` });
    const events = status === 200 ? (parseExact(body) as { animal: { id: bigint } }[]) : [];
    return {
      status,
      next: nextQueryOf(headers, "/v1/events"),
      animals: events.map(({ animal }) => animal.id),
    };
  };
  const seen = await read();
  expect(seen.animals).toEqual([lost]);
  await primary.kill();
  await standby.start();
  await postgres.promote();
  await until(async () => (await client.send({ path: "/pets?limit=1" })).status === 200);
  await service.says("the store has gone back to before changes were recorded as events");
  const later = await create(client, "later");
  expect((await read(seen.next)).status).toBe(410);
  expect((await read()).animals).toEqual([later]);
});

test("recording that an operator has ended next to a service stays ended through a failover", async () => {
  await using postgres = await startReplicatedPostgres();
  const { primary, standby } = postgres;
  await postgres.createDatabase("animals");
  using folder = temporaryFolder();
  const options = {
    cwd: folder.path,
    env: { DATABASE_URL: postgres.url("animals"), STABILITY: "experimental" },
  };
  await using service = await serve(options);
  const client = new Client(`${service.address}/v1`, service.key);
  await create(client, "recorded");
  expect((await run(["events", "--off", "--quiet"], options)).exitCode).toBe(0);
  await replayed(primary, standby);
  await primary.kill();
  await postgres.promote();
  await until(async () => (await client.send({ path: "/pets?limit=1" })).status === 200);
  // The service has looked twice at what the new primary records.
  const looks = new Set<string>();
  await until(async () => {
    const rows = await standby.query<{ begun: string }>(
      `SELECT query_start::text AS begun FROM pg_stat_activity WHERE query LIKE '%recording%FROM animal_store.feed%' AND pid <> pg_backend_pid()`,
    );
    for (const { begun } of rows) looks.add(begun);
    return looks.size > 2;
  });
  await create(client, "unrecorded");
  const { stdout } = await run(["events", "--json"], options);
  expect(JSON.parse(stdout)).toMatchObject({ recording: false, kept: 1 });
});
