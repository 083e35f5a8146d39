import { afterAll, expect, test } from "bun:test";
import { EventReader } from "../support/event-reader.ts";
import { startInstances } from "../support/instances.ts";
import { startPostgres } from "../support/postgres.ts";

// Many instances on one database, and no client can tell.

const server = await startPostgres();
afterAll(() => server[Symbol.asyncDispose]());

test("listeners on every instance receive each change, in one order", async () => {
  const database = await server.createDatabase();
  await using store = await startInstances(database, 3, { STABILITY: "experimental" });
  const [key = ""] = store.keys;
  const readers = await Promise.all(store.processes.map(({ address }) => EventReader.open(address, key)));
  await using _ = { [Symbol.asyncDispose]: () => closeAll(readers) };
  const create = async ({ address }: { readonly address: string }) => {
    const response = await fetch(`${address}/v1/pets`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: '{"name":"Rex","categoryId":1}',
    });
    expect(response.status).toBe(201);
  };
  for (const process of store.processes) {
    await create(process);
    // Each listener has the news before the next instance writes: none relies on later writes to be woken.
    for (const reader of readers) expect((await reader.next())?.type).toBe("animal.created");
  }
  const together = 20;
  await Promise.all(Array.from({ length: together }, () => store.processes.map(create)).flat());
  const seen = await Promise.all(readers.map((reader) => reader.take(together * readers.length)));
  const ids = seen[0]?.map(({ id }) => Number(id)) ?? [];
  expect(ids).toEqual([...ids].sort((one, other) => one - other));
  expect(ids).toHaveLength(together * readers.length);
  for (const each of seen) expect(each).toEqual(seen[0] as never);
});

async function closeAll(readers: readonly EventReader[]): Promise<void> {
  for (const reader of readers) await reader[Symbol.asyncDispose]();
}
