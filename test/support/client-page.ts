import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "./run-command.ts";
import { startSandbox } from "./sandbox.ts";

const PAGES = join(import.meta.dir, "../../docs/clients");

/** The first block of code in a language on its page in `docs/clients`. */
export function programOnPage(language: string): string {
  const page = readFileSync(join(PAGES, `${language}.md`), "utf8");
  const [, program] = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "s").exec(page) ?? [];
  if (program === undefined) throw new Error(`the page of ${language} has no program`);
  return program;
}

/**
 * Expects that the program of a page keeps int64 exact, repeats safely, and follows lists and the feed, in a sandbox that loses
 * responses.
 *
 * @param command runs the program
 */
export async function expectProgramOfPageToWork(command: readonly string[], cwd: string): Promise<void> {
  await using sandbox = await startSandbox();
  await sandbox.plan(
    { fault: "lost", operation: "createPet", count: 2 },
    { fault: "503", operation: "listPets", retryAfterSeconds: 1, count: 1 },
  );
  const env = { ANIMAL_STORE_URL: `${sandbox.address}/v1`, API_KEY: sandbox.key };
  const { stdout } = await runCommand(command, { cwd, env });
  expect(stdout).toBe("created 9223372036854775807\nlisted 25\nevent 9223372036854775807\n");
  expect(await sandbox.faultsLeft()).toBe(0);
}
