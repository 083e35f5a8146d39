import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import type { Store } from "../../src/domain/store.ts";
import { observedStore } from "../../src/telemetry/observed-store.ts";
import { Caller, expectUnavailable } from "../../test/support/caller.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { limitFiles, WITH_FILE_LIMIT } from "../../test/support/full-disk.ts";
import { patchedProgram } from "../../test/support/patched-program.ts";
import { startPostgres } from "../../test/support/postgres.ts";
import { serve } from "../../test/support/program.ts";
import { startService } from "../../test/support/service.ts";
import { until, untilStatus } from "../../test/support/until.ts";
import { Conversation } from "../../verify/wire/conversation.ts";

const onLinux = process.platform === "linux";
const ENV = { DATABASE_URL: "sqlite:./disk/store.db" };

const STOPPING = "Not ready: the service is stopping.";
const READING = "Not ready: the store cannot be read.";
const WRITING = "Not ready: the store can be read but not written.";

/** What `/readyz` says, when it says that it is not ready. */
async function unready(ready: () => Promise<Response>): Promise<string> {
  const answer = await untilStatus(ready, 503);
  const { code, message, status } = (await answer.json()) as Record<string, unknown>;
  expect([code, status]).toEqual(["not_ready", 503]);
  return message as string;
}

test.skipIf(!onLinux)(
  "a full disk makes the service not ready before a create fails, and ready again once it has room",
  async () => {
    using folder = temporaryFolder();
    await using service = await serve({ cwd: folder.path, env: ENV, before: WITH_FILE_LIMIT });
    const ready = () => fetch(`${service.address}/readyz`);
    const caller = new Caller(service);
    limitFiles(service.pid, 0);
    expect(await unready(ready)).toBe(WRITING);
    expect((await caller.list()).status).toBe(200);
    limitFiles(service.pid, "unlimited");
    await untilStatus(ready, 200);
    await service.says('"msg":"ready again"');
    expect(service.output()).toMatch(
      /"part":"writing","err":{"type":"StoreFailure","message":"SQLite: SQLITE_/,
    );

    // A create that fails takes back what others have proved.
    expect((await caller.create("stored")).status).toBe(201);
    limitFiles(service.pid, 0);
    await expectUnavailable(await caller.create("refused"));
    expect(await unready(ready)).toBe(WRITING);
    limitFiles(service.pid, "unlimited");
    await untilStatus(ready, 200);
  },
);

test.skipIf(!onLinux)("the next probe after a create failed on the disk reports the failure", async () => {
  using folder = temporaryFolder();
  await using service = await serve({
    cwd: folder.path,
    env: { ...ENV, WORKERS: "1" },
    before: WITH_FILE_LIMIT,
  });
  const ready = () => fetch(`${service.address}/readyz`);
  const caller = new Caller(service);
  for (let round = 0; round < 5; round++) {
    // What has just been looked at is ready.
    await untilStatus(ready, 200);
    limitFiles(service.pid, 0);
    await expectUnavailable(await caller.create("refused"));
    const answer = await ready();
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ message: WRITING });
    limitFiles(service.pid, "unlimited");
  }
});

test.skipIf(!onLinux)("a disk with room for a probe but not for a create is not ready", async () => {
  using folder = temporaryFolder();
  const env = { ...ENV, WORKERS: "1" };
  await using service = await serve({ cwd: folder.path, env, before: WITH_FILE_LIMIT });
  const caller = new Caller(service);
  expect((await caller.create("stored")).status).toBe(201);
  const frames = 4;
  limitFiles(service.pid, statSync(join(folder.path, "disk/store.db-wal")).size + frames * (24 + 4096));
  await expectUnavailable(await caller.create("refused"));
  const answer = await fetch(`${service.address}/readyz`);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ message: WRITING });
  limitFiles(service.pid, "unlimited");
});

test("a hanging disk delays no probe for long, and concurrent probes share one write", async () => {
  using folder = temporaryFolder();
  await using service = await serve({ cwd: folder.path, env: { DATABASE_URL: "sqlite:./store.db" } });
  const ready = () => fetch(`${service.address}/readyz`);
  // Who holds SQLite's write lock is to all others a disk that does not write.
  using other = new Database(join(folder.path, "store.db"));
  other.run("BEGIN IMMEDIATE");
  const said = await Promise.all(Array.from({ length: 50 }, () => unready(ready)));
  expect(new Set(said)).toEqual(new Set([WRITING]));
  other.run("ROLLBACK");
  await untilStatus(ready, 200);
});

test("however many probes arrive, the store is checked about once a second", async () => {
  await using inner = await startService();
  const called: string[] = [];
  const store = observedStore(inner.store, (name, call) => {
    called.push(name);
    return call();
  });
  const kept: Pick<Store, "close"> = { close: async () => {} };
  await using service = await startService({ store: Object.assign(store, kept) });
  called.length = 0;
  const started = performance.now();
  for (let round = 0; round < 20; round++) {
    const probes = Array.from({ length: 50 }, () => fetch(`${service.address}/readyz`));
    // On a busy machine a look may take longer than it may, and find the service not ready.
    for (const answer of await Promise.all(probes)) expect(answer.status).toBeOneOf([200, 503]);
  }
  const looks = 1 + Math.floor((performance.now() - started) / 1000);
  expect(called.filter((name) => name === "check").length).toBeWithin(1, looks + 1);
  expect(called.filter((name) => name === "checkWriting").length).toBeWithin(1, looks + 1);
});

test("a service that is stopping is not ready, and says why", async () => {
  using copy = temporaryFolder();
  using folder = temporaryFolder();
  // A stop waits for clients that have just sent something, but a busy machine may hold up this one for longer.
  const program = patchedProgram(copy.path, [
    { file: "src/http/runtime/bun-servers.ts", from: "QUIET_MS = 100", to: "QUIET_MS = 3000" },
    { file: "src/http/runtime/bun-servers.ts", from: "DRAIN_MAX_MS = 500", to: "DRAIN_MAX_MS = 9000" },
  ]);
  await using service = await serve({ cwd: folder.path, program });
  using conversation = await Conversation.open(service.address);
  const ready = async () => {
    conversation.send("GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n");
    const answer = await conversation.next();
    return new Response(answer?.body, { status: answer?.status ?? 0 });
  };
  await untilStatus(ready, 200);
  service.kill("SIGTERM");
  expect(await unready(ready)).toBe(STOPPING);
  expect(await service.exited).toBe(0);
});

test("a read-only PostgreSQL is not ready for writes, and an unreachable one is not ready for reads", async () => {
  await using postgres = await startPostgres();
  using folder = temporaryFolder();
  const url = await postgres.createDatabase();
  await using service = await serve({ cwd: folder.path, env: { DATABASE_URL: url } });
  const ready = () => fetch(`${service.address}/readyz`);
  await untilStatus(ready, 200);
  const name = new URL(url).pathname.slice(1);
  await using sql = new SQL({ url: postgres.url, max: 1 });
  const setReadOnly = async (value: "on" | "off") => {
    await sql.unsafe(`ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`);
    await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${name}`;
  };
  await setReadOnly("on");
  await fetch(`${service.address}/v1/pets`, { headers: { authorization: `Bearer ${service.key}` } });
  await until(async () => (await unready(ready)) === WRITING);
  await setReadOnly("off");
  await untilStatus(ready, 200);
  await sql.unsafe(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${name}`;
  // One of its connections may be cut a moment before the other.
  await until(async () => (await unready(ready)) === READING);
});
