import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { SCHEMA_VERSION } from "../../src/stores/sqlite/migrate.ts";
import { canMount, WITH_SMALL_DISK } from "../support/full-disk.ts";
import { run, type ServiceProcess, serve, statusOf } from "../support/program.ts";
import { type StorePlace, storePlace } from "../support/store-place.ts";
import { CTRL_C, startOnTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

/** So many animals that a backup or restore of them can be interrupted. */
const MANY = 150_000;

/** Creates animals one after the other until it is told to stop; returns the names of those acknowledged. */
function createMeanwhile({ address, key }: ServiceProcess, client: string) {
  const names: string[] = [];
  let goesOn = true;
  const done = (async () => {
    for (let count = 0; goesOn; count++) {
      const name = `${client}.${count}`;
      const answer = await fetch(`${address}/v1/pets`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ name, categoryId: count }),
      });
      expect(answer.status).toBe(201);
      names.push(name);
    }
  })();
  return {
    names,
    async stop() {
      goesOn = false;
      await done;
    },
  };
}

let original: StorePlace;
beforeAll(async () => {
  original = storePlace();
  await original.run("seed", "--count", "3000");
  await original.run("backup", "a.bak");
});
afterAll(() => original[Symbol.dispose]());

/** A store of some animals and a backup of it, `a.bak`. */
async function backedUp(): Promise<StorePlace> {
  const here = storePlace();
  cpSync(original.cwd, here.cwd, { recursive: true });
  return here;
}

describe("backup", () => {
  test("while clients create has everything acknowledged before it, and nothing that was not sent", async () => {
    using here = storePlace();
    await here.create(MANY);
    await using service = await serve(here);
    const clients = [1, 2, 3, 4].map((number) => createMeanwhile(service, `${number}`));
    while (clients.some(({ names }) => names.length < 20)) await Bun.sleep(1);
    const before = clients.flatMap(({ names }) => names);
    expect(await here.run("backup", "live.bak")).toEqual({
      exitCode: 0,
      stdout: "",
      stderr: expect.stringMatching(
        /^Backed up 1\d{2},\d{3} animals \(last id 1\d{5}\) and \d\d,\d{3} orders \(last id \d{5}\) of \/.*\/store\/animals\.db \(store [0-9a-f]{32}\): \d+ MB in live\.bak, checked\.\n$/,
      ),
    });
    for (const client of clients) await client.stop();
    const all = clients.flatMap(({ names }) => names);
    using copy = new Database(here.path("live.bak"), { readonly: true });
    const kept = copy.query<{ name: string }, []>(`SELECT name FROM animal WHERE id > ${MANY}`).all();
    const names = new Set(kept.map(({ name }) => name));
    for (const name of before) expect(names.has(name)).toBe(true);
    for (const name of names) expect(all).toContain(name);
    expect(names.size).toBe(kept.length);
    expect(statSync(here.path("live.bak")).mode & 0o777).toBe(0o600);
    expect(readdirSync(here.cwd).sort()).toEqual(["first-key", "live.bak", "store"]);
  });

  test("replaces a file only with --force, and never the store", async () => {
    using here = await backedUp();
    const again = await here.run("backup", "a.bak");
    expect(again.exitCode).toBe(1);
    expect(again.stderr).toBe(
      "animal-store: a.bak already exists; name another file, or add --force to replace it.\n",
    );
    expect((await here.run("backup", "a.bak", "--force")).exitCode).toBe(0);
    const itself = await here.run("backup", "store/animals.db", "--force");
    expect(itself.stderr).toBe(
      "animal-store: cannot write store/animals.db: it is a store; name another file.\n",
    );
    expect(await here.animals()).toHaveLength(3000);
  });

  test.each([
    ["no/such.bak", "cannot write no/such.bak: there is no folder no; make it, or name another."],
    ["store", "cannot write store: it is a folder; name a file."],
  ])("to %s ends with one line", async (file, problem) => {
    using here = await backedUp();
    const { exitCode, stderr } = await here.run("backup", file);
    expect(exitCode).toBe(1);
    expect(stderr).toStartWith(`animal-store: ${problem}`);
    expect(stderr.trimEnd()).not.toContain("\n");
  });

  test("of a missing store, or of a PostgreSQL, says what to do", async () => {
    using here = storePlace();
    expect((await here.run("backup", "a.bak")).stderr).toBe(
      `animal-store: there is no store at ${here.store}. Name an existing store with --database or DATABASE_URL, ` +
        "or make a new store: `animal-store serve` does, and so does `animal-store migrate`.\n",
    );
    const { exitCode, stderr } = await here.run("backup", "a.bak", "--database", "postgres://me@host/shop");
    expect(exitCode).toBe(1);
    expect(stderr).toContain("pg_dump --format=custom --schema=animal_store --file=FILE --dbname=URL");
    expect(readdirSync(here.cwd)).toEqual([]);
  });

  test("shows its progress on a terminal, up to the end", async () => {
    using here = storePlace();
    await here.create(3000);
    await using program = startOnTerminal(["backup", "a.bak"], here);
    expect(await program.exited).toBe(0);
    expect(program.shown()).toMatch(/backup {2}█{24} {2}100 % {2}\d+ MB .*\n.*Backed up 3,000 animals/s);
  });

  test.skipIf(!canMount())("to a disk without room says which disk it is", async () => {
    using here = storePlace();
    await here.create(20_000);
    const { exitCode, stderr } = await run(["backup", "disk/a.bak"], { ...here, before: WITH_SMALL_DISK });
    expect([exitCode, stderr]).toEqual([
      1,
      "animal-store: disk has no room for the copy: database or disk is full. Make room, or name a file on another disk.\n",
    ]);
  });

  test("of a damaged store is not made", async () => {
    using here = await backedUp();
    damage(here.path("store/animals.db"));
    const { exitCode, stderr } = await here.run("backup", "b.bak");
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^animal-store: [^\n]*\n$/);
    expect(readdirSync(here.cwd).sort()).toEqual(["a.bak", "store"]);
  });
});

