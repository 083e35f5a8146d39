import { afterAll, expect, test } from "bun:test";
import { openPostgresStore } from "../../src/stores/postgres/store.ts";
import { PostgresDatabases } from "../support/postgres/databases.ts";
import { startPostgres } from "../support/postgres.ts";
import { startService } from "../support/service.ts";

const server = await startPostgres();
afterAll(() => server[Symbol.asyncDispose]());
const databases = new PostgresDatabases(server);

/** Epochs grow with every reconnection. At 2^13 a revision of 40 bits behind one fills all 53 bits of a number. */
const EPOCHS = [1, 8191, 8192, 100_000, Number.MAX_SAFE_INTEGER];
const TIMES = 10;

test.each(EPOCHS)("lists are fresh and revoked keys fail at once at the epoch %p", async (epoch) => {
  await using database = await databases.create();
  // Another instance makes the changes: by itself a service would know of them.
  const other = await openPostgresStore(database.url, Date.now);
  const store = await openPostgresStore(database.url, Date.now, undefined, epoch);
  await using service = await startService({ store }, async () => ({
    ...database,
    [Symbol.asyncDispose]: async () => {},
  }));
  const names = async () => {
    const answer = await service.call("/v1/pets?limit=100");
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { name: string }[]).map(({ name }) => name);
  };
  for (let time = 1; time <= TIMES; time++) {
    const { id, key } = await service.issueKey();
    const headers = { authorization: `Bearer ${key}` };
    for (let asked = 0; asked < 3; asked++) {
      expect((await service.call("/v1/pets/1", { headers })).status).toBe(time === 1 ? 404 : 200);
    }
    await other.addAnimal({ name: `${time}`, categoryId: 1n, status: "available" });
    expect(await names()).toHaveLength(time);
    await database.query(`UPDATE animal SET name = 'changed' WHERE id = ${time}`);
    expect(await names()).toEqual(Array.from({ length: time }, () => "changed"));
    await other.revokeKey(id, Date.now());
    expect((await service.call("/v1/pets/1", { headers })).status).toBe(401);
    expect((await service.create('{"name":"late","categoryId":1}', headers)).status).toBe(401);
  }
  await other.close();
});
