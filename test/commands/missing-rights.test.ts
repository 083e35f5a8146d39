import { expect, test } from "bun:test";
import { chmodSync, cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BOUND_BY_MODES, run, serve } from "../support/program.ts";
import { folderWithStore } from "../support/store-place.ts";

const WRITERS = [
  ["keys", "list"],
  ["serve", "--port", "0"],
];
const ALL = [...WRITERS, ["backup", "copy.db"]];

for (const [what, path, mode, commands] of [
  // A backup of it succeeds.
  ["a store that may only be read", "data/animal-store.db", 0o444, WRITERS],
  ["a store that may not be read", "data/animal-store.db", 0o000, ALL],
  ["a folder that may only be read", "data", 0o555, ALL],
] as const) {
  test.each(commands)(`${what}: "%s" names it, and says who should run it`, async (...command) => {
    using folder = await folderWithStore();
    const place = join(folder.path, path);
    chmodSync(place, mode);
    const { exitCode, stderr } = await run(command, { cwd: folder.path, before: BOUND_BY_MODES });
    chmodSync(place, 0o755);
    expect(stderr).toBe(
      "animal-store: cannot open sqlite:./data/animal-store.db: " +
        `this user may not read and write ${place}, which takes both rights to the file and to its folder. ` +
        "The service and its commands must run as a user who may\n",
    );
    expect(exitCode).toBe(1);
  });
}

test.each(["-wal", "-shm"])(
  "a store whose %s may not be read: every command names that file",
  async (suffix) => {
    using folder = await folderWithStore();
    {
      await using service = await serve({ cwd: folder.path });
      service.kill("SIGKILL");
      await service.exited;
    }
    const place = join(folder.path, `data/animal-store.db${suffix}`);
    chmodSync(place, 0o000);
    for (const command of ALL) {
      const { exitCode, stderr } = await run(command, { cwd: folder.path, before: BOUND_BY_MODES });
      expect([exitCode, stderr]).toEqual([
        1,
        expect.stringContaining(`this user may not read and write ${place}, `),
      ]);
    }
  },
);

test.each([
  "keys list",
  "export - --format csv",
  "import ../animals.csv --dry-run",
  "migrate --check",
  "upgrade --check",
  "backup ../a.bak",
  "seed --count 1",
  "serve --port 0",
])("a folder that may not be entered: `%s` does not take the store for missing", async (command) => {
  using folder = await folderWithStore();
  const data = join(folder.path, "data");
  writeFileSync(join(folder.path, "animals.csv"), "name,categoryId\nRex,1\n");
  chmodSync(data, 0o000);
  const args = command.replaceAll("../", `${folder.path}/`).split(" ");
  const outcome = await run(args, { cwd: folder.path, before: BOUND_BY_MODES });
  chmodSync(data, 0o755);
  expect(outcome).toEqual({
    exitCode: 1,
    stdout: "",
    stderr:
      `animal-store: cannot open ./data/animal-store.db: this user may not read and write ${data}, which takes both rights ` +
      "to the file and to its folder. The service and its commands must run as a user who may\n",
  });
});

test.each(["import --format csv", "restore --database sqlite:./other.db"])(
  "a file that may not be read: `%s` names it in one line",
  async (command) => {
    using folder = await folderWithStore();
    const file = join(folder.path, "closed");
    cpSync(join(folder.path, "data/animal-store.db"), file);
    chmodSync(file, 0o000);
    const outcome = await run([...command.split(" "), file], { cwd: folder.path, before: BOUND_BY_MODES });
    expect(outcome).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `animal-store: cannot read ${file}: EACCES: permission denied, open '${file}'.\n`,
    });
  },
);
