import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram } from "../../test/support/installed-programs.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { startSandbox } from "../../test/support/sandbox.ts";

// The programs that stand on the pages themselves, in a sandbox that loses responses.

test.each([
  ["ruby", "rb", () => requiredProgram("ruby")],
  ["php", "php", () => requiredProgram("php", "php-cli")],
])(
  "the program on the page of %s keeps int64 exact, repeats safely, and follows lists and the feed",
  async (language, ending, interpreter) => {
    using folder = temporaryFolder();
    const page = readFileSync(join(import.meta.dir, `../../docs/clients/${language}.md`), "utf8");
    const [, program = ""] = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "s").exec(page) ?? [];
    await Bun.write(join(folder.path, `program.${ending}`), program);
    await using sandbox = await startSandbox();
    await sandbox.plan(
      { fault: "lost", operation: "createPet", count: 2 },
      { fault: "503", operation: "listPets", retryAfterSeconds: 1, count: 1 },
    );
    const { stdout } = await runCommand([interpreter(), `program.${ending}`], {
      cwd: folder.path,
      env: { ANIMAL_STORE_URL: `${sandbox.address}/v1`, API_KEY: sandbox.key },
    });
    expect(stdout).toBe("created 9223372036854775807\nlisted 25\nevent 9223372036854775807\n");
    expect(await sandbox.faultsLeft()).toBe(0);
  },
  LONG_RUN_MS,
);