/** Overwrites a page in the middle of a database. */
function damage(file: string): void {
  const bytes = readFileSync(file);
  bytes.fill(0x5a, 8 * 4096, 9 * 4096);
  writeFileSync(file, bytes);
}

test.each([
  ["backup", "b.bak"],
  ["restore", "a.bak"],
])("Ctrl+C in the middle of a %s leaves everything as it was, and says so", async (command, file) => {
  for (;;) {
    using here = storePlace();
    await here.create(MANY);
    await here.run("backup", "a.bak");
    const before = readFileSync(here.path("store/animals.db"));
    await using program = startOnTerminal([command, file, "--force"], here);
    await program.shows("░");
    program.type(CTRL_C);
    // The work may have ended before the key arrives.
    if ((await program.exited) === 0) continue;
    expect(await program.exited).toBe(130);
    await program.shows(command === "backup" ? "b.bak was not written.\n" : "/animals.db is unchanged.\n");
    expect(readdirSync(here.cwd).sort()).toEqual(["a.bak", "store"]);
    expect(here.leftovers()).toEqual([]);
    expect(readFileSync(here.path("store/animals.db")).equals(before)).toBe(true);
    return;
  }
});

test("a backup whose unfinished copy is deleted says so", async () => {
  using here = storePlace();
  await here.create(MANY);
  await using program = startOnTerminal(["backup", "b.bak"], here);
  const unfinished = () => readdirSync(here.cwd).filter((name) => name.startsWith("b.bak."));
  await until(() => unfinished().some((name) => statSync(here.path(name)).size > 1_000_000));
  for (const name of unfinished()) rmSync(here.path(name));
  expect(await program.exited).toBe(1);
  // The copy may have been complete by then.
  await program.shows("was deleted. ");
  expect(readdirSync(here.cwd)).toEqual(["store"]);
});

