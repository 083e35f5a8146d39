import { afterAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { Caller, expectUnavailable } from "../../test/support/caller.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { expectAll, Load } from "../../test/support/load.ts";
import { UNHURRIED } from "../../test/support/postgres/unhurried.ts";
import { startOwnPostgres } from "../../test/support/postgres.ts";
import { type ServiceProcess, serve } from "../../test/support/program.ts";
import { until, untilStatus } from "../../test/support/until.ts";

// Acknowledged changes must survive the death of the server, so this one syncs to disk.
const server = await startOwnPostgres();
afterAll(() => server[Symbol.asyncDispose]());

/** For tests that wait for a statement to time out. */
const HURRIED = "?statement_timeout=3000";

/** A service on an empty database, which it uses as a role, gone with `await using`. */
async function startService(query = UNHURRIED, instances = 1, role = "postgres") {
  const folders = Array.from({ length: instances }, temporaryFolder);
  const database = await server.createDatabase();
  const url = new URL(database + query);
  url.username = role;
  const env = { DATABASE_URL: url.href };
  const services: ServiceProcess[] = [];
  for (const { path } of folders) services.push(await serve({ cwd: path, env }));
  const key = (services[0] as ServiceProcess).key;
  return {
    database,
    /** The database's name. */
    name: new URL(database).pathname.slice(1),
    services,
    /** So many clients, spread over the instances. */
    callers: (count: number) =>
      Array.from({ length: count }, (_, at) => {
        const { address } = services[at % services.length] as ServiceProcess;
        return new Caller({ address, key });
      }),
    caller: new Caller({ address: (services[0] as ServiceProcess).address, key }),
    async [Symbol.asyncDispose]() {
      for (const service of services) await service[Symbol.asyncDispose]();
      for (const folder of folders) folder[Symbol.dispose]();
    },
  };
}

/** Repeats a request until the service answers it again. */
async function untilServed(caller: Caller): Promise<void> {
  for (;;) {
    const answer = await caller.list();
    if (answer.status === 200) return;
    await expectUnavailable(answer);
    await Bun.sleep(20);
  }
}

/** Repeats a request, which must get 503, until the log says that the database has no store. */
async function untilItMissesItsStore({ caller, services }: Awaited<ReturnType<typeof startService>>) {
  await until(async () => {
    await expectUnavailable(await caller.list());
    return services[0]?.output().includes("the schema animal_store is gone, or not all of it is restored");
  });
}

test("while a killed PostgreSQL restarts under load, requests get 503; then the service recovers, and nothing is lost", async () => {
  await using store = await startService();
  const load = new Load(store.callers(12));
  for (let round = 0; round < 2; round++) {
    await load.stores();
    await server.kill();
    await load.refusesEach(2);
    await expectUnavailable(await fetch(`${store.services[0]?.address}/readyz`), "not_ready");
    await server.startAgain();
    await load.stores();
  }
  await load.stop();
  await expectAll(store.caller, load.acknowledged);
  // What it said a moment ago it says again, for a while.
  await untilStatus(() => fetch(`${store.services[0]?.address}/readyz`), 200);
});

test("while PostgreSQL is frozen every client gets a response, and requests succeed when it continues", async () => {
  await using store = await startService(HURRIED);
  const load = new Load(store.callers(12));
  await load.stores();
  server.freeze();
  try {
    await load.refusesEach(3);
  } finally {
    server.thaw();
  }
  await load.stores();
  await load.stop();
  await expectAll(store.caller, load.acknowledged);
});

test("when connections are cut one by one, each client gets its response or 503, and each animal exists once", async () => {
  await using store = await startService();
  const load = new Load(store.callers(12));
  await load.stores();
  await using admin = new SQL({ url: store.database, max: 1 });
  for (let cut = 0; cut < 60; cut++) {
    await admin`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1`;
    await Bun.sleep(10);
  }
  await load.stores();
  await load.stop();
  await expectAll(store.caller, load.acknowledged);
});

test("a request that waits too long for a lock gets 503, and requests without that lock are served", async () => {
  await using store = await startService(HURRIED);
  expect((await store.caller.create("before")).status).toBe(201);
  await using admin = new SQL({ url: store.database, max: 1 });
  await admin`BEGIN`;
  await admin`SELECT * FROM animal_store.state FOR UPDATE`;
  // More than one connection has to give.
  const creating = Array.from({ length: 20 }, (_, n) => store.caller.create(`during ${n}`));
  for (let count = 0; count < 20; count++) expect(await store.caller.names()).toEqual(["before"]);
  for (const answer of await Promise.all(creating)) await expectUnavailable(answer);
  // The server gives them up too: when the lock is free at last, none of them is stored after all.
  await using watcher = new SQL({ url: store.database, max: 1 });
  const waiting = () => watcher`SELECT 1 FROM pg_stat_activity
                                 WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await until(async () => (await waiting()).length === 0);
  await admin`ROLLBACK`;
  await store.caller.createInTheEnd("after");
  expect(await store.caller.names()).toEqual(["before", "after"]);

  await admin`BEGIN`;
  await admin`LOCK TABLE animal_store.animal, animal_store.api_key, animal_store.state`;
  const answers = await Promise.all([
    store.caller.list("limit=7"),
    store.caller.create("locked"),
    store.caller.list("limit=9"),
  ]);
  for (const answer of answers) await expectUnavailable(answer);
  await admin`ROLLBACK`;
  await untilServed(store.caller);
});

test("while PostgreSQL is read-only, reads continue and creates get 503, until it accepts writes again", async () => {
  await using store = await startService();
  expect((await store.caller.create("before")).status).toBe(201);
  await using admin = new SQL({ url: server.url, max: 1 });
  const readOnly = async (value: "on" | "off") => {
    await admin.unsafe(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
    await admin`SELECT pg_reload_conf()`;
  };
  await readOnly("on");
  try {
    for (let refused = 0; refused < 10; ) {
      const answer = await store.caller.create(`during ${refused}`);
      if (answer.status === 201) continue;
      await expectUnavailable(answer);
      refused++;
      expect((await store.caller.names())[0]).toBe("before");
    }
  } finally {
    await admin.unsafe("SET default_transaction_read_only = off");
    await readOnly("off");
  }
  await store.caller.createInTheEnd("after");
  expect((await store.caller.names()).at(-1)).toBe("after");
});

test("nothing cached from one server is served after another server replaces it", async () => {
  await using store = await startService();
  for (const name of ["one", "lost"]) expect((await store.caller.create(name)).status).toBe(201);
  // A page is kept when it is asked for again.
  for (let asked = 0; asked < 3; asked++) expect(await store.caller.names()).toEqual(["one", "lost"]);
  // As if a standby had taken over that had not been sent the last commit.
  await using admin = new SQL({ url: store.database, max: 1 });
  await admin.begin(async (sql) => {
    // No trigger is to see it.
    await sql`SET LOCAL session_replication_role = replica`;
    await sql`DELETE FROM animal_store.animal WHERE id = 2`;
    await sql`DELETE FROM animal_store.append_log WHERE number = (SELECT max(number) FROM animal_store.append_log)`;
    await sql`ALTER TABLE animal_store.append_log ALTER number RESTART 2`;
    await sql`SELECT setval('animal_store.animal_id_seq', 1)`;
  });
  await admin.close();
  await using others = new SQL({ url: server.url, max: 1 });
  const { name } = store;
  // Waits until each has ended: until then it would answer for the server that is gone. A connection that the service opens
  // between two of them would do so too.
  await others.unsafe(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await others`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = ${name}`;
  await others.unsafe(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
  await store.caller.createInTheEnd("two");
  expect(await store.caller.names()).toEqual(["one", "two"]);
});

test("while an empty database stands in the place of the store's, requests get 503; then nothing is lost", async () => {
  await using store = await startService();
  expect((await store.caller.create("before")).status).toBe(201);
  await using admin = new SQL({ url: server.url, max: 1 });
  const { name } = store;
  // As if it had been dropped and made again, until its dump is restored.
  await admin.unsafe(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await admin`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = ${name}`;
  await admin.unsafe(`ALTER DATABASE ${name} RENAME TO ${name}_kept`);
  await admin.unsafe(`CREATE DATABASE ${name}`);
  await untilItMissesItsStore(store);
  await expectUnavailable(await store.caller.create("during"));
  await expectUnavailable(await fetch(`${store.services[0]?.address}/readyz`), "not_ready");
  await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
  await admin.unsafe(`ALTER DATABASE ${name}_kept RENAME TO ${name}`);
  await admin.unsafe(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
  await untilServed(store.caller);
  expect(await store.caller.names()).toEqual(["before"]);
});

test("another store in the place of the service's is named", async () => {
  await using store = await startService();
  await using other = await startService();
  expect((await store.caller.create("before")).status).toBe(201);
  await using admin = new SQL({ url: server.url, max: 1 });
  for (const { name } of [store, other]) await admin.unsafe(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await admin`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname IN (${store.name}, ${other.name})`;
  await admin.unsafe(`ALTER DATABASE ${store.name} RENAME TO ${store.name}_kept`);
  await admin.unsafe(`ALTER DATABASE ${other.name} RENAME TO ${store.name}`);
  await admin.unsafe(`ALTER DATABASE ${store.name} ALLOW_CONNECTIONS true`);
  // Its keys are the other store's.
  await untilStatus(() => store.caller.list(), 401);
  await store.services[0]?.says(`the database ${store.name} holds another store than before`);
});

test("while the store's schema is gone under open connections, requests get 503; then they succeed by themselves", async () => {
  await using store = await startService();
  expect((await store.caller.create("before")).status).toBe(201);
  await using admin = new SQL({ url: store.database, max: 1 });
  await admin`ALTER SCHEMA animal_store RENAME TO kept`;
  await expectUnavailable(await store.caller.create("during"));
  await untilItMissesItsStore(store);
  await expectUnavailable(await fetch(`${store.services[0]?.address}/readyz`), "not_ready");
  await admin`ALTER SCHEMA kept RENAME TO animal_store`;
  await untilServed(store.caller);
  expect(await store.caller.names()).toEqual(["before"]);
});

describe("a role that is dropped and made again under open connections", () => {
  async function makeRole(role: string): Promise<void> {
    await using admin = new SQL({ url: server.url, max: 1 });
    await admin.unsafe(`CREATE ROLE ${role} SUPERUSER LOGIN`);
  }

  /** A service that has stored an animal as a role, which was dropped then. */
  async function startWithout(role: string) {
    await makeRole(role);
    const store = await startService(UNHURRIED, 1, role);
    expect((await store.caller.create("before")).status).toBe(201);
    await using owner = new SQL({ url: store.database, max: 1 });
    await owner
      .unsafe(`REASSIGN OWNED BY ${role} TO CURRENT_USER; DROP OWNED BY ${role}; DROP ROLE ${role}`)
      .simple();
    return store;
  }

  test("is used for reads again without a restart", async () => {
    const role = "reader_of_animals";
    await using store = await startWithout(role);
    await expectUnavailable(await store.caller.list());
    await makeRole(role);
    await untilServed(store.caller);
    expect(await store.caller.names()).toEqual(["before"]);
  });

  test("is used for writes again without a restart", async () => {
    const role = "keeper_of_animals";
    await using store = await startWithout(role);
    await expectUnavailable(await store.caller.create("during"));
    await makeRole(role);
    // Each connection from before may have one more failure.
    await until(async () => (await store.caller.create("after")).status === 201);
    expect(await store.caller.names()).toEqual(["before", "after"]);
  });
});

test("a store that a request has missed for a moment may be another one: no page is cached from before", async () => {
  await using store = await startService();
  await store.caller.create("before");
  for (let asked = 0; asked < 3; asked++) expect(await store.caller.names()).toEqual(["before"]);
  await using admin = new SQL({ url: store.database, max: 1 });
  await admin`ALTER TABLE animal_store.state RENAME TO kept`;
  // The rest of the store is there, so the failure is not explained.
  expect((await store.caller.list()).status).toBe(500);
  await admin.begin(async (sql) => {
    // No trigger is to see it.
    await sql`SET LOCAL session_replication_role = replica`;
    await sql`UPDATE animal_store.animal SET name = 'restored'`;
    await sql`ALTER TABLE animal_store.kept RENAME TO state`;
  });
  await untilServed(store.caller);
  expect(await store.caller.names()).toEqual(["restored"]);
});

test("without a free connection, requests get 503 until one is free, and open connections continue", async () => {
  await using store = await startService();
  expect((await store.caller.create("before")).status).toBe(201);
  await using admin = new SQL({ url: server.url, max: 1 });
  const { name } = store;
  const cutAll = async () => {
    await admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${name}`;
  };
  await admin.unsafe("CREATE ROLE guest LOGIN");
  // Superusers are let in whatever the limit: the service comes as one who is not.
  await admin.unsafe(`ALTER DATABASE ${name} OWNER TO guest`);
  await using owner = new SQL({ url: store.database, max: 1 });
  await owner.unsafe("GRANT ALL ON SCHEMA animal_store TO guest");
  await owner.unsafe("GRANT ALL ON ALL TABLES IN SCHEMA animal_store TO guest");
  await owner.unsafe("GRANT ALL ON ALL SEQUENCES IN SCHEMA animal_store TO guest");
  await owner.close();
  using folder = temporaryFolder();
  const env = { DATABASE_URL: store.database.replace("postgres@", "guest@") };
  await using service = await serve({ cwd: folder.path, env });
  const caller = new Caller({ address: service.address, key: (store.services[0] as ServiceProcess).key });
  expect((await caller.create("here")).status).toBe(201);
  await admin.unsafe(`ALTER DATABASE ${name} CONNECTION LIMIT 0`);
  for (let count = 0; count < 10; count++) expect((await caller.create(`on ${count}`)).status).toBe(201);
  await cutAll();
  for (let count = 0; count < 10; count++) await expectUnavailable(await caller.list());
  await admin.unsafe(`ALTER DATABASE ${name} CONNECTION LIMIT -1`);
  await untilServed(caller);
  await caller.createInTheEnd("again");
});

test("when one of four instances is killed, no client of the others notices", async () => {
  await using store = await startService(UNHURRIED, 4);
  const clients = store.callers(16);
  const load = new Load(clients.filter((_, at) => at % 4 !== 0));
  await load.stores();
  const doomed = clients.filter((_, at) => at % 4 === 0).map((caller) => caller.create(crypto.randomUUID()));
  store.services[0]?.kill("SIGKILL");
  await Promise.allSettled(doomed);
  for (let count = 0; count < 50; count++) await load.stores();
  await load.stop();
  expect(load.refused).toBe(0);
  await expectAll(clients[1] as Caller, load.acknowledged);
});
