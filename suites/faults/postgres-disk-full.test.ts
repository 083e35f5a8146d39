import { expect, test } from "bun:test";
import { Caller, expectUnavailable } from "../../test/support/caller.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { canMount } from "../../test/support/full-disk.ts";
import { Metrics } from "../../test/support/metrics.ts";
import { postgresWithSmallDisk } from "../../test/support/postgres/small-disk.ts";
import { UNHURRIED } from "../../test/support/postgres/unhurried.ts";
import { serve } from "../../test/support/program.ts";
import { until, untilStatus } from "../../test/support/until.ts";

const WRITING = "Not ready: the store can be read but not written.";
const READING = "Not ready: the store cannot be read.";

const testWithDisk = test.skipIf(!canMount());

/** A PostgreSQL that keeps the store's tables on its small disk, a service on it, and what asks whether that is ready. */
async function startOnSmallDisk() {
  await using started = new AsyncDisposableStack();
  const postgres = started.use(await postgresWithSmallDisk(32));
  await postgres.server.start();
  await postgres.server.query(`CREATE TABLESPACE small LOCATION '${postgres.disk}'`);
  await postgres.server.query("CREATE DATABASE animals TABLESPACE small");
  const folder = started.use(temporaryFolder());
  const env = { DATABASE_URL: postgres.server.url("animals") + UNHURRIED, METRICS_PORT: "0" };
  const service = started.use(await serve({ cwd: folder.path, env }));
  const ready = () => fetch(`${service.address}/readyz`);
  const stop = started.move();
  return { ...postgres, service, ready, [Symbol.asyncDispose]: () => stop.disposeAsync() };
}

/** What `/readyz` says once it says that the service is not ready. */
async function unready(ready: () => Promise<Response>): Promise<unknown> {
  const answer = await untilStatus(ready, 503);
  const { code, message } = (await answer.json()) as Record<string, unknown>;
  expect(code).toBe("not_ready");
  return message;
}

testWithDisk(
  "a full disk of PostgreSQL makes the service not ready before a create fails, and ready again once it has room",
  async () => {
    await using started = await startOnSmallDisk();
    const { service, ready } = started;
    const readyMetric = async () => (await Metrics.of(service)).sum("animal_store_ready");
    started.fill();
    const answer = await ready();
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ code: "not_ready", message: WRITING });
    await service.says('"msg":"not ready: writing fails"');
    // On a busy machine the look may have taken too long before the disk refused it.
    expect(service.output()).toMatch(/"part":"writing","err":{"type":"StoreFailure","message":"PostgreSQL/);
    await until(async () => (await readyMetric()) === 0);
    expect((await new Caller(service).list()).status).toBe(200);
    // Nobody writes, and it finds out.
    started.makeRoom();
    await untilStatus(ready, 200);
    await service.says('"msg":"ready again"');
    await until(async () => (await readyMetric()) > 0);
  },
);

testWithDisk(
  "a full disk of PostgreSQL refuses creates with 503, and accepts them again once it has room",
  async () => {
    await using started = await startOnSmallDisk();
    const { service, ready } = started;
    const caller = new Caller(service);
    const stored: string[] = [];
    started.fill();
    // Pages that the tables have already take some.
    for (let isFull = false; !isFull; ) {
      const name = `before ${stored.length}`;
      const answer = await caller.create(name);
      isFull = answer.status !== 201;
      if (isFull) await expectUnavailable(answer);
      else stored.push(name);
    }
    await service.says('"message":"PostgreSQL: 53100: ');
    expect(await unready(ready)).toBe(WRITING);
    expect(await caller.names()).toEqual(stored);
    const refused = Array.from({ length: 20 }, (_, n) => `refused ${n}`.padEnd(250, "."));
    const create = () => Promise.all(refused.map((name) => caller.create(name)));
    for (const answer of await create()) await expectUnavailable(answer);

    started.makeRoom();
    await untilStatus(ready, 200);
    for (const { status } of [...(await create()), ...(await create())]) expect(status).toBe(201);
    expect((await caller.names()).sort()).toEqual([...stored, ...refused].sort());
  },
);

testWithDisk(
  "a disk of PostgreSQL that fills up again and again under load loses no acknowledged create",
  async () => {
    await using started = await startOnSmallDisk();
    const caller = new Caller(started.service);
    let loaded = true;
    let refusals = 0;
    const stored: string[] = [];
    const load = async (client: number) => {
      while (loaded) {
        const name = `${client}.${crypto.randomUUID()}`;
        const refused = await caller.createInTheEnd(name);
        refusals += refused;
        stored.push(name);
      }
    };
    const clients = [1, 2, 3, 4, 5, 6, 7, 8].map(load);
    for (let round = 0; round < 4; round++) {
      const storedBefore = stored.length;
      await until(async () => stored.length >= storedBefore + 50);
      started.fill();
      let isFull = false;
      while (!isFull) isFull = (await caller.create(crypto.randomUUID(), null)).status === 503;
      started.makeRoom();
    }
    loaded = false;
    await Promise.all(clients);
    expect(refusals).toBeGreaterThan(0);
    const names = new Set(await caller.names());
    expect(stored.filter((name) => !names.has(name))).toEqual([]);
  },
);

testWithDisk(
  "a PostgreSQL that ended without room for its log is found again, with every acknowledged create",
  async () => {
    await using postgres = await postgresWithSmallDisk(64);
    const { server } = postgres;
    postgres.holdWal();
    await server.start();
    await server.query("CREATE DATABASE animals");
    using folder = temporaryFolder();
    await using service = await serve({
      cwd: folder.path,
      env: { DATABASE_URL: server.url("animals") + UNHURRIED },
    });
    const ready = () => fetch(`${service.address}/readyz`);
    const caller = new Caller(service);
    const stored = ["a", "b", "c"];
    for (const name of stored) expect((await caller.create(name)).status).toBe(201);
    postgres.fill();
    await server.query("SELECT pg_switch_wal()");
    await expectUnavailable(await caller.create("refused"));
    await server.ended();
    await until(async () => (await unready(ready)) === READING);

    postgres.makeRoom();
    await server.start();
    await untilStatus(ready, 200);
    expect((await caller.create("refused")).status).toBe(201);
    expect(await caller.names()).toEqual([...stored, "refused"]);
  },
);
