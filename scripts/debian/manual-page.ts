import type { Command } from "commander";
import { VERSION } from "../../src/system/version.ts";

/** `man` indents each line by 7 on a terminal of 80 columns, and does not break the lines of a help text. */
const HELP_WIDTH = 72;

/**
 * The manual page of the program, in the language of `man`: the help of each command as `--help` shows it.
 *
 * @param time in seconds since 1970
 */
export function manualPage(program: Command, time: string): string {
  const date = new Date(Number(time) * 1000).toISOString().slice(0, 10);
  const name = program.name();
  const sections = commandsOf(program).map(
    ([title, command]) => `.SH "${title.toUpperCase()}"\n.nf\n${escaped(helpOf(command))}\n.fi\n`,
  );
  return `.TH ${name.toUpperCase()} 1 "${date}" "${name} ${VERSION}" "User Commands"
.SH NAME
${escaped(name)} \\- serves a store's stock of animals over HTTP
${sections.join("")}.SH FILES
.TP
.I /etc/animal\\-store/animal\\-store.env
Settings of the service, which commands in its folder have too.
.TP
.I /var/lib/animal\\-store
The data of the service.
.TP
.I /var/backups/animal\\-store
A folder for backups, to which the service may write.
`;
}

/** What `--help` writes, with its examples, whatever the terminal that runs this. */
function helpOf(command: Command): string {
  let help = "";
  command.configureOutput({
    writeOut: (text) => {
      help += text;
    },
    getOutHelpWidth: () => HELP_WIDTH,
  });
  command.outputHelp();
  return help;
}

/** Every command that is not hidden, with its name as a person types it, the program itself first. */
function commandsOf(command: Command, path: readonly string[] = []): [title: string, command: Command][] {
  const names = [...path, command.name()];
  const visible = command.createHelp().visibleCommands(command);
  const below = visible.filter((each) => each.name() !== "help").flatMap((each) => commandsOf(each, names));
  return [[names.join(" "), command], ...below];
}

/** Text as it stands: neither its backslashes nor the beginnings of its lines mean anything to `man`. */
function escaped(text: string): string {
  return text
    .trimEnd()
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(/^(?=[.'])/gm, "\\&");
}
