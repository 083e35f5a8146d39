import { expect, test } from "bun:test";
import { parseExact } from "../../contract/animal.ts";
import { Client } from "../../contract/client.ts";
import { nextQueryOf } from "../../contract/headers.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { untilReplayed } from "../../test/support/postgres/until-replayed.ts";
import { run, serve } from "../../test/support/program.ts";
import { until } from "../../test/support/until.ts";
import { createAnimal } from "./create-animal.ts";
import { startReplicatedPostgres } from "./replication.ts";

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
    await createAnimal(new Client(`${first.address}/v1`, key), "kept");
  }
  await untilReplayed(primary, standby);
  await standby.kill();
  const env = { ...options.env, STABILITY: "experimental" };
  await using service = await serve({ ...options, env });
  const client = new Client(`${service.address}/v1`, key);
  const lost = await createAnimal(client, "lost");
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
  const later = await createAnimal(client, "later");
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
  await createAnimal(client, "recorded");
  expect((await run(["events", "--off", "--quiet"], options)).exitCode).toBe(0);
  await untilReplayed(primary, standby);
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
  await createAnimal(client, "unrecorded");
  const { stdout } = await run(["events", "--json"], options);
  expect(JSON.parse(stdout)).toMatchObject({ recording: false, kept: 1 });
});
