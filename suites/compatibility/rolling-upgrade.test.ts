import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Caller } from "../../test/support/caller.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { PostgresDatabases } from "../../test/support/postgres/databases.ts";
import { type Postgres, startPostgres } from "../../test/support/postgres.ts";
import { PROGRAM, run, type ServiceProcess, serve } from "../../test/support/program.ts";
import { until } from "../../test/support/until.ts";
import { releasedProgram } from "./released-program.ts";

// Two instances of 0.2.0 on one PostgreSQL become two of this version, one after the other, while clients call both.

const CLIENTS = 6;

let old: string;
let server: Postgres;
beforeAll(async () => {
  [old, server] = await Promise.all([releasedProgram("0.2.0"), startPostgres()]);
});
afterAll(() => server?.[Symbol.asyncDispose]());

/** The instances that get requests, as a load balancer knows them. */
class Rotation {
  readonly #instances: { readonly service: ServiceProcess; inFlight: number }[] = [];
  readonly key: string;

  constructor(key: string) {
    this.key = key;
  }

  add(service: ServiceProcess): void {
    this.#instances.push({ service, inFlight: 0 });
  }

  /** Calls the instances by turns; the caller of an instance may call it only once. */
  async call<Result>(use: (caller: Caller) => Promise<Result>): Promise<Result> {
    const instance = this.#instances.shift();
    if (!instance) throw new Error("no instance is in rotation");
    this.#instances.push(instance);
    instance.inFlight++;
    try {
      return await use(new Caller({ address: instance.service.address, key: this.key }));
    } finally {
      instance.inFlight--;
    }
  }

  /** Takes an instance out, and stops it once it has answered everything. */
  async retire(service: ServiceProcess): Promise<void> {
    const at = this.#instances.findIndex((each) => each.service === service);
    const [retired] = this.#instances.splice(at, 1);
    await until(() => retired?.inFlight === 0);
    service.kill("SIGTERM");
    expect(await service.exited).toBe(0);
  }
}

/** A client that creates, retries, reads and walks, each call at the instance whose turn it is. */
async function useAll(
  rotation: Rotation,
  client: number,
  acknowledged: Map<string, bigint>,
  ended: () => boolean,
) {
  let next = "/v1/pets?limit=3";
  for (let count = 0; !ended(); count++) {
    const name = `${client}.${count}`;
    const created = await rotation.call((caller) => caller.create(name));
    const { id } = (await expectStatus(created, 201)) as { id: number };
    acknowledged.set(name, BigInt(id));
    // The other version answers the retry.
    const again = await rotation.call((caller) => caller.create(name));
    expect([await expectStatus(again, 201), again.headers.get("idempotent-replayed")]).toMatchObject([
      { id, name },
      "true",
    ]);
    const found = await rotation.call((caller) => caller.get(`/v1/pets/${id}`));
    expect(await expectStatus(found, 200)).toMatchObject({ id, name });
    // A link of one version leads on at the other.
    const page = await rotation.call((caller) => caller.get(next));
    await expectStatus(page, 200);
    const [, link = "/v1/pets?limit=3"] = /<([^>]+)>; rel="next"/.exec(page.headers.get("link") ?? "") ?? [];
    next = link;
  }
}

async function expectStatus(response: Response, status: number): Promise<unknown> {
  const body = await response.json();
  expect([response.status, body]).toEqual([status, body]);
  return body;
}

