import { expect, test } from "bun:test";
import { chmodSync, chownSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { loadStored } from "../releases/stored.ts";
import { Caller } from "../support/caller.ts";
import { temporaryFolder } from "../support/folder.ts";
import { PROGRAM, run, serve } from "../support/program.ts";
import { SETPRIV } from "../support/setpriv.ts";

/** Numbers that no account of the machine has. */
const SERVICE = 58_001;
const OPERATOR = 58_002;
const OUTSIDER = 58_003;
const GROUP = 58_004;

const ENV = { DATABASE_URL: "sqlite:./shared/store.db" };
const FILES = ["store.db", "store.db-wal", "store.db-shm"];

/** A folder with a store that a group shares, as an operator makes it: `chmod 660`, and `2770` for the folder. */
async function sharedStore(cwd: string, asOwner: (path: string) => void): Promise<string> {
  const folder = join(cwd, "shared");
  mkdirSync(folder);
  await run(["seed", "--count", "1"], { cwd, env: ENV });
  for (const [path, mode] of [
    [folder, 0o770],
    [join(folder, "store.db"), 0o660],
  ] as const) {
    chmodSync(path, mode);
    asOwner(path);
  }
  return folder;
}

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

test("the files beside a store have its mode while a service runs", async () => {
  using cwd = temporaryFolder();
  const folder = await sharedStore(cwd.path, () => {});
  // Whatever the service's own mask would take away.
  const before = ["sh", "-c", 'umask 077; exec "$@"', "sh"];
  await using _ = await serve({ cwd: cwd.path, env: ENV, before });
  expect(FILES.map((file) => modeOf(join(folder, file)))).toEqual(["660", "660", "660"]);
});

/** Put before a program: runs it as a user whose first group is its own. */
function as(user: number, ...groups: number[]): string[] {
  const others = groups.length > 0 ? [`--groups=${groups}`] : ["--clear-groups"];
  return [...SETPRIV, `--reuid=${user}`, `--regid=${user}`, ...others, "--pdeathsig=KILL", "--"];
}

// Only root may become somebody else. For others the modes above are what the kernel goes by.
const canBecome = process.getuid?.() === 0 && SETPRIV.length > 0;

/** Root runs it where it lies in a folder that nobody else may enter. */
const asService = as(SERVICE, GROUP);
const before = canBecome && Bun.spawnSync([...asService, PROGRAM, "--version"]).success ? asService : [];

test.skipIf(!canBecome)(
  "another user of the store's group may write its files while the service runs; nobody else may",
  async () => {
    using cwd = temporaryFolder();
    const folder = await sharedStore(cwd.path, (path) => chownSync(path, SERVICE, GROUP));
    chmodSync(cwd.path, 0o777);
    await using service = await serve({ cwd: cwd.path, env: ENV, before });
    for (const file of FILES) {
      const { uid, gid } = statSync(join(folder, file));
      expect({ file, uid, gid }).toEqual({ file, uid: SERVICE, gid: GROUP });
    }
    const mayWrite = (user: string[]) =>
      FILES.map((file) => Bun.spawnSync([...user, "sh", "-c", `: >> ${join(folder, file)}`]).success);
    expect(mayWrite(as(OPERATOR, GROUP))).toEqual([true, true, true]);
    expect(mayWrite(as(OUTSIDER))).toEqual([false, false, false]);
    expect((await new Caller(service).create("Rex")).status).toBe(201);
  },
);

// Not where the program lies in a folder that nobody else may enter, as the copies of the mutants do.
test.skipIf(before.length === 0)(
  "a program of another user of the group, which opens the store first, does not lock the service out",
  async () => {
    using cwd = temporaryFolder();
    const folder = await sharedStore(cwd.path, (path) => chownSync(path, SERVICE, GROUP));
    chmodSync(cwd.path, 0o777);
    await using first = await serve({ cwd: cwd.path, env: ENV, before: as(OPERATOR, GROUP) });
    for (const file of FILES.slice(1)) expect([file, modeOf(join(folder, file))]).toEqual([file, "660"]);
    for (const file of FILES) expect([file, statSync(join(folder, file)).gid]).toEqual([file, GROUP]);
    await using second = await serve({ cwd: cwd.path, env: ENV, before }, ["--first-key", "none"]);
    const caller = new Caller(first);
    expect((await caller.create("Rex")).status).toBe(201);
    const { key } = first;
    expect((await new Caller({ address: second.address, key }).create("Max")).status).toBe(201);
    expect(await caller.names()).toContain("Max");
  },
);

test.skipIf(before.length === 0)(
  "a migration by a user who may only read names the file and the right",
  async () => {
    using cwd = temporaryFolder();
    chmodSync(cwd.path, 0o777);
    const file = join(cwd.path, "store.db");
    await loadStored({ url: `sqlite:${file}` }, "0.2.0");
    chmodSync(file, 0o644);
    const env = { DATABASE_URL: `sqlite:${file}` };
    const { exitCode, stderr } = await run(["migrate"], { cwd: cwd.path, env, before: as(OUTSIDER) });
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`this user may not read and write ${file}`);
  },
);
