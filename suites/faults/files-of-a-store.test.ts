import { Database } from "bun:sqlite";
import { beforeAll, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { openSqliteStore } from "../../src/stores/sqlite/store.ts";
import { Caller, expectUnavailable } from "../../test/support/caller.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { canMount, NAMESPACE } from "../../test/support/full-disk.ts";
import { run, sandbox, serve } from "../../test/support/program.ts";
import { type StorePlace, storePlace } from "../../test/support/store-place.ts";
import { untilStatus } from "../../test/support/until.ts";

/** Every command that writes a file, in the words that replace what is there. */
const WRITERS: Record<string, (target: string) => string[]> = {
  backup: (target) => ["backup", target, "--force"],
  export: (target) => ["export", target, "--force", "--format", "csv"],
  "import --skip-bad": (target) => ["import", "bad.csv", "--force", "--skip-bad", target],
};

/** Ways to name a file of the store `store/animals.db`, which a service uses. */
const TARGETS = [
  "store/animals.db",
  "store/animals.db-wal",
  "store/animals.db-shm",
  "store/animals.db-journal",
  "store/../store/./animals.db-wal",
  "link.db-wal",
  "link.db",
  "folder/animals.db-shm",
  "other.db",
];

async function place(): Promise<StorePlace> {
  const here = storePlace();
  await here.create(5);
  await here.write("bad.csv", "name,categoryId\nb,x\n");
  symlinkSync("store/animals.db", here.path("link.db"));
  symlinkSync("store", here.path("folder"));
  copyFileSync(here.store, here.path("other.db"));
  return here;
}

describe("a service continues, and loses nothing acknowledged, when", () => {
  for (const [name, command] of Object.entries(WRITERS)) {
    test(`${name} --force targets a file of a store`, async () => {
      using here = await place();
      {
        await using service = await serve(here);
        const caller = new Caller(service);
        expect((await caller.create("before")).status).toBe(201);
        const other = readFileSync(here.path("other.db"));
        for (const target of TARGETS) {
          const { exitCode, stderr } = await here.run(...command(target));
          expect([target, exitCode, stderr]).toEqual([
            target,
            1,
            expect.stringMatching(
              new RegExp(`^animal-store: cannot write ${target}: [^\n]*name [^\n]*\\.\n$`),
            ),
          ]);
        }
        expect((await caller.create("after")).status).toBe(201);
        expect(readFileSync(here.path("other.db")).equals(other)).toBe(true);
        service.kill("SIGKILL");
      }
      expect((await here.animals()).join()).toMatch(/"before".*"after"/);
    });
  }
});

test("a file of another running store is refused by name, even before the file exists", async () => {
  using here = await place();
  using other = storePlace();
  await other.create(1);
  const { store: file } = other;
  for (const suffix of ["-wal", "-shm", "-journal"]) {
    const { exitCode, stderr } = await here.run("backup", file + suffix);
    expect([exitCode, stderr]).toEqual([
      1,
      `animal-store: cannot write ${file}${suffix}: it belongs to the database ${file}; name another file.\n`,
    ]);
  }
  expect(other.leftovers()).toEqual([]);
});

test("a file that belongs to a store is not opened as a store", async () => {
  using here = await place();
  await using service = await serve(here);
  const caller = new Caller(service);
  const url = (suffix: string) => ["--database", `sqlite:./store/animals.db${suffix}`];
  for (const suffix of ["-wal", "-shm", "-journal"]) {
    for (const command of [["seed", "--count", "1"], ["migrate"]]) {
      const { exitCode, stderr } = await here.run(...command, ...url(suffix));
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining("so it can be no store; name a store")]);
    }
    const sandbox = await here.run("sandbox", "--store", `store/animals.db${suffix}`, "--port", "0");
    expect(sandbox.stderr).toContain("so it can be no store");
  }
  expect((await caller.create("after")).status).toBe(201);
});

test("no file of a store is imported, since closing it would release SQLite's locks", async () => {
  using here = await place();
  for (const file of ["store/animals.db", "store/animals.db-shm"]) {
    const { exitCode, stderr } = await here.run("import", file, "--format", "csv");
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^animal-store: cannot read store\/animals\.db\S*: it (is a store|belongs to the database)/,
    );
  }
});

describe("a backup", () => {
  let backup: Uint8Array;
  beforeAll(async () => {
    using here = await place();
    await here.run("backup", "a.bak");
    backup = readFileSync(here.path("a.bak"));
  });

  test.each(["-wal", "-journal", "-shm"])(
    "is not written beside an old %s, which SQLite would apply to it",
    async (suffix) => {
      using here = await place();
      writeFileSync(here.path("a.bak"), backup);
      await here.write(`a.bak${suffix}`, "old");
      for (const file of ["a.bak", "link.bak"]) {
        if (file === "link.bak") await here.write(`link.bak${suffix}`, "old");
        const { exitCode, stderr } = await here.run("backup", file, "--force");
        expect([exitCode, stderr]).toEqual([
          1,
          `animal-store: cannot write ${file}: ${file}${suffix} is beside it, and SQLite would take that for a part of any ` +
            "database of this name; name another file.\n",
        ]);
      }
      expect(readFileSync(here.path("a.bak")).equals(backup)).toBe(true);
    },
  );

  test("replaces an older backup with --force", async () => {
    using here = await place();
    writeFileSync(here.path("a.bak"), backup);
    expect((await here.run("backup", "a.bak", "--force")).stderr).toStartWith("Backed up 5 animals");
  });
});

