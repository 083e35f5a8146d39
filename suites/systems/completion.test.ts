import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram } from "../../test/support/installed-programs.ts";
import { PROGRAM, run } from "../../test/support/program.ts";

const FISH = requiredProgram("fish", "fish");
const ZSH = requiredProgram("zsh", "zsh");

/** What is offered for a line, by the word alone. */
const CASES: readonly [line: string, offered: readonly string[], not: readonly string[]][] = [
  ["animal-store ke", ["keys"], ["serve"]],
  ["animal-store keys ", ["create", "list", "revoke", "rotate"], ["serve", "worker"]],
  ["animal-store keys create --s", ["--scopes"], ["--grace"]],
  ["animal-store export --f", ["--format", "--force"], ["--count"]],
  ["animal-store --v", ["--version"], ["--grace"]],
  ["animal-store export --format n", ["ndjson"], ["csv", "--force"]],
  ["animal-store serve --log-level ", ["warn", "debug"], ["--port"]],
];

async function scriptFor(shell: string, folder: string): Promise<string> {
  const { stdout } = await run(["completion", shell], { cwd: folder });
  const file = join(folder, `completion.${shell}`);
  await Bun.write(file, stdout);
  return file;
}

async function outputOf(command: readonly string[], cwd: string): Promise<string> {
  const env = { PATH: `${join(PROGRAM, "..")}:${process.env.PATH}`, HOME: cwd, TERM: "dumb" };
  await using child = Bun.spawn([...command], { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr] = [await new Response(child.stdout).text(), await new Response(child.stderr).text()];
  expect(stderr).toBe("");
  return stdout;
}

describe("fish completes", () => {
  test.each(CASES)("%j", async (line, offered, not) => {
    using folder = temporaryFolder();
    const file = await scriptFor("fish", folder.path);
    const shown = await outputOf(
      [FISH, "-c", `source ${file}; complete -C ${JSON.stringify(line)}`],
      folder.path,
    );
    const words = shown.split("\n").map((row) => row.split("\t")[0]);
    for (const word of offered) expect(words).toContain(word);
    for (const word of not) expect(words).not.toContain(word);
  });
});

describe("zsh completes", () => {
  test.each(CASES)("%j", async (line, offered, not) => {
    using folder = temporaryFolder();
    const file = await scriptFor("zsh", folder.path);
    // A terminal of its own, in which a person presses Tab; what the shell would offer is written down instead.
    await Bun.write(
      join(folder.path, "press-tab"),
      `zmodload zsh/zpty
zpty -b shell ${ZSH} -f -i
zpty -w shell 'PS1=; autoload -Uz compinit; compinit -u; source ${file}; compadd() { builtin compadd -O found "$@"; print -l -- $found >> offered; builtin compadd "$@" }; print READY'
zpty -r shell seen '*READY*READY*'
zpty -n -w shell ${JSON.stringify(line)}$'\\t'
for try in {1..200}; do [[ -s offered ]] && break; sleep 0.05; done
sleep 0.2
zpty -d shell
`,
    );
    await outputOf([ZSH, "-f", "press-tab"], folder.path);
    const words = (await Bun.file(join(folder.path, "offered")).text()).split("\n");
    for (const word of offered) expect(words).toContain(word);
    for (const word of not) expect(words).not.toContain(word);
  });
});
