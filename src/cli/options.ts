import { type Command, Option } from "commander";
import { type Reading, readConfig } from "../config/read.ts";
import { flagOf, SETTING_NAMES, SETTINGS, type SettingName } from "../config/settings.ts";
import { withValues } from "./completions.ts";

/** A command with this many settings shows them in groups in its help. */
const GROUPED_FROM = 6;

/** Adds a flag for each of these settings to a command. */
export function addSettings(command: Command, names: readonly SettingName[]): Command {
  for (const name of names) {
    const { group, argument, description, values, default: standard } = SETTINGS[name];
    const otherwise = standard === undefined ? "" : `, default ${standard}`;
    const flags = `--${flagOf(name)} <${argument}>`;
    const option = withValues(new Option(flags, `${description} (${name}${otherwise})`), values);
    command.addOption(names.length > GROUPED_FROM ? option.helpGroup(`${group}:`) : option);
  }
  return command;
}

/** Adds a flag for each of these settings that has its default, whatever the environment and `.env` say. */
export function addFlags(command: Command, names: readonly SettingName[]): Command {
  for (const name of names) {
    const { group, argument, description, default: standard } = SETTINGS[name];
    const option = new Option(`--${flagOf(name)} <${argument}>`, description);
    command.addOption(option.default(standard, standard).helpGroup(`${group}:`));
  }
  return command;
}

/** Adds the flags that say how a command reports. */
export function addOutputOptions(command: Command): Command {
  return command
    .option("--json", "report as JSON on standard output")
    .option("--quiet", "print only results and errors");
}

/** The configuration in force for a command whose flags were made by `addSettings`. */
export function configOf(options: Record<string, unknown>): Reading {
  const flags = SETTING_NAMES.map((name) => [name, options[camelCase(flagOf(name))] as string | undefined]);
  return readConfig(Object.fromEntries(flags));
}

/** How commander names the value of a flag. */
function camelCase(flag: string): string {
  return flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
