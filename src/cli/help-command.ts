import type { Command } from "commander";
import { CommandFailure } from "../process/errors.ts";
import { usageError } from "../process/usage-error.ts";
import { meantBy } from "../system/meant.ts";

/**
 * Reads `help keys create` as `keys create --help`: the library's own command knows no commands below others, and answers
 * a mistake with the help of everything. The library's `--help` does the same after a command that does not exist.
 *
 * @throws CommandFailure for a command that does not exist, with the command that was probably meant
 */
export function withHelpRead(program: Command, args: readonly string[]): string[] {
  const [first, ...names] = args;
  const isHelp = first === "help";
  const words = isHelp ? names.filter((each) => !each.startsWith("-")) : wordsBeforeHelp(args);
  let command = program;
  for (const word of words) {
    // The library's own command, which is in no list.
    if (word === "help") break;
    const below = command.commands.find((each) => each.name() === word);
    // What follows a command that has none below it are its arguments.
    if (!isHelp && command.commands.length === 0) break;
    if (!below) throw unknown(word, command);
    command = below;
  }
  return isHelp ? [...names, "--help"] : [...args];
}

/** The words that `--help` follows; none after another flag, whose value may be a word too. */
function wordsBeforeHelp(args: readonly string[]): readonly string[] {
  const flagAt = args.findIndex((each) => each.startsWith("-"));
  return ["--help", "-h"].includes(args[flagAt] ?? "") ? args.slice(0, flagAt) : [];
}

function unknown(name: string, { commands }: Command): CommandFailure {
  const message = usageError(`unknown command '${name}'`);
  const meant = meantBy(
    name,
    commands.map((each) => each.name()),
  );
  return new CommandFailure(`${message}${meant === undefined ? "" : ` (Did you mean ${meant}?)`}`, 2);
}