describe("restore", () => {
  test("restores the animals of the backup, ids above all that were assigned, and the current keys", async () => {
    using here = storePlace();
    let first = "";
    let made = "";
    {
      await using service = await serve(here);
      first = service.key;
      await here.run("seed", "--count", "10");
      await here.run("backup", "a.bak");
      expect(await statusOf(service, first)).toBe(200);
      made = (await here.run("keys", "create", "--name", "since")).stdout.trim();
      await here.run("keys", "revoke", "1");
      await here.run("seed", "--count", "5");
    }
    const { exitCode, stderr } = await here.run("restore", "a.bak", "--force");
    expect(exitCode).toBe(0);
    const aside = /The replaced store is (\.\/store\/animals\.db\.replaced-\S+); delete it/.exec(stderr)?.[1];
    expect(stderr).toBe(
      `Restored 10 animals and 3 orders from a.bak to ${here.store}; the next ids are 16 for animals and 4 for orders.\n` +
        "Keys are as in the replaced store: keys created since the backup still work (1), keys revoked or expired since stay so (1).\n" +
        `The replaced store is ${aside}; delete it when it is no longer needed.\n`,
    );
    expect(await here.animals()).toHaveLength(10);
    rmSync(here.path("first-key"));
    await using service = await serve(here);
    expect(await statusOf(service, first)).toBe(401);
    expect(await statusOf(service, made)).toBe(200);
    const created = await fetch(`${service.address}/v1/pets`, {
      method: "POST",
      headers: { authorization: `Bearer ${made}`, "content-type": "application/json" },
      body: '{"name":"Rex","categoryId":1}',
    });
    expect(created.headers.get("location")).toBe("/v1/pets/16");
    const kept = await here.run("export", "-", "--format", "csv", "--database", `sqlite:${aside}`);
    expect(kept.stdout.trimEnd().split("\r\n")).toHaveLength(16);
  });

  test("counts new keys that have ended as ended, and rotated keys as working", async () => {
    using here = storePlace();
    {
      // A store that has served is known to be the store of its backup.
      await using _ = await serve(here);
      await here.run("keys", "create", "--name", "rotated since");
      await here.run("backup", "a.bak");
      await here.run("keys", "rotate", "2");
      for (const name of ["revoked", "expired", "usable"]) await here.run("keys", "create", "--name", name);
      await here.run("keys", "revoke", "4");
    }
    {
      using store = new Database(here.path("store/animals.db"));
      store.run("UPDATE api_key SET expires_at = 1 WHERE name = 'expired'");
    }
    const { stdout } = await here.run("restore", "a.bak", "--force", "--json");
    expect(JSON.parse(stdout).keys).toEqual({ kept: 2, ended: 2 });
  });

  test("keeps the lines of keys", async () => {
    using here = storePlace();
    await here.create(1);
    await here.run("keys", "create", "--name", "old");
    await here.run("backup", "a.bak");
    await here.run("keys", "rotate", "1");
    // A store that never served has no secret, so nothing shows that it is the store of the backup.
    expect(await here.run("restore", "a.bak", "--force", "--ids-from", "2")).toMatchObject({ exitCode: 0 });
    using store = new Database(here.path("store/animals.db"));
    expect(store.query("SELECT id, line FROM api_key").all()).toEqual([
      { id: 1, line: null },
      { id: 2, line: 1 },
    ]);
  });

  test("gives the store the mode of the replaced store", async () => {
    using here = storePlace();
    await here.create(1);
    await here.run("backup", "a.bak");
    chmodSync(here.path("store/animals.db"), 0o660);
    expect(await here.run("restore", "a.bak", "--force")).toMatchObject({ exitCode: 0 });
    expect(statSync(here.path("store/animals.db")).mode & 0o777).toBe(0o660);
  });

  test("refuses to replace a store that a service has open", async () => {
    using here = await backedUp();
    await using service = await serve(here);
    const { exitCode, stderr } = await here.run("restore", "a.bak", "--force");
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      "animal-store: ./store/animals.db is in use; stop the service, and whatever else has it open, and then restore.\n",
    );
    expect(await statusOf(service, service.key)).toBe(200);
    expect(here.leftovers()).toEqual([]);
  });

  test("refuses to replace an unreadable store that a service has open", async () => {
    using here = await backedUp();
    await using service = await serve(here);
    writeFileSync(here.path("store/animals.db"), "x".repeat(100_000), { flag: "r+" });
    const { exitCode, stderr } = await here.run("restore", "a.bak", "--force", "--ids-from", "9");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining("is in use; stop the service"),
    });
    expect(service.pid).toBeGreaterThan(0);
  });

  test("replaces a store only with --force", async () => {
    using here = await backedUp();
    const { exitCode, stderr } = await here.run("restore", "a.bak");
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      "animal-store: there is already a store ./store/animals.db; add --force to replace it. It is kept beside the restored one.\n",
    );
  });

  test("asks for --ids-from if no store knows which ids were assigned", async () => {
    using here = await backedUp();
    const refusal = (why: string) =>
      `animal-store: ${why} which ids were given after a.bak was made, and none may be given twice. ` +
      "Say --ids-from N with an N above all of them, be it of animals, orders or events (at least 3001, where nothing was added since).\n";
    const store = here.path("store/animals.db");

    damage(store);
    truncateSync(store, 40_000);
    writeFileSync(store, "no header at all", { flag: "r+" });
    const unreadable = await here.run("restore", "a.bak", "--force");
    expect(unreadable.stderr).toBe(refusal("./store/animals.db cannot be read to tell"));
    const done = await here.run("restore", "a.bak", "--force", "--ids-from", "5000");
    expect(done.stderr).toStartWith(
      `Restored 3,000 animals and 1,347 orders from a.bak to ${here.store}; the next ids are 5000 for animals and 5000 for orders.\nKeys are as in the backup: keys that were revoked since are VALID AGAIN, and keys`,
    );
    expect(await here.animals()).toHaveLength(3000);
    expect((await here.run("seed", "--count", "1")).stderr).toBe(
      `Added 1 animal to ${here.store}, id 5000, with 0 orders.\n`,
    );

    rmSync(here.path("store"), { recursive: true });
    await here.write("store/animals.db-wal", "the log of a store that is gone");
    expect((await here.run("restore", "a.bak")).stderr).toBe(
      refusal("there is no store ./store/animals.db to tell"),
    );
    expect(existsSync(store)).toBe(false);
    expect((await here.run("restore", "a.bak", "--ids-from", "1")).stderr).toContain(
      "the next ids are 3001 for animals and 1348 for orders.",
    );
    // Beside another store the log would be taken for that one's.
    const logs = readdirSync(here.path("store")).filter((file) => file.endsWith("-wal"));
    expect(logs).toEqual([expect.stringMatching(/^animals\.db\.replaced-.*-wal$/)]);
    expect(await here.animals()).toHaveLength(3000);
  });

  test("asks for --ids-from if the backup is of another store than the one to replace, and takes its keys", async () => {
    using here = storePlace();
    const beginStore = async () => {
      rmSync(here.path("store"), { recursive: true, force: true });
      rmSync(here.path("first-key"), { force: true });
      await using service = await serve(here);
      return service.key;
    };
    const key = await beginStore();
    await here.run("backup", "a.bak");
    await here.run("keys", "revoke", "1");
    // As on a machine that replaces a lost one: its service has begun a store of its own.
    const other = await beginStore();
    const { exitCode, stderr } = await here.run("restore", "a.bak", "--force");
    expect(exitCode).toBe(1);
    expect(stderr).toContain("is not the store that was backed up, so it cannot tell");
    expect((await here.run("restore", "a.bak", "--force", "--ids-from", "8")).stderr).toContain(
      "\nKeys are as in the backup: keys that were revoked since are VALID AGAIN",
    );
    await using service = await serve(here);
    expect(await statusOf(service, key)).toBe(200);
    expect(await statusOf(service, other)).toBe(401);
  });

  const wrong: [name: string, make: (here: StorePlace) => unknown, problem: string][] = [
    ["no file", (here) => rmSync(here.path("a.bak")), "there is no file a.bak; name a backup."],
    [
      "a letter",
      (here) => here.write("a.bak", "Dear aunt,"),
      "a.bak is not a backup of Animal Store; name a file that",
    ],
    ["noise", (here) => here.write("a.bak", "noise".repeat(9999)), "a.bak is not a backup of Animal Store"],
    ["nothing", (here) => here.write("a.bak", ""), "a.bak is not a backup of Animal Store"],
    [
      "a backup cut short",
      (here) => truncateSync(here.path("a.bak"), 50_000),
      "a.bak was cut short: it has 50000 of ",
    ],
    ["a damaged backup", (here) => damage(here.path("a.bak")), "a.bak is damaged: "],
    [
      "one of a newer version",
      (here) => change(here, "PRAGMA user_version = 4711"),
      "a.bak has schema version 4711; this program knows versions up to ",
    ],
    [
      "another program's database",
      (here) => change(here, "PRAGMA application_id = 7"),
      "a.bak is an SQLite database, but not an Animal Store's",
    ],
    [
      "a store that was in use",
      (here) => here.write("a.bak-wal", "a log"),
      "a.bak is a store, with a.bak-wal beside it, and not a backup: restoring the file alone could lose what its log",
    ],
    [
      "the store itself",
      (here) => {
        rmSync(here.path("a.bak"));
        symlinkSync("store/animals.db", here.path("a.bak"));
      },
      "a.bak is the store itself; name a backup of it.",
    ],
    [
      "the store under another name",
      (here) => {
        rmSync(here.path("a.bak"));
        linkSync(here.path("store/animals.db"), here.path("a.bak"));
      },
      "./store/animals.db has 2 names (hard links). SQLite keeps a log for each name",
    ],
  ];

  function change(here: StorePlace, sql: string): void {
    using database = new Database(here.path("a.bak"));
    database.run(sql);
  }

  test.each(wrong)("of %s ends with one line, and leaves the store as it was", async (_, make, problem) => {
    using here = await backedUp();
    await make(here);
    const before = readFileSync(here.path("store/animals.db"));
    const { exitCode, stdout, stderr } = await here.run("restore", "a.bak", "--force");
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toStartWith(`animal-store: ${problem}`);
    expect(stderr.trimEnd()).not.toContain("\n");
    expect(readFileSync(here.path("store/animals.db")).equals(before)).toBe(true);
    expect(readdirSync(here.path("store"))).toEqual(["animals.db"]);
  });

  test("into a PostgreSQL says what to do; --ids-from must be an id", async () => {
    using here = await backedUp();
    const { stderr } = await here.run("restore", "a.bak", "--database", "postgres://me@host/shop");
    expect(stderr).toContain("pg_restore --single-transaction --dbname=URL FILE");
    const wrong = await here.run("restore", "a.bak", "--ids-from", "0");
    expect({ code: wrong.exitCode, said: wrong.stderr }).toEqual({
      code: 2,
      said: 'animal-store: --ids-from is "0"; it must be a whole number from 1 to 4611686018427387904.\n',
    });
  });
});

