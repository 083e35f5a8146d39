import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram, requirePrograms } from "../../test/support/installed-programs.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { startSandbox } from "../../test/support/sandbox.ts";
import { go, NODE_VERSIONS, node } from "./tools.ts";

// The lines of the pages that run an example, as they stand there but for the address and the key.

const ADDRESS_AND_KEY = "ANIMAL_STORE_URL=http://127.0.0.1:8080/v1 API_KEY=as_live_…";

const clone = temporaryFolder();
beforeAll(async () => {
  const root = join(import.meta.dir, "../..");
  await runCommand([requiredProgram("git"), "clone", "--quiet", root, clone.path], { cwd: root });
}, LONG_RUN_MS);
afterAll(() => clone[Symbol.dispose]());

test.each(["curl", "go", "java", "python", "typescript"])(
  "the lines of the page of %s run its example in a fresh clone",
  async (language) => {
    requirePrograms({ curl: "curl", java: "default-jdk-headless", python3: "python3" });
    const page = readFileSync(join(clone.path, `docs/clients/${language}.md`), "utf8");
    const blocks = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, lines = ""]) => lines);
    const [lines = "false"] = blocks.filter((block) => block.includes(ADDRESS_AND_KEY));
    await using sandbox = await startSandbox();
    const here = `ANIMAL_STORE_URL=${sandbox.address}/v1 API_KEY=${sandbox.key}`;
    const PATH = [dirname(await node(NODE_VERSIONS.typeScript)), dirname(go()), process.env.PATH].join(":");
    const command = ["sh", "-e", "-c", lines.replace(ADDRESS_AND_KEY, here)];
    const { stdout } = await runCommand(command, { cwd: clone.path, env: { PATH } });
    expect(stdout).toContain("created 25 with category 9223372036854775807\n");
    expect(stdout).toEndWith("refused with invalid_body\n");
  },
  LONG_RUN_MS,
);
