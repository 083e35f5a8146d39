import { expect, test } from "bun:test";
import { expectUnavailable } from "../../test/support/caller.ts";
import { startInstances } from "../../test/support/instances.ts";
import { keepDoing } from "../../test/support/keep-doing.ts";
import type { PostgresServer } from "../../test/support/postgres/server.ts";
import { untilReplayed } from "../../test/support/postgres/until-replayed.ts";
import { until, untilStatus } from "../../test/support/until.ts";
import { startReplicatedPostgres } from "./replication.ts";

// Which of several servers is the primary while more than one claims to be, and that no commit counts too early.

interface Animal {
  readonly id: number;
  readonly name: string;
}

const WAITING = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

test("no create is acknowledged on a replaced primary that still runs, although its commits succeed", async () => {
  await using postgres = await startReplicatedPostgres({ synchronous: false });
  await postgres.createDatabase("animals");
  await using store = await startInstances(postgres.url("animals"), 2);
  const callers = store.callers();
  let isPromoted = false;
  let before = 0;
  const acknowledgedAfter: Animal[] = [];
  const movedOn = new Set<number>();
  let refused = 0;
  using creating = keepDoing(8, async (client, time) => {
    const startedAfter = isPromoted;
    const answer = await (callers[client % 2] as (typeof callers)[0]).create(`${client}.${time}`, null);
    if (answer.status !== 201) {
      await expectUnavailable(answer);
      refused++;
    } else if (startedAfter) {
      acknowledgedAfter.push((await answer.json()) as Animal);
      movedOn.add(client % 2);
    } else before++;
  });
  await creating.until(() => before >= 50);
  await postgres.promote();
  isPromoted = true;
  // Both instances have moved on when both have stored something.
  await creating.until(() => acknowledgedAfter.length >= 200 && movedOn.size === 2);
  await creating.stop();
  expect(refused).toBeGreaterThan(0);
  const stock = new Map<string, number>();
  for (const caller of callers) {
    for (const name of await caller.names()) stock.set(name, (stock.get(name) ?? 0) + 1);
  }
  // Both instances list the same server, and each animal once.
  expect([...new Set(stock.values())]).toEqual([2]);
  expect(acknowledgedAfter.filter(({ name }) => !stock.has(name))).toEqual([]);
  expect(new Set(acknowledgedAfter.map(({ id }) => id)).size).toBe(acknowledgedAfter.length);
  await store.processes[0]?.says("now using PostgreSQL at 127.0.0.1:");
});

test("a replaced primary is not chosen for taking writes while its successor is read-only", async () => {
  await using postgres = await startReplicatedPostgres({ synchronous: false });
  await postgres.createDatabase("animals");
  await using store = await startInstances(postgres.url("animals"), 1);
  const caller = store.caller(0);
  const create = async (name: string) => (await caller.create(name)).status;
  expect(await create("before")).toBe(201);
  const { primary, standby } = postgres;
  await untilReplayed(primary, standby);
  await standby.query("ALTER SYSTEM SET default_transaction_read_only = on");
  await standby.query("SELECT pg_reload_conf()");
  await postgres.promote();
  for (let time = 0; time < 20; time++) {
    expect(await create(`during ${time}`)).toBe(503);
    await Bun.sleep(100);
  }
  // Lists come from the successor in the end, where nothing was added.
  await untilStatus(() => caller.list(), 200);
  expect(await caller.names()).toEqual(["before"]);
  // An instance that starts now finds the same.
  const started = await store.command("serve", "--port", "0");
  expect(started.exitCode).toBe(1);
  expect(started.stderr).toContain("takes no writes: its default_transaction_read_only is on");
  await standby.query("ALTER SYSTEM RESET default_transaction_read_only");
  await standby.query("SELECT pg_reload_conf()");
  await until(async () => (await create("after")) === 201);
  expect(await caller.names()).toEqual(["before", "after"]);
});

test("a standby of the new primary suffices to detect that a primary was replaced", async () => {
  await using postgres = await startReplicatedPostgres({ synchronous: false, cascaded: true });
  await postgres.createDatabase("animals");
  await using store = await startInstances(postgres.url("animals"), 1);
  const caller = store.caller(0);
  expect((await caller.create("before")).status).toBe(201);
  await postgres.promote();
  await until(async () => (await caller.create("on the successor")).status === 201);
  const { standby } = postgres;
  const cascaded = postgres.cascaded as PostgresServer;
  // It knows of the timeline from its restart point on.
  await standby.query("CHECKPOINT");
  await until(async () => {
    await cascaded.query("CHECKPOINT");
    return (await cascaded.query("SELECT 1 FROM pg_control_checkpoint() WHERE timeline_id = 2")).length > 0;
  });
  await standby.kill();
  // The old primary takes writes, and is alone in that.
  for (let time = 0; time < 5; time++) await expectUnavailable(await caller.create(`during ${time}`));
  const started = await store.command("serve", "--port", "0");
  expect(started.exitCode).toBe(1);
  expect(started.stderr).toContain("was the primary before another was promoted");
});

test("a commit that waits for its standby drops no connection of readers", async () => {
  await using postgres = await startReplicatedPostgres();
  await postgres.createDatabase("animals");
  await using store = await startInstances(postgres.url("animals"), 1);
  const caller = store.caller(0);
  expect((await caller.create("before")).status).toBe(201);
  const statuses = new Set<number>();
  using listing = keepDoing(4, async (_, time) => {
    statuses.add((await caller.list(`limit=${1 + (time % 100)}`)).status);
  });
  const connected = async () =>
    new Set(
      (
        await postgres.primary.query<{ pid: number }>(
          "SELECT pid FROM pg_stat_activity WHERE datname = 'animals' AND wait_event IS DISTINCT FROM 'SyncRep'",
        )
      ).map(({ pid }) => pid),
    );
  await listing.until(() => statuses.size > 0);
  await Bun.sleep(200);
  const before = await connected();
  postgres.standby.freeze();
  try {
    for (let time = 0; time < 3; time++) await expectUnavailable(await caller.create(`during ${time}`));
  } finally {
    postgres.standby.thaw();
  }
  const after = await connected();
  await caller.createInTheEnd("after");
  await listing.stop();
  expect([...statuses]).toEqual([200]);
  // At most the two that write were lost.
  expect([...before].filter((pid) => !after.has(pid)).length).toBeLessThanOrEqual(2);
});

test("a create whose wait for the standby an operator cancels is not acknowledged", async () => {
  await using postgres = await startReplicatedPostgres();
  await postgres.createDatabase("animals");
  await using store = await startInstances(postgres.url("animals"), 1);
  const caller = store.caller(0);
  expect((await caller.create("before")).status).toBe(201);
  postgres.standby.freeze();
  try {
    const creating = caller.create("cancelled");
    await until(async () => (await postgres.primary.query(`SELECT 1 ${WAITING}`)).length > 0);
    // Longer than a commit that need not be doubted.
    await Bun.sleep(400);
    await postgres.primary.query(`SELECT pg_cancel_backend(pid) ${WAITING}`);
    await expectUnavailable(await creating);
  } finally {
    postgres.standby.thaw();
  }
  // Once the standby has it, a retry returns its outcome.
  await caller.createInTheEnd("cancelled");
  expect(await caller.names()).toEqual(["before", "cancelled"]);
});
