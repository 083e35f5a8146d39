import type { Command, Option } from "commander";
import { inQuotes } from "../process/shell.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

const VALUES = new WeakMap<Option, readonly string[]>();

/** Names all values that an option can have, so that shells offer them. */
export function withValues(option: Option, values: readonly string[] | undefined): Option {
  if (values) VALUES.set(option, values);
  return option;
}

/** A command with everything that can follow it. */
interface Node {
  /** Its words after the program's name: `keys create`; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly OptionWord[];
}

interface Word {
  readonly word: string;
  readonly description: string;
}

interface OptionWord extends Word {
  readonly takesValue: boolean;
  /** All of its values, if it has only a few. */
  readonly values: readonly string[];
}

/**
 * The script that completes a program's commands, options and their values in a shell. In any other place the shell
 * completes the names of files.
 */
export function completionScript(program: Command, shell: Shell): string {
  const nodes = nodesOf(program, "");
  return { bash, zsh, fish }[shell](program.name(), nodes);
}

function nodesOf(command: Command, path: string): Node[] {
  const help = command.createHelp();
  const visible = help.visibleCommands(command).filter((each) => each.name() !== "help");
  const commands = visible.map((each) => ({ word: each.name(), description: each.description() }));
  const options = help.visibleOptions(command).flatMap(optionWord);
  const below = visible.flatMap((each) => nodesOf(each, `${path} ${each.name()}`.trim()));
  return [{ path, commands, options }, ...below];
}

function optionWord(option: Option): OptionWord[] {
  const { long, description, required, optional } = option;
  const values = VALUES.get(option) ?? [];
  return long ? [{ word: long, description, takesValue: required || optional, values }] : [];
}

/** The options that take a value, each once: those with a list of values, and the others. */
function valuedOptions(nodes: readonly Node[]) {
  const options = nodes.flatMap(({ options }) => options).filter(({ takesValue }) => takesValue);
  const lists = new Map(
    options.filter(({ values }) => values.length > 0).map(({ word, values }) => [word, values.join(" ")]),
  );
  const others = unique(options.map(({ word }) => word)).filter((word) => !lists.has(word));
  return { lists: [...lists], others };
}

function bash(name: string, nodes: readonly Node[]): string {
  const { lists, others } = valuedOptions(nodes);
  const values = lists.map(
    ([word, list]) => `    ${word}) COMPREPLY=($(compgen -W "${list}" -- "$current")); return ;;`,
  );
  return `# bash completion for ${name}: source <(${name} completion bash)
_${id(name)}() {
  local current=\${COMP_WORDS[COMP_CWORD]} path="" commands="" options="" index
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$path \${COMP_WORDS[index]}" in
      ${pathsOf(nodes)}) path="$path \${COMP_WORDS[index]}" ;;
    esac
  done
  COMPREPLY=()
  # The value of an option: one of a list, or else the shell completes the name of a file.
  case \${COMP_WORDS[COMP_CWORD - 1]} in
${values.join("\n")}
    ${others.join(" | ")}) return ;;
  esac
  case $path in
${casesOf(nodes)}
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [[ -n $commands ]]; then
    COMPREPLY=($(compgen -W "$commands" -- "$current"))
  fi
}
complete -o default -F _${id(name)} ${name}
`;
}

function zsh(name: string, nodes: readonly Node[]): string {
  const lists = nodes.map(
    ({ path, commands, options }) => `    ${inQuotes(path === "" ? "" : ` ${path}`)})
      commands=(${commands.map(described).join(" ")})
      options=(${options.map(described).join(" ")}) ;;`,
  );
  const { lists: valued, others } = valuedOptions(nodes);
  const values = valued.map(([word, list]) => `    ${word}) compadd ${list}; return ;;`);
  return `#compdef ${name}
# zsh completion for ${name}: source <(${name} completion zsh), after compinit
_${id(name)}() {
  local path_of_words="" index
  local -a commands options
  for ((index = 2; index < CURRENT; index++)); do
    case "$path_of_words $words[index]" in
      ${pathsOf(nodes)}) path_of_words="$path_of_words $words[index]" ;;
    esac
  done
  case $words[CURRENT-1] in
${values.join("\n")}
    ${others.join(" | ")}) _files; return ;;
  esac
  case $path_of_words in
${lists.join("\n")}
  esac
  if [[ $PREFIX == -* ]]; then
    _describe option options
  elif (( $#commands )); then
    _describe command commands
  else
    _files
  fi
}
# Where zsh loads this file as a function, the person has pressed Tab already.
if [[ $funcstack[1] == _${name} ]]; then
  _${id(name)} "$@"
else
  compdef _${id(name)} ${name}
fi
`;
}

function fish(name: string, nodes: readonly Node[]): string {
  const lines = nodes.flatMap(({ path, commands, options }) => {
    const condition = fishCondition(path, commands);
    const complete = `complete -c ${name} -n ${inQuotes(condition)}`;
    return [
      ...commands.map(({ word, description }) => `${complete} -f -a ${word} -d ${inQuotes(description)}`),
      ...options.map(
        ({ word, description, takesValue, values }) =>
          `${complete} -l ${word.slice(2)}${takesValue ? " -r" : ""}` +
          `${values.length > 0 ? ` -f -a ${inQuotes(values.join(" "))}` : ""} -d ${inQuotes(description)}`,
      ),
    ];
  });
  return `# fish completion for ${name}: ${name} completion fish | source\n${lines.join("\n")}\n`;
}

/** The condition that the words of a command are there, and none of its subcommands follows. */
function fishCondition(path: string, commands: readonly Word[]): string {
  const seen = path
    .split(" ")
    .filter(Boolean)
    .map((word) => `__fish_seen_subcommand_from ${word}`);
  const next = commands.length > 0 ? [`not __fish_seen_subcommand_from ${wordsOf(commands)}`] : [];
  return [...seen, ...next].join("; and ") || "true";
}

function pathsOf(nodes: readonly Node[]): string {
  return nodes
    .filter(({ path }) => path !== "")
    .map(({ path }) => `" ${path}"`)
    .join(" | ");
}

function casesOf(nodes: readonly Node[]): string {
  return nodes
    .map(
      ({ path, commands, options }) =>
        `    "${path === "" ? "" : ` ${path}`}") commands="${wordsOf(commands)}" options="${wordsOf(options)}" ;;`,
    )
    .join("\n");
}

function wordsOf(words: readonly Word[]): string {
  return words.map(({ word }) => word).join(" ");
}

/** A word for zsh's `_describe`, where a colon ends the word. */
function described({ word, description }: Word): string {
  return inQuotes(`${word}:${description}`);
}

function id(name: string): string {
  return name.replaceAll("-", "_");
}

function unique(words: readonly string[]): string[] {
  return [...new Set(words)];
}
