import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { SQL } from "bun";
import { ANIMAL_MEMBERS } from "../../src/domain/animal.ts";
import { openBulkStore } from "../../src/stores/open.ts";
import { type Postgres, startPostgres } from "../../test/support/postgres.ts";
import { PROGRAM, run, type ServiceProcess, serve, TIED } from "../../test/support/program.ts";
import { type StorePlace, storePlace } from "../../test/support/store-place.ts";
import { until } from "../../test/support/until.ts";
import { Child } from "../../verify/child.ts";

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres[Symbol.asyncDispose]());

/** An empty store of each engine. */
const ENGINES: Record<string, () => Promise<string>> = {
  SQLite: async () => `sqlite:./copy-${crypto.randomUUID()}.db`,
  PostgreSQL: () => postgres.createDatabase(),
};

/** A service on a store, with a client's calls. */
async function serving(here: StorePlace, url: string): Promise<ServiceProcess> {
  rmSync(here.path("first-key"), { force: true });
  return serve({ cwd: here.cwd, env: { DATABASE_URL: url } });
}

function call({ address }: ServiceProcess, key: string, path: string, body?: string, headers = {}) {
  return fetch(address + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    ...(body !== undefined && { body }),
  });
}

describe.each([
  ["SQLite", "PostgreSQL"],
  ["PostgreSQL", "SQLite"],
  ["SQLite", "SQLite"],
])("from %s to %s", (from, to) => {
  test("clients notice nothing of a copy: keys, cursors, Idempotency-Keys and ids stay the same", async () => {
    using here = storePlace();
    const source = (await ENGINES[from]?.()) as string;
    const target = (await ENGINES[to]?.()) as string;
    const at = (url: string) => ["--database", url];
    let key = "";
    let ended = "";
    let successor = "";
    let next = "";
    let page = "";
    const retry = { "Idempotency-Key": 'once,"only"' };
    const odd = '{"name":"ü🐢 \\"x\\"\\n","categoryId":-9223372036854775808}';
    {
      await using service = await serving(here, source);
      key = service.key;
      await here.run("seed", "--count", "7000", ...at(source));
      expect((await call(service, key, "/v1/pets", odd, retry)).status).toBe(201);
      ended = (await here.run("keys", "create", "--name", "ended", ...at(source))).stdout.trim();
      await here.run("keys", "revoke", "2", ...at(source));
      successor = (await here.run("keys", "rotate", "1", ...at(source))).stdout.trim();
      const first = await call(service, key, "/v1/pets?limit=3&status=sold");
      next = /<([^>]+)>; rel="next"/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
      page = await (await call(service, key, next)).text();
    }
    await here.write("one.csv", "name,categoryId\nRex,1\n");
    await here.run("import", "one.csv", ...at(source));
    await here.run("animals", "set", "7", "8", "--name", "Rex", ...at(source));
    await here.run("animals", "remove", "9", ...at(source));

    const copied = await run(["copy", "--from", source, "--to", target], here);
    expect(copied).toEqual({
      exitCode: 0,
      stdout: "",
      stderr: expect.stringMatching(
        /^Copied 7,001 animals, 3,101 orders, 3 API keys, 1 idempotency key from \S+ to \S+; counts and checksums agree\. The last ids given are 7002 for animals and 3101 for orders\.\n$/,
      ),
    });
    for (const what of [[], ["--orders"]]) {
      const [was, is] = await Promise.all(
        [source, target].map((url) => here.run("export", ...what, "-", "--format", "ndjson", ...at(url))),
      );
      expect(is?.stdout === was?.stdout).toBe(true);
    }
    for (const list of [
      ["keys", "list"],
      ["animals", "log"],
    ]) {
      const lists = [source, target].map((url) => here.run(...list, "--json", ...at(url)));
      const [was = "", is] = (await Promise.all(lists)).map(({ stdout }) => stdout);
      expect(is).toBe(was);
      expect(JSON.parse(was)).toHaveLength(3);
    }

    await using service = await serving(here, target);
    expect((await call(service, ended, "/v1/pets")).status).toBe(401);
    expect(await (await call(service, key, next)).text()).toBe(page);
    const again = await call(service, key, "/v1/pets", odd, retry);
    expect({ status: again.status, location: again.headers.get("location") }).toEqual({
      status: 201,
      location: "/v1/pets/7001",
    });
    const succeeding = await call(service, successor, "/v1/pets", odd, retry);
    expect(succeeding.headers.get("location")).toBe("/v1/pets/7001");
    expect((await call(service, key, "/v1/pets", '{"name":"other","categoryId":1}', retry)).status).toBe(422);
    const fresh = await call(service, key, "/v1/pets", odd);
    expect(fresh.headers.get("location")).toBe("/v1/pets/7003");
    expect((await here.run("keys", "create", "--name", "fourth", ...at(target))).stderr).toStartWith(
      "Key 4 ",
    );
    expect((await here.run("import", "one.csv", ...at(target))).stderr).toContain(
      "This content was already imported",
    );
  });
});

