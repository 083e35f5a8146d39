import { type Command, Option } from "commander";
import { flagOf, type Reading, readConfig, SETTINGS, type SettingName } from "../config.ts";

/** Gives a command a flag for each of some settings. */
export function addSettings(command: Command, names: readonly SettingName[]): Command {
  for (const name of names) {
    const { argument, description, default: standard } = SETTINGS[name];
    const otherwise = standard === undefined ? "" : `, default ${standard}`;
    command.addOption(new Option(`--${flagOf(name)} <${argument}>`, `${description} (${name}${otherwise})`));
  }
  return command;
}

/** Gives a command that reports something the flags for how it does that. */
export function addOutputOptions(command: Command): Command {
  return command
    .option("--json", "report as JSON on standard output")
    .option("--quiet", "say nothing but the answer and what went wrong");
}

/** The configuration in force for a command whose flags were made by `addSettings`. */
export function configOf(options: Record<string, unknown>): Reading {
  const names = Object.keys(SETTINGS) as SettingName[];
  const flags = names.map((name) => [name, options[camelCase(flagOf(name))] as string | undefined]);
  return readConfig(Object.fromEntries(flags));
}

/** How commander names the value of a flag. */
function camelCase(flag: string): string {
  return flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
