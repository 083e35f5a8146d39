import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { makeRelease } from "../../scripts/release/source.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram } from "../../test/support/installed-programs.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { PARTS } from "./parts.ts";

const ROOT = join(import.meta.dir, "../..");

if (PARTS.has("a whole release"))
  test(
    "a release has every file with its checksum, changes nothing of the repository, and has the same bytes a second time",
    async () => {
      using one = temporaryFolder();
      using other = temporaryFolder();
      const git = async (...line: string[]) =>
        (await runCommand([requiredProgram("git"), ...line], { cwd: ROOT })).stdout;
      const ignored = () => git("status", "--porcelain", "--ignored");
      const before = await ignored();
      for (const { path } of [one, other]) await makeRelease(path, ["here"]);
      expect(await ignored()).toBe(before);

      const { stdout } = await runCommand(["sha256sum", "--check", "SHA256SUMS"], { cwd: one.path });
      const files = readdirSync(one.path).sort();
      expect(files.map((name) => name.replace(/\d+\.\d+\.\d+/, "VERSION"))).toEqual([
        "SHA256SUMS",
        expect.stringMatching(/^animal-store-VERSION-image-\w+\.tar$/),
        expect.stringMatching(/^animal-store-VERSION-\w+-\w+\.tar\.gz$/),
        "animal-store-VERSION.cdx.json",
        "animal-store-VERSION.tgz",
        "animal-store-client-VERSION.tgz",
        expect.stringMatching(/^animal-store_VERSION_\w+\.deb$/),
      ]);
      expect(stdout).toBe(
        files
          .slice(1)
          .map((name) => `${name}: OK\n`)
          .join(""),
      );
      await runCommand(["diff", "--recursive", one.path, other.path], { cwd: ROOT });
    },
    LONG_RUN_MS,
  );
