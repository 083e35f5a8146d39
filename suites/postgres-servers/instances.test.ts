import { afterAll, expect, test } from "bun:test";
import { behaveAsOne } from "../../test/support/as-one.ts";
import { type Instances, startInstances } from "../../test/support/instances.ts";
import { type Postgres, startPostgres } from "../../test/support/postgres.ts";

// Many instances on one database, and no client can tell.

const server: Postgres = await startPostgres();
afterAll(() => server[Symbol.asyncDispose]());

/** Starts so many at once on an empty database: one first key is given, by whichever instance was first. */
async function start(count: number): Promise<Instances> {
  const instances = await startInstances(await server.createDatabase(), count);
  expect(instances.keys).toHaveLength(1);
  return instances;
}

test("ten instances that start at once on an empty database all come up, with one first key", async () => {
  await using store = await start(10);
  for (const caller of store.callers()) expect((await caller.list()).status).toBe(200);
  const listed = await store.command("keys", "list", "--json");
  expect(JSON.parse(listed.stdout)).toHaveLength(1);
});

behaveAsOne(start);
