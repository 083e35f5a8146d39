import { expect, test } from "bun:test";
import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shareAs } from "../../src/stores/sqlite/file.ts";
import { mapHeader } from "../../src/stores/sqlite/revision/shared-memory-revision.ts";
import { Caller } from "../support/caller.ts";
import { temporaryFolder } from "../support/folder.ts";
import { run, serve } from "../support/program.ts";

const ENV = { DATABASE_URL: "sqlite:./store.db" };

test("a store behind a symbolic link serves, is administered, backed up and restored", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  mkdirSync(join(cwd, "disk"));
  symlinkSync("disk/store.db", join(cwd, "store.db"));
  const command = (...args: string[]) => run(args, { cwd, env: ENV });
  {
    await using service = await serve({ cwd, env: ENV });
    const caller = new Caller(service);
    expect((await caller.create("Rex")).status).toBe(201);
    expect((await command("animals", "set", "1", "--status", "sold")).exitCode).toBe(0);
    expect((await command("backup", "a.bak")).exitCode).toBe(0);
    // The service sees what another process has committed beside the file itself.
    expect(await (await caller.get("/v1/pets/1")).json()).toMatchObject({ status: "sold" });
  }
  expect((await command("restore", "a.bak", "--force")).exitCode).toBe(0);
  expect(lstatSync(join(cwd, "store.db")).isSymbolicLink()).toBe(true);
  const names = readdirSync(join(cwd, "disk")).sort();
  expect(names).toEqual(["store.db", expect.stringMatching(/^store\.db\.replaced-/)]);
  expect((await command("export", "-", "--format", "ndjson")).stdout).toContain('"name":"Rex"');
});

test.each(["seed --count 1", "migrate", "serve --port 0"])(
  "a link into a folder that does not exist: `%s` names the link, its target and what to do",
  async (command) => {
    using folder = temporaryFolder();
    symlinkSync("gone/store.db", join(folder.path, "store.db"));
    const gone = join(folder.path, "gone");
    expect(await run(command.split(" "), { cwd: folder.path, env: ENV })).toEqual({
      exitCode: 1,
      stdout: "",
      stderr:
        `animal-store: cannot write ./store.db: it is a link to ${gone}/store.db, and there is no folder ${gone}. ` +
        "Make the folder, or correct the link.\n",
    });
    expect(readdirSync(folder.path)).toEqual(["store.db"]);
  },
);

/** A database with a link beside it, and what the link leads to. */
function withLinkAt(folder: string, suffix: string): { database: string; target: string } {
  const [database, target] = [join(folder, "store.db"), join(folder, "target")];
  for (const file of [database, target]) writeFileSync(file, "x");
  chmodSync(database, 0o666);
  chmodSync(target, 0o600);
  symlinkSync(target, database + suffix);
  return { database, target };
}

test("a link in the place of the log is not followed to share another file", () => {
  using folder = temporaryFolder();
  const { database, target } = withLinkAt(folder.path, "-wal");
  shareAs(`${database}-wal`, database);
  expect(statSync(target).mode & 0o777).toBe(0o600);
});

test("a link in the place of the shared memory is not followed to lengthen another file", () => {
  using folder = temporaryFolder();
  const { database, target } = withLinkAt(folder.path, "-shm");
  expect(() => mapHeader(database)).toThrow("ELOOP");
  expect(statSync(target).size).toBe(1);
});
