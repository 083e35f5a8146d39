import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { PostgresDatabases } from "../support/postgres/databases.ts";
import { startPostgres } from "../support/postgres.ts";
import { startService } from "../support/service.ts";

const server = await startPostgres();
afterAll(() => server[Symbol.asyncDispose]());
const databases = new PostgresDatabases(server);

/** More than a service has connections. */
const STUCK = 12;

for (const [table, path] of [
  ["store_order", "/v1/orders"],
  ["event", "/v1/events"],
] as const) {
  test(`reads of a locked ${table} keep no list of animals waiting`, async () => {
    await using service = await startService({}, () => databases.create());
    const { call, create, database } = service;
    expect((await create(JSON.stringify({ name: "Rex", categoryId: 1 }))).status).toBe(201);
    expect((await call(path)).status).toBe(200);
    await using locking = new SQL({ url: database.url, max: 1 });
    await locking.unsafe(`BEGIN; LOCK TABLE animal_store.${table} IN ACCESS EXCLUSIVE MODE`).simple();
    let answered = 0;
    const stuck: Promise<number>[] = [];
    for (let reader = 1; reader <= STUCK; reader++) {
      const answer = call(`${path}?limit=${reader}`).then(({ status }) => {
        answered++;
        return status;
      });
      stuck.push(answer);
      // Of a length of its own: no page is kept from before.
      expect((await call(`/v1/pets?limit=${reader}`)).status).toBe(200);
      expect(answered).toBe(0);
    }
    await locking.unsafe("COMMIT").simple();
    expect(await Promise.all(stuck)).toEqual(stuck.map(() => 200));
  });
}
