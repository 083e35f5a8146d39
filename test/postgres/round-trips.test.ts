import { afterAll, expect, test } from "bun:test";
import { Caller } from "../support/caller.ts";
import { temporaryFolder } from "../support/folder.ts";
import { startPostgres } from "../support/postgres.ts";
import { run, serve } from "../support/program.ts";
import { type Interference, startProxy } from "../support/proxy.ts";

const server = await startPostgres();
afterAll(() => server[Symbol.asyncDispose]());

/** What is sent without waiting for an answer is on its way together: before the first of it has arrived. */
const DELAY_MS = 20;
/** A busy machine may take longer than that between two packets; it does not always. */
const ATTEMPTS = 25;

/** Counts how often something was sent to the server after an answer had come: the round trips. */
class RoundTrips implements Interference {
  readonly delayMs = DELAY_MS;
  #count = 0;
  #sending = false;

  toServer(): undefined {
    if (!this.#sending) this.#count++;
    this.#sending = true;
  }

  toClient(): undefined {
    this.#sending = false;
  }

  /** Forgets what was counted so far. */
  restart(): void {
    this.#count = 0;
  }

  /**
   * How many an answer takes: the fewest of several attempts, since what else the service and the machine do only adds
   * to them.
   */
  async of(answer: (attempt: number) => Promise<Response>, status: number): Promise<number> {
    let fewest = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < ATTEMPTS && fewest > 1; attempt++) {
      this.#count = 0;
      // What a closing connection sends has no answer.
      this.#sending = false;
      expect((await answer(attempt)).status).toBe(status);
      fewest = Math.min(fewest, this.#count);
    }
    return fewest;
  }
}

/** A service behind a proxy, on an empty database, gone with `await using`. */
async function startService() {
  const database = await server.createDatabase();
  const url = new URL(database);
  const proxy = await startProxy(Number(url.port));
  url.port = `${proxy.port}`;
  const folder = temporaryFolder();
  const service = await serve({ cwd: folder.path, env: { DATABASE_URL: url.href, WORKERS: "1" } });
  return {
    proxy,
    service,
    caller: new Caller(service),
    /** Uses the database without the proxy, as another instance does. */
    command: (...args: string[]) => run(args, { cwd: folder.path, env: { DATABASE_URL: database } }),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

test("checking the key, reading the revision and the query take one round trip", async () => {
  await using store = await startService();
  const { caller } = store;
  // Statements are prepared, and connections opened, when they are first needed.
  for (const name of ["one", "two", "three"]) {
    await caller.create(name, null);
    await caller.create(name);
    await caller.list("limit=1");
    await caller.list("limit=1&status=available");
    await caller.get("/v1/pets/1");
  }
  const trips = new RoundTrips();
  store.proxy.interference = trips;
  expect(await trips.of(() => caller.list("limit=2"), 200)).toBe(1);
  expect(await trips.of(() => caller.list("limit=2"), 200)).toBe(1);
  expect(await trips.of(() => caller.list("limit=2&status=available"), 200)).toBe(1);
  expect(await trips.of(() => caller.get("/v1/pets/2"), 200)).toBe(1);
  expect(await trips.of(() => caller.get("/v1/pets/99"), 404)).toBe(1);
  expect(await trips.of(() => caller.create("four", null), 201)).toBe(1);
  expect(await trips.of((attempt) => caller.create(`five ${attempt}`), 201)).toBe(1);
  expect(await trips.of(() => caller.create("five 0"), 201)).toBe(1);
  // Pages that are kept are asked for again with the question whether they hold, once they mostly do not.
  const listAfterCreate = async (attempt: number) => {
    await caller.create(`then ${attempt}`);
    trips.restart();
    return caller.list("limit=2");
  };
  for (let count = 0; count < 16; count++) await listAfterCreate(count);
  expect(await trips.of(listAfterCreate, 200)).toBe(1);
});

test("if a key ends while its request is in progress, nothing is written and nothing is revealed", async () => {
  await using store = await startService();
  const made = await store.command("keys", "create", "--name", "second");
  const { address } = store.service;
  const ended = new Caller({ address, key: made.stdout.trim() });
  expect((await ended.create("one")).status).toBe(201);
  expect((await ended.list()).status).toBe(200);
  expect((await store.command("keys", "revoke", "2")).exitCode).toBe(0);
  const answers = await Promise.all([
    ended.create("two"),
    ended.create("three", null),
    ended.list(),
    ended.list("limit=3"),
    ended.list("limit=none"),
    ended.get("/v1/pets/1"),
    ended.get("/v1/pets/2"),
    ended.get("/v1/nothing"),
    fetch(`${address}/v1/pets`, {
      method: "POST",
      body: "{",
      headers: { authorization: `Bearer ${made.stdout.trim()}` },
    }),
  ]);
  const bodies = await Promise.all(answers.map((answer) => answer.text()));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401));
  expect(new Set(bodies).size).toBe(1);
  expect(await store.caller.names()).toEqual(["one"]);
});

test("a create by a key that ended since its last request is refused, and writes nothing", async () => {
  await using store = await startService();
  const made = await store.command("keys", "create", "--name", "second");
  const ended = new Caller({ address: store.service.address, key: made.stdout.trim() });
  expect((await ended.create("one")).status).toBe(201);
  expect((await store.command("keys", "revoke", "2")).exitCode).toBe(0);
  // No other request tells the service that keys have changed.
  expect((await ended.create("two")).status).toBe(401);
  expect(await store.caller.names()).toEqual(["one"]);
});

test("a change of one key gets no request of another key refused", async () => {
  await using store = await startService();
  expect((await store.caller.create("before")).status).toBe(201);
  let changing = true;
  const changes = (async () => {
    while (changing) await store.command("keys", "create", "--name", "other");
  })();
  for (let count = 0; count < 300; count++) expect((await store.caller.create(`${count}`)).status).toBe(201);
  changing = false;
  await changes;
  expect((await store.caller.names()).length).toBe(301);
});
