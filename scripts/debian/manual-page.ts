import type { Command } from "commander";
import { VERSION } from "../../src/system/version.ts";

/**
 * The manual page of the program, in the language of `man`: the help of each command as `--help` shows it.
 *
 * @param time in seconds since 1970
 */
export function manualPage(program: Command, time: string): string {
  const date = new Date(Number(time) * 1000).toISOString().slice(0, 10);
  const name = program.name();
  const sections = commandsOf(program).map(
    ([title, command]) => `.SH "${title.toUpperCase()}"\n.nf\n${escaped(command.helpInformation())}\n.fi\n`,
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
`;
}

/** Every command with its name as a person types it, the program itself first. */
function commandsOf(command: Command, path: readonly string[] = []): [title: string, command: Command][] {
  const names = [...path, command.name()];
  return [[names.join(" "), command], ...command.commands.flatMap((each) => commandsOf(each, names))];
}

/** Text as it stands: neither its backslashes nor the beginnings of its lines mean anything to `man`. */
function escaped(text: string): string {
  return text
    .trimEnd()
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(/^(?=[.'])/gm, "\\&");
}
