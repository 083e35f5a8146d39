import { expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { run } from "../../test/support/program.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { GENERATORS } from "./catalogue.ts";
import type { Generator } from "./generator.ts";
import { missingTools } from "./tools.ts";

const NAME = "typescript-openapi-generator";
const DOCUMENT = join(import.meta.dir, "../../openapi.json");

test(
  "the client that openapi-generator makes in TypeScript fails where the page of the judge says",
  async () => {
    const generator = GENERATORS.find(({ name }) => name === NAME) as Required<Generator>;
    using folder = temporaryFolder();
    cpSync(join(import.meta.dir, "programs", NAME), folder.path, { recursive: true });
    const at = { document: DOCUMENT, folder: folder.path };
    for (const command of [...missingTools(), ...generator.generate(at), ...generator.compile(at)])
      await runCommand(command, { cwd: folder.path });
    const args = ["sandbox", "judge", "--json", "--", ...generator.run(at)];
    const { stdout } = await run(args, { cwd: folder.path });
    const { score, rules } = JSON.parse(stdout) as {
      readonly score: number;
      readonly rules: readonly { readonly id: string; readonly verdict: string }[];
    };
    expect(score).toBe(33);
    expect(rules.filter(({ verdict }) => verdict === "failed").map(({ id }) => id)).toEqual([
      "succeeds-with-faults",
      "survives-breaks",
      "survives-outages",
      "notices-deprecation",
    ]);
  },
  LONG_RUN_MS,
);
