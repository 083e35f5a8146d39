import { expect, test } from "bun:test";
import { join } from "node:path";
import { SQL } from "bun";
import { keepDoing } from "../../test/support/keep-doing.ts";
import type { PostgresServer } from "../../test/support/postgres/server.ts";
import { type Servers, startServers } from "../../test/support/postgres/with-standbys.ts";
import { until } from "../../test/support/until.ts";
import { shareOf } from "../share.ts";
import { type Readers, startReaders, untilAnswers } from "./readers.ts";

// Whatever happens to standbys, no request fails and none is answered wrongly.

const DATABASE = "animals";
const CLIENTS = 8;
/** Rounds of the clients before, during and after a fault. */
const ROUNDS = 30;

interface Fault {
  /** Completes "while a standby …". */
  readonly name: string;
  /** Settings of every server. */
  readonly settings?: readonly string[];
  /** Makes one standby, or both, useless; resolves to what ends that. */
  readonly begin: (standby: PostgresServer, servers: Servers) => Promise<() => Promise<void>>;
  /** What the metrics say of the reads that were left to the primary, if the fault must show there. */
  readonly reason?: string;
}

const reload = async (server: PostgresServer, ...statements: string[]) => {
  for (const statement of [...statements, "SELECT pg_reload_conf()"]) await server.query(statement);
};

/** Ends the connections of the service. */
const disconnect = (sql: SQL) =>
  sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'animal-store'`;

const FAULTS: readonly Fault[] = [
  {
    name: "replays everything half a second late",
    reason: "behind",
    async begin(standby) {
      await reload(standby, "ALTER SYSTEM SET recovery_min_apply_delay = '500ms'");
      return () => reload(standby, "ALTER SYSTEM RESET recovery_min_apply_delay");
    },
  },
  {
    name: "replays nothing (pg_wal_replay_pause)",
    reason: "behind",
    async begin(standby) {
      await standby.query("SELECT pg_wal_replay_pause()");
      return async () => void (await standby.query("SELECT pg_wal_replay_resume()"));
    },
  },
  {
    name: "is frozen",
    reason: "late",
    async begin(standby) {
      standby.freeze();
      return async () => standby.thaw();
    },
  },
  {
    name: "is killed",
    async begin(standby) {
      await standby.kill();
      return () => standby.start();
    },
  },
  {
    name: "is made of a new base backup, at the same address",
    async begin(standby, servers) {
      await servers.rebuild(standby);
      return async () => {};
    },
  },
  {
    name: "cancels queries that conflict with its replay",
    settings: ["max_standby_streaming_delay=0"],
    async begin(standby, { primary }) {
      const sql = new SQL({ url: primary.url(DATABASE), max: 1 });
      const locking = keepDoing(1, async () => {
        await sql.begin(async (sql) => {
          await sql`LOCK TABLE animal_store.animal IN ACCESS EXCLUSIVE MODE`;
        });
      });
      const cancelled = `SELECT 1 FROM pg_stat_database_conflicts WHERE datname = '${DATABASE}' AND confl_lock > 0`;
      await until(async () => (await standby.query(cancelled)).length > 0);
      return async () => {
        await locking.stop();
        await sql.close();
      };
    },
  },
  {
    name: "has no connection to spare",
    settings: ["max_connections=100"],
    async begin(standby) {
      const sql = new SQL({ url: standby.url(), max: 1 });
      await disconnect(sql);
      const others: SQL[] = [];
      // The service takes those that it can get until all are taken.
      for (;;) {
        const other = new SQL({ url: standby.url(), max: 1 });
        const taken = await other`SELECT 1`.catch(() => undefined);
        if (!taken) break;
        others.push(other);
      }
      await disconnect(sql);
      return async () => {
        for (const other of [...others, sql]) await other.close();
      };
    },
  },
  {
    name: "refuses the password",
    async begin(standby) {
      const rules = join(standby.data, "pg_hba.conf");
      const before = await Bun.file(rules).text();
      const own = `host ${DATABASE} postgres 127.0.0.1/32 scram-sha-256\n`;
      await Bun.write(rules, own + before);
      await reload(
        standby,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${DATABASE}'`,
      );
      return async () => {
        await Bun.write(rules, before);
        await reload(standby);
      };
    },
  },
];

for (const fault of shareOf(FAULTS, "faults of standbys")) {
  const { settings = [], reason } = fault;
  test(`no request fails or is answered wrongly while a standby ${fault.name}`, async () => {
    await using servers = await startServers({ settings });
    await servers.createDatabase(DATABASE);
    await using store = await startReaders(servers.url(DATABASE), 2);
    using clients = keepReading(store);
    const [standby] = servers.standbys as [PostgresServer];
    for (const each of servers.standbys) await untilAnswers(store, each);
    await clients.rounds(ROUNDS);
    const end = await fault.begin(standby, servers);
    await clients.rounds(ROUNDS);
    if (reason !== undefined) await until(() => fallbacks(store, reason));
    await end();
    // It comes back.
    await untilAnswers(store, standby);
    await clients.rounds(ROUNDS);
    await clients.stop();
  });
}

