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

/** The configuration in force for a command whose flags were made by `addSettings`. */
export function configOf(options: Record<string, unknown>): Reading {
  const flags = Object.keys(SETTINGS).map((name) => [name, options[camelCase(name)] as string | undefined]);
  return readConfig(Object.fromEntries(flags));
}

/** How commander names the value of a flag. */
function camelCase(name: string): string {
  return name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}