/** Runs a command, and kills it when something holds. */
async function kill(
  here: StorePlace,
  args: readonly string[],
  when: (child: Child) => unknown,
): Promise<void> {
  const { PATH, HOME } = process.env;
  await using child = new Child([...TIED, PROGRAM, ...args], { cwd: here.cwd, env: { PATH, HOME } });
  await Promise.race([until(() => when(child)), child.exited]);
  child.kill("SIGKILL");
  const { exitCode, stderr } = await child.ended();
  expect({ exitCode, stderr }).toEqual({ exitCode: 137, stderr: expect.not.stringContaining("Copied") });
}

/** How many animals a store has so far, while another process fills it. */
async function countAnimals(here: StorePlace, url: string): Promise<number> {
  try {
    if (url.startsWith("sqlite:")) {
      using database = new Database(here.path(url.slice("sqlite:".length)), { readonly: true });
      return database.query<{ count: number }, []>("SELECT count(*) AS count FROM animal").get()?.count ?? 0;
    }
    await using sql = new SQL({ url, max: 1 });
    const [row] = await sql`SELECT count(*) AS count FROM animal_store.animal`;
    return Number(row.count);
  } catch {
    // It is not made yet, or locked.
    return 0;
  }
}

describe.each(Object.keys(ENGINES))("into %s", (engine) => {
  const empty = ENGINES[engine] as () => Promise<string>;

  test("a killed copy continues where it stopped, and no other command opens it before it is complete", async () => {
    using here = storePlace();
    const target = await empty();
    await here.run("seed", "--count", "40000");
    await here.run("keys", "create", "--name", "x");
    const args = ["copy", "--from", here.env.DATABASE_URL, "--to", target];
    // It is killed once a part is there, and again where it says that it goes on: it must not come to its end.
    await kill(here, args, async () => (await countAnimals(here, target)) > 0);
    await kill(here, args, ({ errors }) => errors.startsWith("Continuing after id "));
    const refused = await here.run("keys", "list", "--database", target);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toMatch(
      /^animal-store: a copy of another store into .* was begun and is not finished; run the same `copy` again, and it continues\. To give it up, delete the files of the copy, or drop its schema animal_store\.\n$/,
    );

    // Half of it is not to be taken for all, nor added to.
    await here.write("one.csv", "name,categoryId\nRex,1\n");
    for (const args of [
      ["export", "-", "--format", "csv"],
      ["import", "one.csv"],
      ["seed", "--count", "1"],
    ]) {
      expect(await here.run(...args, "--database", target)).toEqual(refused);
    }

    // Another store must not be mixed into it.
    const other = await run(["copy", "--from", "sqlite:./other.db", "--to", target], here);
    expect(other.stderr).toContain("there is no store at /");
    await here.run("seed", "--count", "1", "--database", "sqlite:./other.db");
    const mixed = await run(["copy", "--from", "sqlite:./other.db", "--to", target], here);
    expect(mixed.stderr).toBe(
      "animal-store: --to names a store that is not empty: a copy of another store into it was begun, which only the same --from continues; name an empty one.\n",
    );

    const done = await run(args, here);
    expect(done.stderr).toMatch(
      /^Continuing after id \d+\.\nCopied 40,000 animals, 17,799 orders, 1 API key, 0 idempotency keys from /,
    );
    const [was, is] = await Promise.all(
      [here.env.DATABASE_URL, target].map((url) =>
        here.run("export", "-", "--format", "csv", "--database", url),
      ),
    );
    expect(is?.stdout === was?.stdout).toBe(true);
    // Done is done: the same again would be into a store that is not empty.
    expect((await run(args, here)).stderr).toBe(
      "animal-store: --to names a store that is not empty: it has given ids to animals or keys already; name an empty one.\n",
    );
  });
});

