import type { Command } from "commander";
import { closest, distance } from "fastest-levenshtein";
import { CommandFailure } from "../process/errors.ts";
import { usageError } from "../process/usage-error.ts";

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
  const names = commands.map((each) => each.name());
  const nearest = names.length > 0 ? closest(name, names) : undefined;
  const meant = nearest !== undefined && isNear(name, nearest) ? ` (Did you mean ${nearest}?)` : "";
  return new CommandFailure(`${message}${meant}`, 2);
}

/** Whether a word is a typing error of another, by the measure of the command line's library. */
function isNear(word: string, other: string): boolean {
  const errors = distance(word, other);
  return errors <= 3 && errors < 0.6 * Math.max(word.length, other.length);
}
