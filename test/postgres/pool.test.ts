import { afterAll, expect, test } from "bun:test";
import type { SQL } from "bun";
import type { Observation } from "../../src/observations/observation.ts";
import { openPool } from "../../src/stores/postgres/connect/open-pool.ts";
import type { Pool } from "../../src/stores/postgres/connect/pool.ts";
import { migrate } from "../../src/stores/postgres/migrate.ts";
import { startPostgres } from "../support/postgres.ts";
import { type Link, startProxy } from "../support/proxy.ts";
import { until } from "../support/until.ts";

const server = await startPostgres();
afterAll(() => server[Symbol.asyncDispose]());

/** No statement of these tests is to be given up: they are about who gets which connection. */
const WITHIN_MS = 600_000;

/** A pool on a server that lets no further connection in once it is told to. */
async function startPool() {
  const url = new URL(server.url);
  const known = new Set<Link>();
  let isFull = false;
  let turnedAway = 0;
  const proxy = await startProxy(Number(url.port), {
    toServer(_, link) {
      if (isFull && !known.has(link)) {
        turnedAway++;
        return "cut";
      }
      known.add(link);
      return undefined;
    },
  });
  url.port = `${proxy.port}`;
  const pool = await openPool(url.href);
  return {
    pool,
    /** How many connections were let in. */
    connections: () => known.size,
    turnedAway: () => turnedAway,
    fill() {
      isFull = true;
    },
    async [Symbol.asyncDispose]() {
      await pool.close();
      await proxy[Symbol.asyncDispose]();
    },
  };
}

/** A write that has its connection until it is told to end. */
async function holdWrite(pool: Pool) {
  const holds = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const done = pool.write(async (sql) => {
    await sql`SELECT 1`;
    holds.resolve();
    await release.promise;
  }, WITHIN_MS);
  await Promise.race([holds.promise, done]);
  return { done, end: () => release.resolve() };
}

test("a write that waits for a busy connection gets it, although no other can be opened", async () => {
  await using started = await startPool();
  const { pool } = started;
  const process = (sql: SQL) => sql<{ id: number }[]>`SELECT pg_backend_pid() AS id`;
  const [reader] = await pool.read(process);
  // Until the connection for writes is open.
  await until(async () => (await pool.write(process, WITHIN_MS))[0]?.id !== reader?.id);
  started.fill();
  const first = await holdWrite(pool);
  const second = pool.write((sql) => sql`SELECT 1`, WITHIN_MS);
  await until(() => started.turnedAway() > 0);
  // As long as the pool needs to hear of it.
  await Promise.race([second, Bun.sleep(100)]);
  first.end();
  await Promise.all([first.done, second]);
});

test("a write uses a reader's connection if none for writes can be opened, and reads continue", async () => {
  await using started = await startPool();
  const { pool } = started;
  started.fill();
  const before = started.connections();
  const first = await holdWrite(pool);
  const read = pool.read((sql) => sql`SELECT 1`);
  const second = pool.write((sql) => sql`SELECT 1`, WITHIN_MS);
  first.end();
  await Promise.all([first.done, second, read]);
  expect(started.connections()).toBe(before);
});

test("a separate read uses a connection of the other reads if none of its own can be opened", async () => {
  await using started = await startPool();
  const { pool } = started;
  started.fill();
  const before = started.connections();
  for (let time = 0; time < 2; time++) await pool.readApart((sql) => sql`SELECT 1`);
  expect(started.turnedAway()).toBeGreaterThan(0);
  expect(started.connections()).toBe(before);
});

test("a connection that was asked who it is before the store was made is used, and no other server searched for", async () => {
  const url = new URL(await server.createDatabase());
  const isMade = Promise.withResolvers<void>();
  let asked = 0;
  await using proxy = await startProxy(Number(url.port), {
    toClient(data) {
      if (!data.includes("holdsStore") || ++asked === 1) return undefined;
      return isMade.promise.then(() => data);
    },
  });
  url.port = `${proxy.port}`;
  const events: Observation[] = [];
  const emit = (event: Observation) => void events.push(event);
  const pool = await openPool(url.href, { emit });
  try {
    const processOf = () => pool.write(async (_sql, _epoch, process) => process, WITHIN_MS);
    const first = await processOf();
    await until(() => asked === 2);
    await migrate(pool, emit);
    pool.expectStore();
    isMade.resolve();
    await until(async () => (await processOf()) !== first);
    expect(events.map(({ event }) => event)).toEqual(["schema_changed"]);
  } finally {
    isMade.resolve();
    await pool.close();
  }
});

test("a closed pool refuses requests at once", async () => {
  const pool = await openPool(server.url);
  const ask = () => pool.read((sql) => sql`SELECT 1`);
  await ask();
  await pool.close();
  await expect(ask()).rejects.toThrow("the store is closed");
});
