import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../support/folder.ts";
import { run } from "../support/program.ts";

/** What bash offers for the words of a line, of which the last is being typed. */
async function offeredBy(script: string, words: readonly string[]): Promise<string[]> {
  const ask = `source ${script}; COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")})
    COMP_CWORD=${words.length - 1}; _animal_store; printf '%s\\n' "\${COMPREPLY[@]}"`;
  await using child = Bun.spawn(["bash", "--norc", "-c", ask], { stdout: "pipe", stderr: "pipe" });
  expect(await new Response(child.stderr).text()).toBe("");
  return (await new Response(child.stdout).text()).split("\n").filter(Boolean);
}

test("bash completes commands, options and files", async () => {
  using folder = temporaryFolder();
  const script = join(folder.path, "completion.bash");
  const { exitCode, stdout, stderr } = await run(["completion", "bash"], { cwd: folder.path });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  await Bun.write(script, stdout);
  expect(await offeredBy(script, ["animal-store", "ke"])).toEqual(["keys"]);
  expect(await offeredBy(script, ["animal-store", "keys", ""])).toEqual([
    "create",
    "list",
    "revoke",
    "rotate",
  ]);
  expect(await offeredBy(script, ["animal-store", "keys", "create", "--s"])).toEqual(["--scopes"]);
  expect(await offeredBy(script, ["animal-store", "export", "--f"])).toEqual(["--force", "--format"]);
  expect(await offeredBy(script, ["animal-store", "serve", "--back"])).toEqual([
    "--backup-every",
    "--backup-dir",
    "--backup-keep",
  ]);
  expect(await offeredBy(script, ["animal-store", "import", "ani"])).toEqual([]);
  expect(await offeredBy(script, ["animal-store", "serve", "--tls-cert", ""])).toEqual([]);
  // The values of an option that has only a few.
  expect(await offeredBy(script, ["animal-store", "export", "--format", ""])).toEqual([
    "csv",
    "ndjson",
    "json",
  ]);
  expect(await offeredBy(script, ["animal-store", "serve", "--log-level", "w"])).toEqual(["warn"]);
  expect(await offeredBy(script, ["animal-store", "animals", "set", "7", "--status", "s"])).toEqual(["sold"]);
  // Hidden commands stay so.
  expect(await offeredBy(script, ["animal-store", "work"])).toEqual([]);
  expect(stdout).toContain("\ncomplete -o default ");
});

test.each(["bash", "zsh", "fish"])("%s: every command is in the script", async (shell) => {
  using folder = temporaryFolder();
  const { stdout } = await run(["completion", shell], { cwd: folder.path });
  for (const word of [
    "serve",
    "keys",
    "rotate",
    "animals",
    "import",
    "verify",
    "completion",
    "commit-every",
  ]) {
    expect(stdout).toContain(word);
  }
});

test("another shell is wrong use", async () => {
  using folder = temporaryFolder();
  const { exitCode, stdout, stderr } = await run(["completion", "tcsh"], { cwd: folder.path });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toBe('animal-store: "tcsh" is not a shell; name one of bash, zsh, fish.\n');
});