test("restore from a symbolic link sees the log beside the file that the link leads to", async () => {
  using here = await place();
  await using service = await serve(here);
  expect((await new Caller(service).create("in the log")).status).toBe(201);
  service.kill("SIGKILL");
  await service.exited;
  const { exitCode, stderr } = await here.run(
    "restore",
    "link.db",
    "--database",
    "sqlite:./new.db",
    "--ids-from",
    "99",
  );
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringContaining("and not a backup: restoring the file alone could lose what its log holds."),
  ]);
  expect(existsSync(here.path("new.db"))).toBe(false);
});

describe("a store with two hard links", () => {
  test("is opened under neither, and says how to find the other", async () => {
    using here = await place();
    linkSync(here.store, here.path("second.db"));
    for (const database of ["sqlite:./second.db", here.env.DATABASE_URL, "sqlite:./link.db"]) {
      for (const command of [
        ["serve"],
        ["seed", "--count", "1"],
        ["keys", "list"],
        ["backup", "a.bak"],
        ["migrate"],
      ]) {
        const { exitCode, stderr } = await here.run(...command, "--database", database);
        expect([database, ...command, exitCode, stderr]).toEqual([
          database,
          ...command,
          1,
          expect.stringContaining("has 2 names (hard links)"),
        ]);
      }
    }
    rmSync(here.path("second.db"));
    expect(await here.animals()).toHaveLength(5);
  });

  test("is opened if a killed restore left the second one", async () => {
    using here = await place();
    linkSync(here.store, `${here.store}.replaced-2026-01-01`);
    expect(await here.animals()).toHaveLength(5);
    const { stderr } = await here.run(
      "keys",
      "list",
      "--database",
      "sqlite:./store/animals.db.replaced-2026-01-01",
    );
    expect(stderr).toContain("has 2 names");
  });
});

test.skipIf(!canMount())("a store whose file is mounted without its folder is not opened", async () => {
  using here = await place();
  mkdirSync(here.path("inside it"));
  writeFileSync(here.path("inside it/store.db"), "");
  const script = `mount --bind store/animals.db "inside it/store.db" && exec "$@"`;
  const before = [...NAMESPACE, "sh", "-c", script, "sh"];
  const args = ["keys", "list", "--database", "sqlite:./inside it/store.db"];
  const { exitCode, stderr } = await run(args, { ...here, before });
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringContaining("is mounted by itself, without its folder"),
  ]);
});

describe.skipIf(!canMount())("a network file system", () => {
  /** A folder `disk`, which the kernel's list of mounts says is one, with a copy of the store in it. */
  const diskOf = (type: string) => {
    const script =
      `mkdir -p disk && mount -t tmpfs tmpfs disk && cp store/animals.db disk && ` +
      `sed '/ [^ ]*\\/disk /s/ - tmpfs / - ${type} /' /proc/self/mountinfo > mounts && ` +
      `mount --bind mounts /proc/$$/mountinfo && exec "$@"`;
    return [...NAMESPACE, "sh", "-c", script, "sh"];
  };

  test.each(["nfs4", "cifs", "fuse.sshfs"])(
    "is named as %s, and no store there is opened or made",
    async (type) => {
      using here = await place();
      for (const [file, ...command] of [
        ["disk/animals.db", "keys", "list"],
        ["disk/animals.db", "serve", "--port", "0"],
        ["disk/new/animals.db", "serve", "--port", "0"],
      ]) {
        const args = [...command, "--database", `sqlite:./${file}`];
        const { exitCode, stderr } = await run(args, { ...here, before: diskOf(type) });
        expect([exitCode, stderr]).toEqual([
          1,
          expect.stringContaining(`${file} is on a network file system (${type}), where another machine`),
        ]);
      }
    },
  );

  test("may get the backups of a store on another disk", async () => {
    using here = await place();
    const { exitCode, stderr } = await run(["backup", "disk/a.bak"], { ...here, before: diskOf("nfs4") });
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining("Backed up 5 animals")]);
  });

  test("restores a backup to a store on another disk", async () => {
    using here = await place();
    expect((await here.run("backup", "a.bak")).exitCode).toBe(0);
    const before = [...diskOf("nfs4").slice(0, -1), "sh", "sh", "-c", 'cp a.bak disk && exec "$@"', "sh"];
    const { exitCode } = await run(["restore", "disk/a.bak", "--force"], { ...here, before });
    expect(exitCode).toBe(0);
  });
});

