import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import type { PostgresServer } from "../../test/support/postgres/server.ts";
import { untilReplayed } from "../../test/support/postgres/until-replayed.ts";
import { startServers } from "../../test/support/postgres/with-standbys.ts";
import { run } from "../../test/support/program.ts";
import { until } from "../../test/support/until.ts";
import { startReaders, untilAnswers } from "./readers.ts";

// The logs of two stores have the same numbers: above all a store that `copy` has just filled, whose logs are nearly empty.

const DATABASE = "animals";
const COUNT = 30;
const namesOf = (kind: string) => Array.from({ length: COUNT }, (_, at) => `${kind} ${at + 1}`);

/** Fills a new store by `copy`, with animals that are named after it. */
async function copyInto(url: string, kind: string): Promise<void> {
  using folder = temporaryFolder();
  const rows = namesOf(kind).map((name) => `${name},1\n`);
  await Bun.write(join(folder.path, "animals.csv"), `name,categoryId\n${rows.join("")}`);
  const source = "sqlite:./source.db";
  const command = async (...args: string[]) => {
    const { exitCode, stderr } = await run(args, { cwd: folder.path, env: { DATABASE_URL: source } });
    expect({ args, exitCode, stderr: exitCode === 0 ? "" : stderr }).toEqual({
      args,
      exitCode: 0,
      stderr: "",
    });
  };
  await command("import", "animals.csv");
  await command("copy", "--from", source, "--to", url);
}

/** Reads each animal, and lists by status, none of which an instance has in its cache. */
async function expectStore(readers: Awaited<ReturnType<typeof startReaders>>, kind: string): Promise<void> {
  const caller = readers.caller(0);
  const names = namesOf(kind);
  for (const [at, name] of names.entries()) {
    const got = await caller.get(`/v1/pets/${at + 1}`);
    expect({ status: got.status, body: await got.json() }).toMatchObject({ status: 200, body: { name } });
  }
  for (const query of ["limit=100", "limit=100&status=available"]) {
    const listed = (await (await caller.list(`${query}&asked=${crypto.randomUUID()}`)).json()) as {
      name: string;
    }[];
    expect(listed.map(({ name }) => name)).toEqual(names);
  }
}

test("a standby that still holds a store which was dropped answers nothing for the store in its place", async () => {
  await using servers = await startServers({ standbys: [[]] });
  const [standby] = servers.standbys as [PostgresServer];
  await servers.createDatabase(DATABASE);
  await copyInto(servers.url(DATABASE, [servers.primary]), "trial");
  await untilReplayed(servers.primary, standby);
  await standby.query("SELECT pg_wal_replay_pause()");
  await servers.primary.query(`DROP DATABASE ${DATABASE}`);
  await servers.primary.query(`CREATE DATABASE ${DATABASE}`);
  await copyInto(servers.url(DATABASE, [servers.primary]), "real");
  await using readers = await startReaders(servers.url(DATABASE), 1);
  for (let time = 0; time < 3; time++) await expectStore(readers, "real");
  expect(await readers.answersOf(standby)).toBe(0);
  await readers.processes[0]?.says("answers no reads: it holds another store than the primary");
  await standby.query("SELECT pg_wal_replay_resume()");
  await untilAnswers(readers, standby);
  await expectStore(readers, "real");
});

test("what was copied into a store shows at once, though no standby has replayed it", async () => {
  await using servers = await startServers({ standbys: [[]] });
  const [standby] = servers.standbys as [PostgresServer];
  await servers.createDatabase(DATABASE);
  const url = servers.url(DATABASE, [servers.primary]);
  using folder = temporaryFolder();
  expect((await run(["migrate"], { cwd: folder.path, env: { DATABASE_URL: url } })).exitCode).toBe(0);
  await untilReplayed(servers.primary, standby);
  await standby.query("SELECT pg_wal_replay_pause()");
  await copyInto(url, "copied");
  // To begin to record events counts as a change, which would hide that the copy did not.
  await using readers = await startReaders(servers.url(DATABASE), 1, "beta");
  for (let time = 0; time < 3; time++) await expectStore(readers, "copied");
  expect(await readers.answersOf(standby)).toBe(0);
  await standby.query("SELECT pg_wal_replay_resume()");
  await untilAnswers(readers, standby);
  await expectStore(readers, "copied");
});

test("a standby that is further behind than the primary remembers is called behind", async () => {
  await using servers = await startServers({ standbys: [[]] });
  const { primary, standbys } = servers;
  const [standby] = standbys as [PostgresServer];
  await servers.createDatabase(DATABASE);
  const url = servers.url(DATABASE, [primary]);
  await copyInto(url, "copied");
  await using sql = new Bun.SQL({ url, max: 1 });
  await sql`INSERT INTO animal_store.append_log DEFAULT VALUES`;
  await untilReplayed(servers.primary, standby);
  await standby.query("SELECT pg_wal_replay_pause()");
  // As after an hour of creates: the primary keeps the newest rows of its logs.
  await sql`INSERT INTO animal_store.append_log DEFAULT VALUES`;
  await sql`DELETE FROM animal_store.append_log WHERE number < (SELECT max(number) FROM animal_store.append_log)`;
  await using readers = await startReaders(servers.url(DATABASE), 1);
  const fallbacks = async (reason: string) =>
    (await readers.metrics(0)).sum("animal_store_standby_fallbacks_total", { reason });
  await until(async () => {
    expect((await readers.caller(0).list(`limit=100&asked=${crypto.randomUUID()}`)).status).toBe(200);
    return (await fallbacks("behind")) > 0;
  });
  expect(await fallbacks("ahead")).toBe(0);
});
