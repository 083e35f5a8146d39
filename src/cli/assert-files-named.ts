import type { Command } from "commander";
import { wrongValue } from "../process/errors.ts";

/**
 * Refuses an empty file name, as an unset variable of a script gives it.
 *
 * @throws CommandFailure
 */
export function assertFilesNamed(command: Command): void {
  const files = [
    ...command.registeredArguments.map((argument, at) => [argument.name(), command.processedArgs[at]]),
    ...command.options
      .filter(({ flags }) => flags.endsWith(" <file>"))
      .map((option) => [option.long, command.getOptionValue(option.attributeName())]),
  ];
  for (const [name, value] of files) {
    if (value === "" && (name === "file" || name?.startsWith("--")))
      throw wrongValue(name === "file" ? "FILE" : name, value, "name a file");
  }
}
