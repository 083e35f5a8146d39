import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { PARTS } from "./parts.ts";

const ROOT = join(import.meta.dir, "../..");
const BUN = `bun@${Bun.version}`;
const PNPM = "npx --yes pnpm@10";
// A dependency of the library for readable logs wants a newer Node than ours needs.
const YARN = "npx --yes yarn@1 --ignore-engines";

// The package `bun` takes the binary out of a package of its own version that ours needs, too.
describe.if(PARTS.has("next to bun"))("in a project that has `bun` of the same version", () => {
  test.each([
    ["npm, after it", [`npm install ${BUN}`, "npm install PACKAGE"]],
    ["npm, before it", ["npm install PACKAGE", `npm install ${BUN}`]],
    ["npm, and again", [`npm install ${BUN} PACKAGE`, "rm -r node_modules", "npm ci"]],
    ["pnpm, after it", [`${PNPM} add ${BUN} --allow-build=bun`, `${PNPM} add PACKAGE`]],
    ["pnpm, before it", [`${PNPM} add PACKAGE`, `${PNPM} add ${BUN} --allow-build=bun`]],
    ["Yarn 1, after it", [`${YARN} add ${BUN}`, `${YARN} add file:PACKAGE`]],
    ["Yarn 1, before it", [`${YARN} add file:PACKAGE`, `${YARN} add ${BUN}`]],
  ])(
    "the program that is installed with %s starts",
    async (_name, lines) => {
      using folder = temporaryFolder();
      const packed = await runCommand(["npm", "pack", "--silent", "--pack-destination", folder.path], {
        cwd: ROOT,
      });
      const archive = join(folder.path, packed.stdout.trim());
      const cwd = join(folder.path, "project");
      await Bun.write(join(cwd, "package.json"), "{}");
      for (const line of lines) await runCommand(line.replace("PACKAGE", archive).split(" "), { cwd });
      const { stdout } = await runCommand(["node_modules/.bin/animal-store", "--version"], { cwd });
      expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    },
    LONG_RUN_MS,
  );
});
