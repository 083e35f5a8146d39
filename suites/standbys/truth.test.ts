import { expect, test } from "bun:test";
import { expectUnavailable } from "../../test/support/caller.ts";
import { startServers } from "../../test/support/postgres/with-standbys.ts";
import { until } from "../../test/support/until.ts";
import { startReaders, untilAnswers } from "./readers.ts";

// A response shows no less than the primary had confirmed when the request arrived, and nothing that it has not confirmed.

interface Animal {
  readonly id: number;
  readonly name: string;
  readonly status: string;
}

test("what was just created, ordered or recorded shows at once, though no standby has replayed it", async () => {
  await using servers = await startServers();
  await servers.createDatabase("animals");
  await using store = await startReaders(servers.url("animals"), 2);
  const [writer, reader] = [store.caller(0), store.caller(1)];
  const { address } = store.processes[0] as (typeof store.processes)[0];
  const order = (petId: number) =>
    fetch(`${address}/v1/orders`, {
      method: "POST",
      headers: { authorization: `Bearer ${store.keys[0]}`, "content-type": "application/json" },
      body: JSON.stringify({ petId }),
    });
  const read = async <Body>(path: string): Promise<Body> => {
    const answer = await reader.get(path);
    expect(answer.status).toBe(200);
    return (await answer.json()) as Body;
  };
  const onStandbys = (statement: string) =>
    Promise.all(servers.standbys.map((standby) => standby.query(statement)));
  /** Standbys have replayed what was before, and nothing that is done here. */
  const unreplayed = async (work: () => Promise<void>) => {
    for (const standby of servers.standbys) await untilAnswers(store, standby, 1);
    await onStandbys("SELECT pg_wal_replay_pause()");
    await work();
    await onStandbys("SELECT pg_wal_replay_resume()");
  };
  for (let time = 0; time < 5; time++) {
    let animal: Animal;
    await unreplayed(async () => {
      animal = (await (await writer.create(`${time}`)).json()) as Animal;
      expect(await read<Animal>(`/v1/pets/${animal.id}`)).toEqual(animal);
      expect((await read<Animal[]>("/v1/pets?limit=100")).at(-1)).toEqual(animal);
    });
    await unreplayed(async () => {
      const ordered = await order(animal.id);
      expect(ordered.status).toBe(201);
      expect(await read<Animal>(`/v1/pets/${animal.id}`)).toEqual({ ...animal, status: "pending" });
      expect(await read<Animal[]>("/v1/pets?limit=100&status=available")).toEqual([]);
      const placed = (await ordered.json()) as { id: number };
      expect(await read<{ id: number }[]>(`/v1/orders?petId=${animal.id}`)).toMatchObject([placed]);
      expect(await read<{ id: number }>(`/v1/orders/${placed.id}`)).toMatchObject(placed);
      // Three of each time: the animal was created, the order placed, and the animal became pending.
      expect(await read<unknown[]>("/v1/events?limit=100")).toHaveLength(3 * (time + 1));
    });
  }
  // While nothing changes, they answer.
  for (const standby of servers.standbys) await untilAnswers(store, standby);
});

