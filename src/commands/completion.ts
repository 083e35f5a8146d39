import type { Command } from "commander";
import { completionScript, SHELLS } from "../cli/completions.ts";
import { Output } from "../cli/output.ts";
import { CommandFailure } from "../process/errors.ts";

/** `animal-store completion bash|zsh|fish`: the script that completes this program's commands in a shell. */
export async function printCompletion(program: Command, name: string): Promise<void> {
  const shell = SHELLS.find((shell) => shell === name);
  if (shell === undefined) {
    throw new CommandFailure(`${JSON.stringify(name)} is not a shell; name one of ${SHELLS.join(", ")}.`, 2);
  }
  await new Output().print(completionScript(program, shell));
}