/** The identity of the store in a file. */
function identityOf(file: string): string {
  using database = new Database(file, { readonly: true });
  return database.query<{ id: string }, []>("SELECT id FROM store_identity").get()?.id ?? "";
}

describe("backup --check", () => {
  test("says that a backup can be restored, what is in it, and when it was made", async () => {
    using here = await backedUp();
    const { exitCode, stdout } = await here.run("backup", "--check", "a.bak", "--json");
    expect(exitCode).toBe(0);
    const { madeAt, ...found } = JSON.parse(stdout);
    expect(found).toEqual({
      file: here.path("a.bak"),
      animals: 3000,
      lastAnimalId: 3000,
      orders: 1347,
      lastOrderId: 1347,
      keys: 0,
      schemaVersion: SCHEMA_VERSION,
      identity: identityOf(here.store),
    });
    const age = Date.now() - Date.parse(madeAt);
    expect(age).toBeWithin(0, 3_600_000);
    expect(await here.run("backup", "--check", "a.bak")).toEqual({
      exitCode: 0,
      stdout:
        `a.bak can be restored. It was made at ${madeAt} from store ${found.identity}, with schema version ${SCHEMA_VERSION}. ` +
        "It holds 3,000 animals (last id 3000), 1,347 orders (last id 1347) and 0 API keys.\n",
      stderr: "",
    });
  });

  test("explains why a file cannot be restored, and changes nothing", async () => {
    using here = await backedUp();
    await here.write("letter", "Dear aunt,");
    cpSync(here.path("a.bak"), here.path("damaged"));
    damage(here.path("damaged"));
    for (const [file, problem] of [
      ["letter", "letter is not a backup of Animal Store; name a file that `backup` has written."],
      ["none", "there is no file none; name a backup."],
      ["store", "store is not a file; name a backup."],
      ["store/animals.db", "store/animals.db is a store and not a backup: "],
      ["damaged", "damaged is damaged: "],
    ] as const) {
      const before = readdirSync(here.cwd);
      const { exitCode, stdout, stderr } = await here.run("backup", "--check", file, "--json");
      expect([file, exitCode]).toEqual([file, 1]);
      expect(JSON.parse(stdout).error.message).toStartWith(problem);
      expect(stderr).toStartWith(`animal-store: ${problem}`);
      expect(readdirSync(here.cwd)).toEqual(before);
    }
    expect((await here.run("backup", "--check", "a.bak", "--force")).exitCode).toBe(2);
  });
});