describe("a service whose shared memory is", () => {
  test.each(["removed", "replaced"])(
    "%s acknowledges nothing more, and loses nothing that another program stores",
    async (deed) => {
      using here = await place();
      {
        await using service = await serve(here);
        const caller = new Caller(service, false);
        expect((await caller.create("before")).status).toBe(201);
        const memory = `${here.store}-shm`;
        const copy = readFileSync(memory);
        rmSync(memory);
        if (deed === "replaced") writeFileSync(memory, copy);
        // It sees no locks of the service, and stores its animals in the same log.
        expect((await here.run("seed", "--count", "40")).exitCode).toBe(0);
        for (let n = 0; n < 4; n++) await expectUnavailable(await caller.create(`after ${n}`));
        for (let n = 0; n < 4; n++) await expectUnavailable(await untilStatus(() => caller.list(), 503));
        await untilStatus(() => fetch(`${service.address}/readyz`, { keepalive: false }), 503);
        await service.says("Programs that opened the store since cannot see this one.");
        service.kill("SIGTERM");
        await service.exited;
      }
      const names = (await here.animals()).map((line) => JSON.parse(line).name);
      expect(names).toHaveLength(5 + 1 + 40);
      expect(names).toContain("before");
      using database = new Database(here.store);
      expect(database.query("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
    },
  );
});

describe("a store whose shared memory was removed before another service added 40 animals", () => {
  /** The store, and what the other service acknowledged. */
  async function opened(here: StorePlace) {
    const store = openSqliteStore(here.store, Date.now);
    const add = (name: string) => store.addAnimal({ name, categoryId: 1n, status: "sold" });
    await add("before");
    rmSync(`${here.store}-shm`);
    const other = await serve(here);
    const caller = new Caller(other);
    for (let n = 0; n < 40; n++) expect((await caller.create(`${n}`)).status).toBe(201);
    return { store, add, other };
  }

  test("does not overwrite these in the log", async () => {
    using here = await place();
    const { store, add, other } = await opened(here);
    await using _ = other;
    await expect(add("after")).rejects.toThrow("-shm is no longer the file that was opened");
    other.kill("SIGKILL");
    await other.exited;
    expect(await here.animals()).toHaveLength(5 + 1 + 40);
    await store.close();
  });
});

test.each(["1", "2"])(
  "a service with WORKERS=%s whose shared memory was removed stops, and another service's creates stay",
  async (workers) => {
    using here = await place();
    await using service = await serve({ cwd: here.cwd, env: { ...here.env, WORKERS: workers } });
    expect((await new Caller(service).create("before")).status).toBe(201);
    rmSync(`${here.store}-shm`);
    await using other = await serve(here);
    const caller = new Caller(other);
    for (let n = 0; n < 40; n++) expect((await caller.create(`${n}`)).status).toBe(201);
    other.kill("SIGKILL");
    await other.exited;
    service.kill("SIGTERM");
    await service.exited;
    expect(await here.animals()).toHaveLength(5 + 1 + 40);
  },
);

describe("`sandbox --store ./sb`", () => {
  const options = (cwd: string) => ({ cwd, env: { TMPDIR: cwd } });

  test.each([
    ["an SQLite file", (path: string) => new Database(path).run("CREATE TABLE mine (a)")],
    ["an empty file", (path: string) => writeFileSync(path, "")],
    ["a pipe", (path: string) => Bun.spawnSync(["mkfifo", path])],
    ["a folder", (path: string) => mkdirSync(path)],
  ])("neither locks nor deletes %s that is called sb-lock", async (_, make) => {
    using folder = temporaryFolder();
    const path = join(folder.path, "sb-lock");
    make(path);
    const { ino } = statSync(path);
    const { exitCode, stderr } = await run(
      ["sandbox", "--store", "./sb", "--port", "0"],
      options(folder.path),
    );
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("./sb-lock is in the way")]);
    expect(statSync(path).ino).toBe(ino);
    expect(readdirSync(folder.path).filter((name) => name !== "sb-lock" && name !== "sb")).toEqual([]);
  });

  test("starts again after it was killed, and leaves no lock", async () => {
    using folder = temporaryFolder();
    {
      await using first = await sandbox(options(folder.path), ["--store", "./sb"]);
      first.kill("SIGKILL");
      await first.exited;
    }
    expect(existsSync(join(folder.path, "sb-lock"))).toBe(true);
    await using second = await sandbox(options(folder.path), ["--store", "./sb"]);
    second.kill("SIGTERM");
    expect(await second.exited).toBe(0);
    expect(readdirSync(folder.path)).toEqual(["sb"]);
  });

  test("does not remove a service's store that replaced its own", async () => {
    using here = await place();
    await using box = await sandbox(options(here.cwd), ["--store", "./sb"]);
    const store = readFileSync(here.store);
    renameSync(here.store, here.path("sb"));
    await fetch(`${box.address}/_sandbox/reset`, { method: "POST" }).catch(() => {});
    await box.exited;
    expect(readFileSync(here.path("sb")).equals(store)).toBe(true);
  });
});