test.each(Object.keys(ENGINES))("%s: a copy whose end is not confirmed is not opened", async (engine) => {
  using here = storePlace();
  const name = await (ENGINES[engine] as () => Promise<string>)();
  const url = name.replace("./", `${here.cwd}/`);
  {
    await using target = await openBulkStore(url, "write", Date.now);
    const copyTarget = await target.receive("a store");
    const nothing = {
      lastAnimalId: 7n,
      lastOrderId: 7n,
      newestEventId: 7n,
      recordsEvents: false,
      lastKeyId: 7,
      keys: [],
      imports: [],
      corrections: [],
      cursorSecret: undefined,
    };
    const refusal = new Error("changed");
    const none = async function* () {};
    const finished = copyTarget.finish(nothing, none(), none(), () => Promise.reject(refusal));
    expect(await finished.catch((error) => error)).toBe(refusal);
  }
  const refused = await here.run("keys", "list", "--database", url);
  expect(refused.stderr).toContain("was begun and is not finished");
});

test("a source that changes meanwhile is reported, and the next run copies the rest", async () => {
  using here = storePlace();
  const target = await postgres.createDatabase();
  // Enough that even a busy machine creates an animal while they are copied.
  await here.run("seed", "--count", "30000");
  const args = ["copy", "--from", here.env.DATABASE_URL, "--to", target];
  let said = "";
  {
    await using service = await serving(here, here.env.DATABASE_URL);
    let creating = true;
    const { key } = service;
    const create = async () => {
      while (creating) await call(service, key, "/v1/pets", '{"name":"Rex","categoryId":1}');
    };
    const clients = Array.from({ length: 8 }, create);
    const { exitCode, stderr } = await run(args, here);
    creating = false;
    await Promise.all(clients);
    expect(exitCode).toBe(1);
    said = stderr;
  }
  expect(said).toMatch(
    /^animal-store: the source changed meanwhile \([\d,]+ animals? added, 0 orders placed\): stop the services that use it, and run the same command again\. It continues from here; until then no service opens the copy\.\n$/,
  );
  // What was copied before has changed since.
  const { stdout: orders } = await here.run("export", "--orders", "-", "--format", "ndjson");
  const ordered = new Set(
    orders
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line).petId),
  );
  const free = (await here.animals())
    .map((line) => JSON.parse(line))
    .filter(({ id, status }) => status === "available" && !ordered.has(id))
    .map(({ id }) => id);
  expect((await here.run("animals", "remove", `${free[0]}`)).exitCode).toBe(0);
  await here.write("orders.csv", `petId,status\n${free[1]},placed\n`);
  expect((await here.run("import", "--orders", "orders.csv")).exitCode).toBe(0);
  const { exitCode, stderr } = await run(args, here);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: expect.stringMatching(/2 animals had changed since, and were copied again\.\nCopied /),
  });
  const { stdout } = await here.run("export", "-", "--format", "ndjson", "--database", target);
  expect(stdout.split("\n").filter(Boolean)).toEqual(await here.animals());
});

test("an animal that is added to the source during the copy is reported too", async () => {
  using here = storePlace();
  const source = await postgres.createDatabase();
  const from = ["--database", source];
  await here.run("seed", "--count", "3", ...from);
  await using hand = new SQL({ url: source, max: 1 });
  await using other = new SQL({ url: source, max: 1 });
  const args = ["copy", "--from", source, "--to", here.env.DATABASE_URL];
  {
    await using service = await serving(here, source);
    const create = () => call(service, service.key, "/v1/pets", '{"name":"Rex","categoryId":1}');
    expect((await create()).status).toBe(201);
    // Holds the copy up between its count of the animals, which begins its snapshot, and the last ids.
    await hand`BEGIN`;
    await hand`LOCK TABLE animal_store.feed`;
    const copying = run(args, here);
    await until(async () => {
      const waiting = await other`SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
                                     AND wait_event_type = 'Lock' AND query LIKE '%coalesce(sum(events)%'`;
      return waiting.length > 0;
    });
    expect((await create()).status).toBe(201);
    await hand`COMMIT`;
    expect(await copying).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("the source changed meanwhile (1 animal added, 0 orders placed): stop"),
    });
  }
  expect(await run(args, here)).toMatchObject({ exitCode: 0 });
  expect((await here.animals()).length).toBe(5);
});

