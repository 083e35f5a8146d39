import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requirePrograms } from "../../test/support/installed-programs.ts";
import { TIED } from "../../test/support/program.ts";
import { runCommand } from "../../test/support/run-command.ts";

requirePrograms({ "deb-systemd-helper": "init-system-helpers", unshare: "util-linux" });

const POSTRM = readFileSync(join(import.meta.dir, "../../scripts/debian/postrm"), "utf8");
const DATA = ["lib/animal-store/animal-store.db", "backups/animal-store/animal-store-1-2.db"];

/** Runs postrm as `dpkg --purge` does, with a folder for its /var and all else read-only; returns what it says. */
async function purge(folder: string): Promise<string> {
  const alone = 'mount --bind "$1" /var && mount -o remount,bind,ro / && exec sh -c "$2" postrm purge';
  const inside = ["unshare", "--mount", "sh", "-c", alone, "sh", folder, POSTRM];
  const env = { DPKG_MAINTSCRIPT_PACKAGE: "animal-store" };
  return (await runCommand([...TIED, ...inside], { cwd: "/", env })).stdout;
}

test("a purge deletes neither a store nor a backup, and says how to", async () => {
  using folder = temporaryFolder();
  for (const file of DATA) {
    mkdirSync(join(folder.path, file, ".."), { recursive: true });
    writeFileSync(join(folder.path, file), file);
  }
  expect(await purge(folder.path)).toBe(
    "animal-store: the data in /var/lib/animal-store stays; to remove it too: rm -r /var/lib/animal-store\n" +
      "animal-store: the data in /var/backups/animal-store stays; to remove it too: rm -r /var/backups/animal-store\n",
  );
  expect(DATA.map((file) => readFileSync(join(folder.path, file), "utf8"))).toEqual(DATA);
});
