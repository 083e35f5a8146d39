import { cpSync } from "node:fs";
import { join } from "node:path";
import { programOnPage } from "../../test/support/client-page.ts";
import { runCommand } from "../../test/support/run-command.ts";
import type { Command, Generator, Workplace } from "./generator.ts";

/** Makes a client next to the generator's program. @returns the warnings that are about the document */
export async function generateClient(
  { name, generate, saysAlways }: Generator,
  at: Workplace,
): Promise<string[]> {
  cpSync(join(import.meta.dir, "programs", name), at.folder, { recursive: true });
  const warnings: string[] = [];
  for (const command of generate(at)) {
    const said = await succeed(command, at.folder);
    warnings.push(...said.split("\n").filter((line) => /\bwarn/i.test(line) && !saysAlways?.test(line)));
  }
  return warnings;
}

/** Compiles it with the generator's program. @throws Error with what the compiler says */
export async function compileClient({ page, compile }: Generator, at: Workplace): Promise<void> {
  if (page) await Bun.write(join(at.folder, page.file), programOnPage(page.language));
  for (const command of compile(at)) await succeed(command, at.folder);
}

/** Runs a command to its end. @returns all that it wrote @throws Error with that, where it fails */
export async function succeed(
  command: Command,
  cwd: string,
  env: Record<string, string> = {},
): Promise<string> {
  const { stdout, stderr } = await runCommand(command, { cwd, env });
  return stdout + stderr;
}