test("both standbys are lost and return: no request fails, and the log says when each stops and begins", async () => {
  await using servers = await startServers();
  await servers.createDatabase(DATABASE);
  await using store = await startReaders(servers.url(DATABASE), 1);
  using clients = keepReading(store);
  for (const each of servers.standbys) await untilAnswers(store, each);
  const [process] = store.processes as [Readers["processes"][0]];
  for (const standby of servers.standbys) await standby.kill();
  for (const { port } of servers.standbys) {
    await process.says(`the standby at 127.0.0.1:${port} answers no reads: it cannot be reached`);
  }
  await clients.rounds(ROUNDS);
  expect(await fallbacks(store, "none")).toBeGreaterThan(0);
  const began = (port: number) =>
    process.output().split(`the standby at 127.0.0.1:${port} answers reads`).length - 1;
  for (const standby of servers.standbys) {
    const before = began(standby.port);
    await clients.rounds(ROUNDS);
    expect(began(standby.port)).toBe(before);
    await standby.start();
    await untilAnswers(store, standby);
    await until(() => began(standby.port) > before);
  }
  await clients.stop();
});

test("a standby that is promoted by mistake is no standby any more: no read fails, and nothing that was confirmed is missing", async () => {
  await using servers = await startServers();
  await servers.createDatabase(DATABASE);
  await using store = await startReaders(servers.url(DATABASE), 2);
  const [writer] = store.callers();
  const confirmed: Animal[] = [];
  for (let time = 0; time < 10; time++)
    confirmed.push((await (await writer?.create(`${time}`))?.json()) as Animal);
  const [promoted, other] = servers.standbys as [PostgresServer, PostgresServer];
  for (const each of servers.standbys) await untilAnswers(store, each);
  const callers = store.callers();
  let rounds = 0;
  const read = async (client: number) => {
    const caller = callers[client % callers.length] as (typeof callers)[0];
    const animal = confirmed[rounds++ % confirmed.length] as Animal;
    const got = await caller.get(`/v1/pets/${animal.id}`);
    expect({ status: got.status, body: await got.json() }).toEqual({ status: 200, body: animal });
    const page = await caller.list(`limit=100&asked=${crypto.randomUUID()}`);
    expect(((await page.json()) as Animal[]).slice(0, confirmed.length)).toEqual(confirmed);
  };
  using reading = keepDoing(CLIENTS, read);
  await promoted.query("SELECT pg_promote()");
  // The service moves to it, since it cannot know that it was a mistake.
  for (const process of store.processes)
    await process.says(`now using PostgreSQL at 127.0.0.1:${promoted.port}`);
  // What was under way as it moved is counted by then.
  await reading.stop();
  const before = await store.answersOf(promoted);
  const enough = rounds + ROUNDS * CLIENTS;
  using later = keepDoing(CLIENTS, read);
  await later.until(() => rounds >= enough);
  await later.stop();
  expect(await store.answersOf(promoted)).toBe(before);
  expect(await other.query("SELECT 1 AS alive")).toHaveLength(1);
});

interface Animal {
  readonly id: number;
  readonly name: string;
}

/**
 * Clients that create and order on one instance what they then read on another one. They fail if a response is not as it
 * must be.
 */
function keepReading(store: Readers) {
  const callers = store.callers();
  let done = 0;
  const busy = keepDoing(CLIENTS, async (client, time) => {
    const writer = callers[client % callers.length] as (typeof callers)[0];
    const reader = callers[(client + 1) % callers.length] as (typeof callers)[0];
    const body = async (answer: Response, status: number) => {
      const body = (await answer.json()) as unknown;
      expect({ status: answer.status, body }).toMatchObject({ status });
      return body;
    };
    const animal = (await body(await writer.create(`${client}.${time}`), 201)) as Animal;
    expect(await body(await reader.get(`/v1/pets/${animal.id}`), 200)).toEqual(animal);
    const first = await body(await reader.list(`limit=3&asked=${crypto.randomUUID()}`), 200);
    expect((first as Animal[])[0]?.id).toBe(1);
    expect(await body(await reader.get(`/v1/orders?petId=${animal.id}`), 200)).toEqual([]);
    expect(await body(await reader.get("/v1/events?limit=1"), 200)).toHaveLength(1);
    done++;
  });
  return {
    ...busy,
    /** Resolves when the clients have done this much more. */
    rounds(count: number): Promise<void> {
      const enough = done + count;
      return busy.until(() => done >= enough);
    },
  };
}

async function fallbacks(store: Readers, reason: string): Promise<number> {
  const all = await Promise.all(store.processes.map((_, at) => store.metrics(at)));
  return all.reduce((sum, each) => sum + each.sum("animal_store_standby_fallbacks_total", { reason }), 0);
}