describe("a store's identity", () => {
  test("is in its backups, and changes when a backup is restored", async () => {
    using here = await backedUp();
    const identity = identityOf(here.store);
    expect(identityOf(here.path("a.bak"))).toBe(identity);
    expect((await here.run("restore", "a.bak", "--force")).exitCode).toBe(0);
    const renewed = identityOf(here.store);
    expect(renewed).not.toBe(identity);
    // The restored store is one, although nobody has opened it yet.
    const { exitCode, stderr } = await here.run("export", "store/animals.db", "--force", "--format", "csv");
    expect([exitCode, stderr]).toEqual([
      1,
      "animal-store: cannot write store/animals.db: it is a store; name another file.\n",
    ]);
    expect((await here.run("backup", "a.bak", "--force")).exitCode).toBe(0);
    expect(identityOf(here.path("a.bak"))).toBe(renewed);
  });

  test("changes when a backup is served as a store", async () => {
    using here = await backedUp();
    const env = { BACKUP_EVERY: "1h", BACKUP_DIR: "./backups", DATABASE_URL: "sqlite:./a.bak" };
    await using service = await serve({ cwd: here.cwd, env });
    await service.says("backed up to backups/");
    expect(identityOf(here.path("a.bak"))).not.toBe(identityOf(here.store));
  });
});
