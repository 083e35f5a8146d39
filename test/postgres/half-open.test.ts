import "../support/run-limits.ts";
import { afterAll, expect, test } from "bun:test";
import { renameSync } from "node:fs";
import { openPool } from "../../src/stores/postgres/connect/open-pool.ts";
import type { Pool } from "../../src/stores/postgres/connect/pool.ts";
import { startOwnPostgres } from "../support/postgres.ts";
import { startProxy } from "../support/proxy.ts";
import { until } from "../support/until.ts";
import { create, startOn } from "./restored-store.ts";

// A machine that is lost says no goodbye: connections to it stay half open, and only seem to last.

const server = await startOwnPostgres(["fsync=off"]);
afterAll(() => server[Symbol.asyncDispose]());

/** A proxy before the server, with addresses of a new database there: through it, and past it. */
async function behindProxy() {
  const proxy = await startProxy(server.port);
  const direct = await server.createDatabase();
  return { proxy, direct, url: direct.replace(`:${server.port}/`, `:${proxy.port}/`) };
}

async function queryOn(url: string, ...statements: string[]): Promise<void> {
  await using sql = new Bun.SQL({ url, max: 1 });
  for (const statement of statements) await sql.unsafe(statement);
}

async function checkpointer(): Promise<number> {
  const text = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'";
  const [row] = await server.query<{ pid: number }>(text);
  return row?.pid as number;
}

/** Reads at once until a connection answers, since a single read would wait for the first. */
async function epochOf(pool: Pool): Promise<number> {
  let found: number | undefined;
  const ask = () =>
    pool.read(async (sql, epoch) => {
      await sql`SELECT 1`;
      return epoch;
    });
  await until(async () => {
    for (const asked of Array.from({ length: 4 }, ask)) {
      asked.then(
        (epoch) => {
          found ??= epoch;
        },
        () => {},
      );
    }
    await Bun.sleep(20);
    return found !== undefined;
  });
  return found as number;
}

test("a server that goes on from an earlier state shows nothing that it has lost, though connections seem to last", async () => {
  const { proxy, direct, url } = await behindProxy();
  await using _ = proxy;
  await using service = await startOn(url);
  await create(service, "kept", service.key);
  const revoked = await service.issueKey();
  await server.kill();
  const snapshot = `${server.data}-snapshot`;
  await Bun.spawn(["cp", "-a", server.data, snapshot]).exited;
  await server.startAgain();
  await until(async () => (await service.call("/v1/pets")).status === 200);
  const lost = await create(service, "lost", service.key);
  await service.store.revokeKey((await service.issueKey()).id, Date.now());
  const headers = { authorization: `Bearer ${revoked.key}` };
  const names = async () =>
    ((await (await service.call("/v1/pets")).json()) as { name: string }[]).map(({ name }) => name);
  expect(await names()).toEqual(["kept", "lost"]);
  expect((await service.call("/v1/pets/1", { headers })).status).toBe(200);

  proxy.interference = { holdsClients: true };
  await server.kill();
  // Its file names the shared memory that it leaves, which goes with the folder.
  renameSync(server.data, `${server.data}-lost`);
  await Bun.spawn(["cp", "-a", snapshot, server.data]).exited;
  await server.startAgain();
  // The store comes to the same revisions again, with another animal and another key revoked.
  await queryOn(
    direct,
    "SET animal_store.appends = on",
    `INSERT INTO animal_store.animal VALUES (${lost}, 'other', 1, 'available')`,
    "INSERT INTO animal_store.append_log DEFAULT VALUES",
    "UPDATE animal_store.api_key SET name = 'once'",
    "UPDATE animal_store.api_key SET name = 'twice'",
    `UPDATE animal_store.api_key SET revoked_at = ${Date.now()} WHERE id = ${revoked.id}`,
  );
  await until(async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => service.call("/v1/pets")));
    return answers.some(({ status }) => status === 200);
  });
  expect(await names()).toEqual(["kept", "other"]);
  expect((await service.call("/v1/pets/1", { headers })).status).toBe(401);
  expect((await service.create('{"name":"late","categoryId":1}', headers)).status).toBe(401);
});

test("a server that loses its memory in the crash of one process counts as another, though connections seem to last", async () => {
  const { proxy, url } = await behindProxy();
  await using _ = proxy;
  const pool = await openPool(url);
  try {
    const before = await epochOf(pool);
    proxy.interference = { holdsClients: true };
    const crashing = await checkpointer();
    process.kill(crashing, "SIGKILL");
    await until(async () => (await checkpointer().catch(() => crashing)) !== crashing);
    expect(await epochOf(pool)).toBeGreaterThan(before);
  } finally {
    await pool.close();
  }
});
