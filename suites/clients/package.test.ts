import { expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { CLIENT_PROGRAM, installClientPackage } from "../../test/support/client-package.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram } from "../../test/support/installed-programs.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { startService } from "../../test/support/service.ts";
import { deno, esbuild, packageChecker, vite } from "./tools.ts";

// The client's package as its users' tools see it.

test(
  "publint and are-the-types-wrong find nothing in the client's package",
  async () => {
    using folder = temporaryFolder();
    const file = await installClientPackage(folder.path);
    const { stdout } = await runCommand([await packageChecker("publint@0.3.25"), "run", file, "--strict"], {
      cwd: folder.path,
    });
    expect(stdout).toContain("All good!");
    await runCommand([await packageChecker("@arethetypeswrong/cli@0.18.5"), file], { cwd: folder.path });
  },
  LONG_RUN_MS,
);

test.each([
  ["Deno", async () => [await deno(), "run", "--allow-net", "--allow-env", "program.mjs"]],
  [
    "Node, bundled by esbuild",
    async (folder: string) => {
      const options = ["--bundle", "--minify", "--format=esm", "--outfile=bundle.mjs", "--log-level=warning"];
      await runCommand([await esbuild(), "program.mjs", ...options], { cwd: folder });
      return [requiredProgram("node"), "bundle.mjs"];
    },
  ],
  [
    "Node, bundled by Vite",
    async (folder: string) => {
      const build = ["build", "--ssr", "program.mjs", "--outDir", "bundle", "--logLevel", "warn"];
      // Bundled too, although a server's build leaves packages out.
      await Bun.write(join(folder, "vite.config.mjs"), "export default { ssr: { noExternal: true } };");
      await runCommand([await vite(), ...build], { cwd: folder });
      await rm(join(folder, "node_modules"), { recursive: true });
      return [requiredProgram("node"), "bundle/program.js"];
    },
  ],
])(
  "the client's package works in %s",
  async (_name, command) => {
    using folder = temporaryFolder();
    await installClientPackage(folder.path);
    await Bun.write(join(folder.path, "program.mjs"), CLIENT_PROGRAM);
    await using service = await startService();
    const env = { ANIMAL_STORE_URL: `${service.address}/v1`, API_KEY: service.key, NO_COLOR: "1" };
    const { stdout } = await runCommand(await command(folder.path), { cwd: folder.path, env });
    expect(stdout).toBe("9223372036854775807n true\n");
  },
  LONG_RUN_MS,
);
