import { expect, test } from "bun:test";
import { type Caller, expectUnavailable } from "../../test/support/caller.ts";
import { startInstances } from "../../test/support/instances.ts";
import { keepDoing } from "../../test/support/keep-doing.ts";
import { type Animal, Walker } from "../../test/support/walker.ts";
import { startReplicatedPostgres } from "./replication.ts";

test("when the primary dies and its standby is promoted, nothing that was acknowledged is lost", async () => {
  await using postgres = await startReplicatedPostgres();
  await postgres.createDatabase("animals");
  await using store = await startInstances(postgres.url("animals"), 2);
  const callers = store.callers();

  let refusals = 0;
  /** Whether an answer is a 503 that tells the client to return later; any other answer must be the wanted one. */
  const refused = async (answer: Response, wanted: number): Promise<boolean> => {
    if (answer.status === wanted) return false;
    await expectUnavailable(answer);
    refusals++;
    await Bun.sleep(10);
    return true;
  };
  const acknowledged: Animal[] = [];
  const create = async (caller: Caller, name: string, key: string | null): Promise<void> => {
    const answer = await caller.create(name, key);
    if (!(await refused(answer, 201))) acknowledged.push((await answer.json()) as Animal);
    // Without a key the client cannot know whether it was stored.
    else if (key !== null) await create(caller, name, key);
  };
  let listed = 0;
  const list = async (caller: Caller, query: string | undefined): Promise<Response> => {
    const answer = await caller.list(query);
    if (await refused(answer, 200)) return list(caller, query);
    listed++;
    return answer;
  };
  using creating = keepDoing(16, (client, time) => {
    const name = `${client}.${time}`;
    return create(callers[client % 2] as Caller, name, client < 8 ? name : null);
  });
  const walkers = callers.map((caller) => new Walker({ list: (query) => list(caller, query) }, 50));
  using walking = keepDoing(walkers.length, (client) => (walkers[client] as Walker).goOn());

  const more = (count: number) => {
    const wanted = acknowledged.length + count;
    return creating.until(() => acknowledged.length >= wanted);
  };
  /** Clients are told to come back, for lists too: a server that takes no writes may not have them all. */
  const nothing = async () => {
    const before = { stored: acknowledged.length, listed, refusals };
    await creating.until(() => refusals >= before.refusals + 60);
    // What was on its way may have come.
    expect(acknowledged.length).toBeLessThanOrEqual(before.stored + 16);
    expect(listed).toBeLessThanOrEqual(before.listed + 2);
  };
  await more(300);
  await postgres.primary.kill();
  await nothing();
  await postgres.promote();
  await more(300);

  // The old primary returns, and would take reads and writes as before: no instance uses it, not even while it is
  // alone.
  await postgres.primary.start();
  await postgres.standby.kill();
  await nothing();
  await postgres.standby.start();
  await more(300);
  await Promise.all([creating.stop(), walking.stop()]);

  const [{ seen }] = walkers as [Walker];
  for (const walker of walkers) {
    await walker.goOn();
    expect(walker.seen).toEqual(seen);
  }
  expect(new Set(seen.map(({ name }) => name)).size).toBe(seen.length);
  const stock = new Map(seen.map((animal) => [animal.id, animal]));
  expect(acknowledged.map(({ id }) => stock.get(id))).toEqual(acknowledged);

  // A client that lost a response retries, and learns what it was.
  const keyed = seen.filter(({ name }) => Number.parseInt(name, 10) < 8);
  const again = await Promise.all(keyed.map(({ name }) => store.caller(1).create(name)));
  expect(await Promise.all(again.map((answer) => answer.json()))).toEqual(keyed);
  expect(await store.caller(0).names()).toHaveLength(seen.length);
});

test("while the standby does not answer no create is acknowledged, and a retry gets its outcome", async () => {
  await using postgres = await startReplicatedPostgres();
  await postgres.createDatabase("animals");
  await using store = await startInstances(postgres.url("animals"), 1);
  const caller = store.caller(0);
  expect((await caller.create("before")).status).toBe(201);

  const waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
  for (const how of ["is waited for in vain", "has its connection cut"]) {
    postgres.standby.freeze();
    const creating = Promise.all([
      caller.create(`first that ${how}`),
      caller.create(`second that ${how}`, null),
    ]);
    // By then the primary has committed them.
    while ((await postgres.primary.query(`SELECT 1 ${waiting}`)).length === 0) await Bun.sleep(5);
    if (how === "has its connection cut") {
      await postgres.primary.query(`SELECT pg_terminate_backend(pid) ${waiting}`);
    }
    for (const answer of await creating) await expectUnavailable(answer);
    postgres.standby.thaw();
    await caller.createInTheEnd(`first that ${how}`);
  }
  const names = await caller.names();
  expect(new Set(names).size).toBe(names.length);
  for (const name of ["before", "first that is waited for in vain", "first that has its connection cut"]) {
    expect(names).toContain(name);
  }
});

test("a standby without its primary serves no reads, and no service starts on it", async () => {
  await using postgres = await startReplicatedPostgres();
  await postgres.createDatabase("animals");
  await using store = await startInstances(postgres.url("animals"), 1);
  const caller = store.caller(0);
  expect((await caller.create("before")).status).toBe(201);
  expect((await caller.list()).status).toBe(200);

  await postgres.primary.kill();
  for (let time = 0; time < 3; time++) await expectUnavailable(await caller.list());
  const start = await store.command("serve", "--port", "0");
  expect([start.exitCode, start.stdout]).toEqual([1, ""]);
  expect(start.stderr).toMatch(/^animal-store: no PostgreSQL that takes writes: .* is a standby.*\n$/);
});
