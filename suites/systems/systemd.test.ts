import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram } from "../../test/support/installed-programs.ts";

const ROOT = join(import.meta.dir, "../..");
const ANALYZE = requiredProgram("systemd-analyze", "systemd");

test.each(["animal-store.service", "animal-store-relay.service"])(
  "systemd takes %s, and finds little exposed",
  (unit) => {
    using folder = temporaryFolder();
    const file = join(folder.path, unit);
    // Where it would be installed there is nothing here, and nobody of its name.
    const here = readFileSync(join(ROOT, "deploy", unit), "utf8")
      .replace("/opt/animal-store", ROOT)
      .replace(/^(?:User|Group)=.*$/gm, "");
    writeFileSync(file, here);
    const verified = Bun.spawnSync([ANALYZE, "verify", file]);
    expect([verified.exitCode, verified.stderr.toString()]).toEqual([0, ""]);
    const exposure = Bun.spawnSync([ANALYZE, "security", "--offline=true", "--threshold=25", file]);
    expect(exposure.exitCode).toBe(0);
  },
);