describe.each(["SQLite", "PostgreSQL"])("into %s", (engine) => {
  test("a store that a service has opened is refused: it may be serving it", async () => {
    using here = storePlace();
    const target = (await ENGINES[engine]?.()) as string;
    await here.run("seed", "--count", "1");
    const env = { DATABASE_URL: target };
    await using _ = await serve({ cwd: here.cwd, env }, ["--first-key", "none"]);
    const { exitCode, stderr } = await run(["copy", "--from", here.env.DATABASE_URL, "--to", target], here);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr:
        "animal-store: --to names a store that is not empty: a service has opened it, and may be serving it; name an empty one.\n",
    });
  });
});

describe("wrong use", () => {
  test.each([
    [["copy", "--from", "sqlite:./a.db"], 2, "required option '--to <url>' not specified"],
    [["copy", "--from", "mysql://x", "--to", "sqlite:./b.db"], 2, "--from cannot be read; it must be"],
    [["copy", "--from", "sqlite:./a.db", "--to", "sqlite:./a.db"], 2, "--from and --to name the same store"],
    [["copy", "--from", "sqlite:./a.db", "--to", "sqlite:./b.db"], 1, "there is no store at /"],
  ] as [string[], number, string][])("%p", async (args, code, problem) => {
    using here = storePlace();
    const { exitCode, stderr } = await here.run(...args);
    expect({ exitCode, stderr }).toEqual({ exitCode: code, stderr: expect.stringContaining(problem) });
    expect(stderr).not.toContain("    at ");
  });
});

describe("import, export and seed on PostgreSQL", () => {
  test("exports the bytes that were imported, imports all or nothing and each file once, with new ids", async () => {
    using here = storePlace();
    const url = await postgres.createDatabase();
    const at = ["--database", url];
    const columns = ["id", ...Object.keys(ANIMAL_MEMBERS)];
    const animals = ['3,"a ""b""\r\n",9223372036854775807,sold', "9,ü🐢,-1,pending"];
    // These have none of the members that come after `status`.
    const rows = animals.map((animal) => animal + ",".repeat(columns.length - 4));
    await here.write("ids.csv", [columns.join(), ...rows, ""].join("\r\n"));
    expect((await here.run("import", "ids.csv", ...at)).stderr).toEndWith(", ids 3 to 9.\n");
    expect((await here.run("export", "-", "--format", "csv", ...at)).stdout).toBe(here.read("ids.csv"));
    expect((await here.run("import", "ids.csv", ...at)).stderr).toContain(
      "This content was already imported",
    );
    expect((await here.run("import", "ids.csv", "--again", ...at)).stderr).toContain(
      "the store has already given ids up to 9; nothing was imported",
    );
    expect((await here.run("import", "ids.csv", "--again", "--ids", "new", ...at)).stderr).toEqual(
      expect.stringMatching(/^Imported 2 animals into postgres:.*, ids 10 to 11\.\n$/),
    );
    await here.write("bad.csv", "name,categoryId\nRex,1\n,1\n");
    expect((await here.run("import", "bad.csv", ...at)).exitCode).toBe(1);
    expect((await here.run("seed", "--count", "12000", ...at)).stderr).toEqual(
      expect.stringMatching(/^Added 12,000 animals to postgres:.*, ids 12 to 12011, with 5,276 orders\.\n$/),
    );
    const parts = ["import", "many.csv", "--commit-every", "4000", ...at];
    await here.write("many.csv", `name,categoryId\n${"Rex,1\n".repeat(10_000)}`);
    expect((await here.run(...parts)).stderr).toEndWith(", ids 12012 to 22011.\n");
    await using service = await serving(here, url);
    const one = await call(service, service.key, "/v1/pets", '{"name":"Rex","categoryId":1}');
    expect(one.headers.get("location")).toBe("/v1/pets/22012");
  });
});