test("what the primary has not confirmed gets 404 on every instance, though every standby shows it", async () => {
  await using servers = await startServers();
  await servers.createDatabase("animals");
  await using store = await startReaders(servers.url("animals"), 2);
  const { primary, standbys } = servers;
  const confirmed = (await (await store.caller(0).create("confirmed")).json()) as Animal;
  for (const standby of standbys) await untilAnswers(store, standby);
  // Nobody has this name, so no commit is ever acknowledged.
  await primary.query("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
  await primary.query("SELECT pg_reload_conf()");
  await until(async () => {
    const [row] = await primary.query<{ names: string }>(
      "SELECT current_setting('synchronous_standby_names') AS names",
    );
    return row?.names === "nobody";
  });
  const creating = store.caller(0).create("not confirmed", null);
  const id = confirmed.id + 1;
  for (const standby of standbys) {
    await until(async () => {
      const sql = new Bun.SQL({ url: standby.url("animals"), max: 1 });
      try {
        return (await sql`SELECT 1 FROM animal_store.animal WHERE id = ${id}`).length > 0;
      } finally {
        await sql.close();
      }
    });
  }
  for (let time = 0; time < 50; time++) {
    for (const caller of store.callers()) {
      expect((await caller.get(`/v1/pets/${id}`)).status).toBe(404);
      expect(await (await caller.list(`limit=100&asked=${time}`)).json()).toEqual([confirmed]);
    }
  }
  await expectUnavailable(await creating);
  // Once the primary shows it, the standbys may.
  await primary.query("ALTER SYSTEM RESET synchronous_standby_names");
  await primary.query("SELECT pg_reload_conf()");
  await until(async () => (await store.caller(1).get(`/v1/pets/${id}`)).status === 200);
  for (const standby of standbys) await untilAnswers(store, standby);
});

test("a standby that follows another primary, which has other animals with the same ids, answers nothing", async () => {
  await using servers = await startServers({ standbys: [[], []], lastFollows: 0 });
  const { primary, standbys } = servers;
  const [promoted, follower] = standbys as [(typeof standbys)[0], (typeof standbys)[0]];
  await servers.createDatabase("animals");
  // The instance does not know the server that is promoted.
  await using store = await startReaders(servers.url("animals", [primary, follower]), 1);
  const caller = store.caller(0);
  expect((await caller.create("before")).status).toBe(201);
  await untilAnswers(store, follower);
  await promoted.query("SELECT pg_promote()");
  await using own = new Bun.SQL({ url: primary.url("animals"), max: 1 });
  await using other = new Bun.SQL({ url: promoted.url("animals"), max: 1 });
  await using following = new Bun.SQL({ url: follower.url("animals"), max: 1 });
  for (let time = 0; time < 20; time++) {
    const animal = (await (await caller.create(`here ${time}`)).json()) as Animal;
    // Two histories come to the same numbers sooner or later.
    const [{ number }] = await own`SELECT max(number) AS number FROM animal_store.append_log`;
    await other.begin(async (sql) => {
      await sql`SELECT set_config('animal_store.appends', 'on', true)`;
      await sql`INSERT INTO animal_store.animal VALUES (${animal.id}, 'elsewhere', 1, 'available')`;
      await sql`INSERT INTO animal_store.append_log OVERRIDING SYSTEM VALUE VALUES (${number})`;
    });
    const replayed = () =>
      following`SELECT 1 FROM animal_store.animal WHERE id = ${animal.id} AND name = 'elsewhere'`;
    await until(async () => (await replayed()).length > 0);
    const before = await store.answersOf(follower);
    expect(await (await caller.get(`/v1/pets/${animal.id}`)).json()).toEqual(animal);
    expect(await caller.names()).not.toContain("elsewhere");
    expect(await store.answersOf(follower)).toBe(before);
  }
});

test("after a promotion, a standby that stays with the old primary answers nothing", async () => {
  await using servers = await startServers();
  const { primary, standbys } = servers;
  const [promoted, left] = standbys as [(typeof standbys)[0], (typeof standbys)[0]];
  await servers.createDatabase("animals");
  await using store = await startReaders(servers.url("animals"), 2);
  expect((await store.caller(0).create("before")).status).toBe(201);
  for (const standby of standbys) await untilAnswers(store, standby);
  await promoted.query("SELECT pg_promote()");
  for (const caller of store.callers())
    await until(async () => (await caller.create("after")).status === 201);
  await using old = new Bun.SQL({ url: primary.url("animals"), max: 1 });
  await using leftBehind = new Bun.SQL({ url: left.url("animals"), max: 1 });
  const before = await store.answersOf(left);
  for (let time = 0; time < 20; time++) {
    await old`INSERT INTO animal_store.animal VALUES (${1000 + time}, 'on the old primary', 1, 'available')`;
    const replayed = () => leftBehind`SELECT 1 FROM animal_store.animal WHERE id = ${1000 + time}`;
    await until(async () => (await replayed()).length > 0);
    const name = `${time}`;
    const animal = (await (await store.caller(time % 2).create(name)).json()) as Animal;
    for (const caller of store.callers()) {
      expect(await (await caller.get(`/v1/pets/${animal.id}`)).json()).toEqual(animal);
      expect(await caller.names()).not.toContain("on the old primary");
    }
  }
  expect(await store.answersOf(left)).toBe(before);
});

test("events that have expired on the primary are gone on every instance, though a standby still has them", async () => {
  await using servers = await startServers();
  await servers.createDatabase("animals");
  await using store = await startReaders(servers.url("animals"), 1);
  const caller = store.caller(0);
  for (const name of ["Rex", "Mia"]) expect((await caller.create(name)).status).toBe(201);
  for (const standby of servers.standbys) await untilAnswers(store, standby);
  const events = async () =>
    (await (await caller.get(`/v1/events?limit=100&asked=${crypto.randomUUID()}`)).json()) as {
      id: number;
    }[];
  const [first] = await events();
  for (const standby of servers.standbys) await standby.query("SELECT pg_wal_replay_pause()");
  // What the service does with events that are older than it keeps them.
  await using sql = new Bun.SQL({ url: servers.primary.url("animals"), max: 1 });
  await sql`DELETE FROM animal_store.event WHERE id = ${first?.id}`;
  await sql`UPDATE animal_store.feed SET expired_through = ${first?.id} WHERE single`;
  const refused = async () =>
    (await store.metrics(0)).sum("animal_store_standby_fallbacks_total", { reason: "behind" });
  const before = await refused();
  // The primary answers alone while standbys are slow, which would show nothing.
  await until(async () => {
    expect(await events()).toMatchObject([{ animal: { name: "Mia" } }]);
    return (await refused()) >= before + 5;
  });
});

test("a key that is revoked fails on its next request on every instance, though standbys are behind", async () => {
  const delayed = ["recovery_min_apply_delay=10s"];
  await using servers = await startServers({ standbys: [[], []] });
  await servers.createDatabase("animals");
  await using store = await startReaders(servers.url("animals"), 2);
  expect((await store.caller(0).create("Rex")).status).toBe(201);
  for (const standby of servers.standbys) {
    await untilAnswers(store, standby);
    await standby.query(`ALTER SYSTEM SET ${delayed[0]?.replace("=", " = '")}'`);
    await standby.query("SELECT pg_reload_conf()");
  }
  for (let time = 0; time < 3; time++) {
    const made = await store.command("keys", "create", "--name", `${time}`, "--json");
    const { id, key } = JSON.parse(made.stdout) as { id: number; key: string };
    const callers = store.callers(key);
    for (const caller of callers) expect((await caller.get("/v1/pets/1")).status).toBe(200);
    expect((await store.command("keys", "revoke", `${id}`)).exitCode).toBe(0);
    for (const caller of callers) expect((await caller.get("/v1/pets/1")).status).toBe(401);
  }
  // No mark of a key is among those that standbys are compared by, so they go on.
  for (const standby of servers.standbys) await untilAnswers(store, standby);
});
