import { runCommand } from "../../test/support/run-command.ts";

/** Files that go into an archive, with what they all have in it, whatever they are here. */
interface Entries {
  readonly folder: string;
  /** The user and the group. */
  readonly owner: number;
  /** In seconds since 1970. */
  readonly time: string;
  /** What of the folder goes in, `.` unless given. */
  readonly only?: readonly string[];
  readonly without?: readonly string[];
  /** Else the owner may write, and others what they could here. */
  readonly mode?: string;
}

/** Makes a tar file: one order, owner and time, so that the same files give the same bytes. */
export async function buildTar(file: string, parts: readonly Entries[]): Promise<void> {
  for (const [
    at,
    { folder, owner, time, only = ["."], without = [], mode = "u+rw,go=u-w" },
  ] of parts.entries()) {
    const same = [
      "--sort=name",
      "--format=gnu",
      "--numeric-owner",
      `--owner=${owner}`,
      `--group=${owner}`,
      `--mode=${mode}`,
      `--mtime=@${time}`,
    ];
    const excluded = without.map((path) => `--exclude=${path}`);
    const action = at === 0 ? "--create" : "--append";
    await runCommand(["tar", ...same, ...excluded, action, "--file", file, "-C", folder, ...only], {
      cwd: "/",
    });
  }
}
