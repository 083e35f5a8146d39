import { expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { BOUND_BY_MODES, run } from "../support/program.ts";
import { folderWithStore } from "../support/store-place.ts";

const COMMANDS = [
  ["keys", "list"],
  ["serve", "--port", "0"],
];

for (const [what, path, mode] of [
  ["a store that may only be read", "data/animal-store.db", 0o444],
  ["a store that may not be read", "data/animal-store.db", 0o000],
  ["a folder that may only be read", "data", 0o555],
] as const) {
  test.each(COMMANDS)(`${what}: "%s" names it, and says who should run it`, async (...command) => {
    using folder = await folderWithStore();
    const place = join(folder.path, path);
    chmodSync(place, mode);
    const { exitCode, stderr } = await run(command, { cwd: folder.path, before: BOUND_BY_MODES });
    chmodSync(place, 0o755);
    expect(stderr).toBe(
      "animal-store: cannot open sqlite:./data/animal-store.db: " +
        `this user may not read and write ${place}, which takes both rights to the file and to its folder. ` +
        "Run this as the user of the service\n",
    );
    expect(exitCode).toBe(1);
  });
}