test("a rolling upgrade from 0.2.0 fails no request, and loses no animal and no event", async () => {
  await using database = await new PostgresDatabases(server).createEmpty();
  using folder = temporaryFolder();
  const env = { DATABASE_URL: database.url };
  const options = { cwd: folder.path, env };
  const first = await serve({ ...options, program: old });
  const key = readFileSync(join(folder.path, "first-key"), "utf8").trim();
  const rotation = new Rotation(key);
  const running: ServiceProcess[] = [first, await serve({ ...options, program: old })];
  for (const service of running) rotation.add(service);
  await using stack = new AsyncDisposableStack();
  stack.defer(async () => {
    await Promise.all(running.map((service) => service[Symbol.asyncDispose]()));
  });

  let ended = false;
  const acknowledged = new Map<string, bigint>();
  const clients = Promise.all(
    Array.from({ length: CLIENTS }, (_, client) => useAll(rotation, client, acknowledged, () => ended)),
  );
  clients.catch(() => {});
  stack.defer(async () => {
    ended = true;
    await clients.catch(() => {});
  });
  const works = async () => {
    const before = acknowledged.size;
    await Promise.race([until(() => acknowledged.size >= before + 30), clients]);
  };
  /** Starts an instance beside the running ones, which work on, and then retires one of them. */
  const replace = async (
    retired: ServiceProcess,
    settings: Record<string, string>,
  ): Promise<ServiceProcess> => {
    const service = await Promise.race([
      serve({ ...options, program: PROGRAM, env: { ...env, ...settings } }),
      clients,
    ]);
    running.push(service as ServiceProcess);
    rotation.add(service as ServiceProcess);
    await works();
    await Promise.race([rotation.retire(retired), clients]);
    await works();
    return service as ServiceProcess;
  };

  await works();
  const [one, two] = running as [ServiceProcess, ServiceProcess];
  const newer = [await replace(one, {}), await replace(two, {})] as const;
  // Once no instance of 0.2.0 is left, the feed is switched on.
  const recording = await replace(newer[0], { STABILITY: "experimental" });
  const recordedFrom = new Set(acknowledged.keys());
  await replace(newer[1], { STABILITY: "experimental" });
  ended = true;
  await clients;

  const caller = new Caller({ address: recording.address, key });
  const names = await caller.names();
  expect(names.toSorted()).toEqual([...acknowledged.keys()].sort());
  const { stdout } = await run(["keys", "create", "--name", "reader"], options);
  const feed = new Caller({ address: recording.address, key: stdout.trim() });
  const created: string[] = [];
  let next: string | undefined = "/v1/events?type=animal.created&limit=100";
  while (next) {
    const page: Response = await feed.get(next);
    const events = (await expectStatus(page, 200)) as { animal: { name: string } }[];
    created.push(...events.map(({ animal }) => animal.name));
    next =
      events.length === 0 ? undefined : /<([^>]+)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1];
  }
  expect(new Set(created).size).toBe(created.length);
  const expected = [...acknowledged.keys()].filter((name) => !recordedFrom.has(name));
  expect(expected.length).toBeGreaterThan(30);
  expect(expected.filter((name) => !created.includes(name))).toEqual([]);
});

test("a program of 0.2.0 refuses a store that this version has opened, and says what to do", async () => {
  await using database = await new PostgresDatabases(server).createEmpty();
  using folder = temporaryFolder();
  for (const url of [database.url, "sqlite:./store.db"]) {
    const options = { cwd: folder.path, env: { DATABASE_URL: url } };
    expect(await run(["migrate"], options)).toMatchObject({ exitCode: 0 });
    const { exitCode, stderr } = await run(["serve", "--port", "0"], { ...options, program: old });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringMatching(/has schema version 1\d; this program knows versions up to 10\. /),
    });
  }
});

test("the way back that `upgrade --check` names works: 0.2.0 restores the backup", async () => {
  using folder = temporaryFolder();
  const options = { cwd: folder.path, env: { DATABASE_URL: "sqlite:./store.db" } };
  const released = { ...options, program: old };
  expect(await run(["seed", "--count", "20"], released)).toMatchObject({ exitCode: 0 });
  const { before, back } = JSON.parse((await run(["upgrade", "--check", "--json"], options)).stdout);
  const words = (line: string) => line.split(" ").slice(1);
  expect(await run(words(before), released)).toMatchObject({ exitCode: 0 });
  expect(await run(["seed", "--count", "5"], options)).toMatchObject({ exitCode: 0 });
  const refused = await run(["export", "all.csv"], released);
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("has schema version") });
  expect(await run(words(back[1]), released)).toMatchObject({ exitCode: 0 });
  expect(await run(["export", "all.csv"], released)).toMatchObject({ exitCode: 0 });
  expect(readFileSync(join(folder.path, "all.csv"), "utf8").trim().split("\n")).toHaveLength(21);
});
