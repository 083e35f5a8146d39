import { afterAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Caller } from "./support/caller.ts";
import { temporaryFolder } from "./support/folder.ts";
import { type Postgres, startPostgres } from "./support/postgres.ts";
import { run, type ServiceProcess, serve } from "./support/program.ts";

const server: Postgres = await startPostgres();
afterAll(() => server[Symbol.asyncDispose]());

/** Instances of the service on one empty database, started at once; gone with `await using`. */
async function startInstances(count: number) {
  const folders = Array.from({ length: count }, temporaryFolder);
  const env = { DATABASE_URL: await server.createDatabase() };
  // Only one of them is given the first key: the others write none.
  const started = await Promise.allSettled(
    folders.map(({ path }) => serve({ cwd: path, env }, ["--log-level", "info"])),
  );
  const instances = started.map((each) => {
    if (each.status === "rejected") throw each.reason;
    return each.value;
  });
  const keys = folders.flatMap(({ path }) =>
    readdirSync(path)
      .filter((name) => name === "first-key")
      .map((name) => readFileSync(join(path, name), "utf8").trim()),
  );
  return {
    instances,
    keys,
    env,
    cwd: folders[0]?.path as string,
    /** A client of one instance, with the one first key. */
    caller: (at: number) =>
      new Caller({ address: (instances[at] as ServiceProcess).address, key: keys[0] as string }),
    async [Symbol.asyncDispose]() {
      await Promise.all(instances.map((instance) => instance[Symbol.asyncDispose]()));
      for (const folder of folders) folder[Symbol.dispose]();
    },
  };
}

test("four instances that start at once on an empty database all come up, with one first key", async () => {
  await using store = await startInstances(4);
  expect(store.keys).toHaveLength(1);
  for (const at of store.instances.keys()) expect((await store.caller(at).list()).status).toBe(200);
}, 30_000);

test("a list on any instance right after a 201 on another shows the animal", async () => {
  await using store = await startInstances(2);
  const [one, other] = [store.caller(0), store.caller(1)];
  const names: string[] = [];
  for (let count = 0; count < 50; count++) {
    const [writer, reader] = count % 2 === 0 ? [one, other] : [other, one];
    names.push(`${count}`);
    expect((await writer.create(`${count}`)).status).toBe(201);
    expect(await reader.names()).toEqual(names);
  }
}, 30_000);

test("a key that is revoked fails on the next request of every instance, and a new one works", async () => {
  await using store = await startInstances(2);
  const made = await run(["keys", "create", "--name", "second"], { cwd: store.cwd, env: store.env });
  const key = made.stdout.trim();
  const callers = store.instances.map(({ address }) => new Caller({ address, key }));
  for (const caller of callers) expect((await caller.list()).status).toBe(200);
  expect((await run(["keys", "revoke", "2"], { cwd: store.cwd, env: store.env })).exitCode).toBe(0);
  for (const caller of callers) expect((await caller.list()).status).toBe(401);
}, 30_000);

test("the same Idempotency-Key sent to four instances at once makes one animal and gives one answer", async () => {
  await using store = await startInstances(4);
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all([0, 1, 2, 3].map((at) => store.caller(at).create(`once ${round}`)));
    const bodies = new Set(await Promise.all(answers.map((answer) => answer.text())));
    expect([...bodies]).toEqual([
      `{"id":${round + 1},"name":"once ${round}","categoryId":1,"status":"available"}`,
    ]);
  }
}, 30_000);

test("a walk while four instances create visits each animal once and misses none that was there", async () => {
  await using store = await startInstances(4);
  let creating = true;
  const created: string[] = [];
  const clients = [0, 1, 2, 3]
    .flatMap((at) => [at, at + 4])
    .map(async (client) => {
      for (let count = 0; creating; count++) {
        const name = `${client}.${count}`;
        expect((await store.caller(client % 4).create(name)).status).toBe(201);
        created.push(name);
      }
    });
  for (let walk = 0; walk < 8; walk++) {
    const before = [...created];
    const seen = await store.caller(walk % 4).names();
    expect(new Set(seen).size).toBe(seen.length);
    expect(before.filter((name) => !seen.includes(name))).toEqual([]);
  }
  creating = false;
  await Promise.all(clients);
  expect((await store.caller(0).names()).toSorted()).toEqual(created.toSorted());
}, 30_000);
