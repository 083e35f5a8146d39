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

/**
 * What zsh offers when a person presses Tab once, in a terminal of its own.
 *
 * @param load a line that prepares completion
 */
async function offeredByZsh(line: string, load: string, folder: string): Promise<string[]> {
  await Bun.write(
    join(folder, "press-tab"),
    `zmodload zsh/zpty
zpty -b shell ${ZSH} -f -i
zpty -w shell 'PS1=; autoload -Uz compinit; ${load}; compadd() { builtin compadd -O found "$@"; print -l -- $found >> offered; builtin compadd "$@" }; print READY'
zpty -r shell seen '*READY*READY*'
zpty -n -w shell ${JSON.stringify(line)}$'\\t'
for try in {1..2000}; do [[ -s offered ]] && break; sleep 0.05; done
sleep 0.2
zpty -d shell
`,
  );
  await outputOf([ZSH, "-f", "press-tab"], folder);
  const offered = Bun.file(join(folder, "offered"));
  return (await offered.exists()) ? (await offered.text()).split("\n") : [];
}

describe("zsh completes", () => {
  test.each(CASES)("%j", async (line, offered, not) => {
    using folder = temporaryFolder();
    const file = await scriptFor("zsh", folder.path);
    const words = await offeredByZsh(line, `compinit -u; source ${file}`, folder.path);
    for (const word of offered) expect(words).toContain(word);
    for (const word of not) expect(words).not.toContain(word);
  });

  test("at the first Tab where a package has put the script", async () => {
    using folder = temporaryFolder();
    const file = await scriptFor("zsh", folder.path);
    const functions = join(folder.path, "vendor-completions");
    await Bun.write(join(functions, "_animal-store"), Bun.file(file));
    const words = await offeredByZsh(
      "animal-store keys ",
      `fpath=(${functions} $fpath); compinit -u`,
      folder.path,
    );
    expect(words).toEqual(expect.arrayContaining(["create", "list", "revoke", "rotate"]));
  });
});
