import "../support/run-limits.ts";
import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { POSTGRES_MIGRATIONS } from "../../src/stores/migrations.ts";
import { KEPT } from "../../src/stores/postgres/change-logs.ts";
import { startPostgres } from "../support/postgres.ts";
import { create, startOn, withEachTable } from "./restored-store.ts";

// A store may go on from an earlier state while no connection ends and no server starts: a dump is restored under the service, or
// a machine goes on from a snapshot of its memory. Other instances may have changed it by the time that this one reads again.

const server = await startPostgres();
afterAll(() => server[Symbol.asyncDispose]());

/** Within this time of a read, the service takes no server to have been restored. */
const NO_RESTORE_MS = 100;

const APPEND = (name: string) =>
  `SET LOCAL animal_store.appends = on;
   INSERT INTO animal_store.animal VALUES (nextval('animal_store.animal_id_seq'), '${name}', 1, 'available');
   INSERT INTO animal_store.append_log DEFAULT VALUES`;

/** What has happened to the store by the next read, and the animals of the lost ids. */
const CASES: readonly (readonly [shown: string, names: readonly string[], since: string])[] = [
  ["less than before", ["kept"], ""],
  ["as much as before", ["kept", "other"], APPEND("other")],
  ["more than before", ["kept", "other", "one more"], `${APPEND("other")}; ${APPEND("one more")}`],
];

for (const [shown, names, since] of CASES) {
  test(`a store that goes on from an earlier state, and shows ${shown}, counts as another`, async () => {
    const url = await server.createDatabase();
    await using sql = new SQL({ url, max: 1 });
    await using service = await startOn(url);
    await create(service, "kept", service.key);
    const known = await service.issueKey();
    await sql.unsafe("CREATE SCHEMA dump");
    await sql.unsafe(withEachTable("CREATE TABLE dump.%1$I AS TABLE animal_store.%1$I")).simple();
    const lost = await create(service, "lost", service.key);
    const issued = await service.issueKey();
    const statusFor = async ({ key }: { key: string }) =>
      (await service.call(`/v1/pets/${lost}`, { headers: { authorization: `Bearer ${key}` } })).status;
    const list = async () =>
      ((await (await service.call("/v1/pets")).json()) as { name: string }[]).map(({ name }) => name);
    // Twice, so that it is cached.
    for (let n = 0; n < 2; n++) {
      expect(await list()).toEqual(["kept", "lost"]);
      expect([await statusFor(known), await statusFor(issued)]).toEqual([200, 200]);
    }

    const [{ keys }] = await sql`SELECT keys_revision AS keys FROM animal_store.state`;
    await Bun.sleep(2 * NO_RESTORE_MS);
    await sql
      .unsafe(
        `BEGIN;
         SET LOCAL session_replication_role = replica;
         ${withEachTable("DELETE FROM animal_store.%1$I", "INSERT INTO animal_store.%1$I OVERRIDING SYSTEM VALUE TABLE dump.%1$I")};
         SET LOCAL session_replication_role = origin;
         SELECT setval('animal_store.animal_id_seq', ${lost} - 1), setval('animal_store.append_log_number_seq', last_value - 1)
           FROM animal_store.append_log_number_seq;
         UPDATE animal_store.api_key SET revoked_at = ${Date.now()} WHERE id = ${known.id};
         ${since};
         -- Its random step may lead below what was shown, which alone would tell: here only the logs do.
         UPDATE animal_store.state SET keys_revision = ${keys} + 1;
         COMMIT`,
      )
      .simple();

    expect((await service.create('{"name":"late","categoryId":1}', bearer(known))).status).toBe(401);
    expect((await service.create('{"name":"late","categoryId":1}', bearer(issued))).status).toBe(401);
    const animal = await service.call(`/v1/pets/${lost}`);
    expect(animal.status).toBe(names.length > 1 ? 200 : 404);
    if (animal.status === 200) expect(await animal.json()).toMatchObject({ name: "other" });
    expect(await list()).toEqual([...names]);
    expect([await statusFor(known), await statusFor(issued)]).toEqual([401, 401]);
  });
}

test("a store that a dump has replaced with its tables counts as another, though it has passed what it lost", async () => {
  const url = await server.createDatabase();
  await using sql = new SQL({ url, max: 1 });
  await using service = await startOn(url);
  await create(service, "kept", service.key);
  await sql.unsafe("CREATE SCHEMA dump");
  await sql.unsafe(withEachTable("CREATE TABLE dump.%1$I AS TABLE animal_store.%1$I")).simple();
  const lost = await create(service, "lost", service.key);
  const nameOfLost = async () =>
    ((await (await service.call(`/v1/pets/${lost}`)).json()) as { name: string }).name;
  // Twice, so that it is cached.
  for (let n = 0; n < 2; n++) expect(await nameOfLost()).toBe("lost");
  await sql
    .unsafe(
      `BEGIN;
       ALTER SCHEMA animal_store RENAME TO replaced;
       CREATE SCHEMA animal_store;
       CREATE TABLE animal_store.migration (number integer PRIMARY KEY);
       ${POSTGRES_MIGRATIONS.join("\n")}
       SET LOCAL session_replication_role = replica;
       ${withEachTable("DELETE FROM animal_store.%1$I", "INSERT INTO animal_store.%1$I OVERRIDING SYSTEM VALUE TABLE dump.%1$I")};
       SET LOCAL session_replication_role = origin;
       SELECT setval('animal_store.animal_id_seq', ${lost} - 1),
              setval('animal_store.append_log_number_seq', max(number) + ${2 * KEPT}) FROM animal_store.append_log;
       ${APPEND("other")};
       -- As pruned.
       DELETE FROM animal_store.append_log WHERE number < (SELECT max(number) FROM animal_store.append_log);
       COMMIT`,
    )
    .simple();
  expect(await nameOfLost()).toBe("other");
});

function bearer({ key }: { key: string }) {
  return { authorization: `Bearer ${key}` };
}
