import type { Command } from "commander";
import { CommandFailure } from "../process/errors.ts";
import { usageError } from "../process/usage-error.ts";
import { meantBy } from "../system/meant.ts";

/**
 * Reads `help keys create` as `keys create --help`: the library's own command knows no commands below others, and answers
 * a mistake with the help of everything.
 *
 * @throws CommandFailure for a command that does not exist, with the command that was probably meant
 */
export function withHelpRead(program: Command, args: readonly string[]): string[] {
  const [first, ...names] = args;
  if (first !== "help") return [...args];
  let command = program;
  for (const name of names.filter((each) => !each.startsWith("-"))) {
    const below = command.commands.find((each) => each.name() === name);
    if (!below) throw unknown(name, command);
    command = below;
  }
  return [...names, "--help"];
}

function unknown(name: string, { commands }: Command): CommandFailure {
  const message = usageError(`unknown command '${name}'`);
  const meant = meantBy(
    name,
    commands.map((each) => each.name()),
  );
  return new CommandFailure(`${message}${meant === undefined ? "" : ` (Did you mean ${meant}?)`}`, 2);
}
