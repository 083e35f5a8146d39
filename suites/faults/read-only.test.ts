import { expect, test } from "bun:test";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Caller, expectUnavailable } from "../../test/support/caller.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { BOUND_BY_MODES, serve } from "../../test/support/program.ts";

const onLinux = process.platform === "linux";
const isRoot = process.getuid?.() === 0;
const RUNTIME = join(import.meta.dir, "../../bin/runtime");

// Outside of Linux, root cannot give up its right to write any file.
test.skipIf(isRoot && !onLinux)(
  "a store that becomes writable accepts creates without a restart",
  async () => {
    using folder = temporaryFolder();
    const script = join(import.meta.dir, "./read-only-store.ts");
    await using child = Bun.spawn([...BOUND_BY_MODES, RUNTIME, script, join(folder.path, "store.db")], {
      stdout: "pipe",
      stderr: "inherit",
    });
    const lines = (await child.stdout.text()).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { created: "store_unavailable", listed: [] },
      { created: "store_unavailable", listed: [] },
      { created: "stored", listed: ["stored"] },
      { created: "stored", listed: ["stored", "stored too"] },
    ]);
    expect(await child.exited).toBe(0);
  },
);

/** Makes a file immutable, or not any more; tells whether that worked. */
function setImmutable(file: string, immutable: boolean): boolean {
  return Bun.spawnSync(["chattr", immutable ? "+i" : "-i", file], { stderr: "ignore" }).success;
}

/** Whether an immutable file also refuses writes by programs that have it open: on ext4 and others, for root. */
function canMakeImmutable(): boolean {
  if (!onLinux || !isRoot || !Bun.which("chattr")) return false;
  using folder = temporaryFolder();
  const file = join(folder.path, "file");
  const descriptor = openSync(file, "w");
  try {
    if (!setImmutable(file, true)) return false;
    writeSync(descriptor, "x");
    return false;
  } catch {
    return true;
  } finally {
    setImmutable(file, false);
    closeSync(descriptor);
  }
}

test.skipIf(!canMakeImmutable())(
  "a running service refuses creates while its file is read-only, and accepts them afterwards",
  async () => {
    using folder = temporaryFolder();
    await using service = await serve({ cwd: folder.path, env: { DATABASE_URL: "sqlite:./store.db" } });
    const caller = new Caller(service);
    // Not the shared memory: to write to an immutable file that is mapped is, to Linux, a SIGBUS.
    const files = ["store.db", "store.db-wal"].map((name) => join(folder.path, name));
    expect((await caller.create("before")).status).toBe(201);
    try {
      for (const file of files) expect(setImmutable(file, true)).toBe(true);
      await expectUnavailable(await caller.create("refused"));
      await expectUnavailable(await caller.create("refused too"));
      expect(await caller.names()).toEqual(["before"]);
    } finally {
      for (const file of files) setImmutable(file, false);
    }
    for (const name of ["before", "refused", "refused too", "after"]) {
      expect((await caller.create(name)).status).toBe(201);
    }
    expect(await caller.names()).toEqual(["before", "refused", "refused too", "after"]);
  },
);
