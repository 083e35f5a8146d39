import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { createProgram } from "../../src/program.ts";
import { temporaryFolder } from "../support/folder.ts";
import { run } from "../support/program.ts";
import { folderWithStore } from "../support/store-place.ts";
import { CTRL_C, startOnTerminal } from "../support/terminal.ts";

/** A use of each command that fails, with its exit code and the code of its error. */
const FAILURES: Readonly<Record<string, readonly [args: string, exitCode: number, code: string]>> = {
  ready: ["--port 1", 1, "failed"],
  "keys create": ["--name x", 1, "unusable_store"],
  "keys list": ["", 1, "unusable_store"],
  "keys revoke": ["1", 1, "unusable_store"],
  "keys rotate": ["1", 1, "unusable_store"],
  "animals set": ["1 --status sold", 1, "unusable_store"],
  "animals remove": ["1", 1, "unusable_store"],
  "animals log": ["", 1, "unusable_store"],
  backup: ["copy.db", 1, "unusable_store"],
  restore: ["none.db", 1, "failed"],
  import: ["none.csv", 1, "failed"],
  export: ["all.csv", 1, "unusable_store"],
  copy: ["--from sqlite:./none.db --to sqlite:./new.db", 1, "unusable_store"],
  "sandbox judge": ["", 2, "wrong_use"],
  "sandbox judge-receiver": ["ftp://127.0.0.1/", 2, "wrong_use"],
  seed: ["--count many", 2, "wrong_use"],
  events: ["", 1, "unusable_store"],
  migrate: ["--database mysql://db", 2, "wrong_setting"],
  upgrade: ["--check", 1, "unusable_store"],
  config: ["--port http", 2, "wrong_setting"],
  verify: ["--only nothing", 2, "wrong_use"],
};

/** Every command that reports in JSON, with its words. */
function* reporting(command: Command, path = ""): Generator<string> {
  if (command.options.some(({ long }) => long === "--json")) yield path;
  for (const each of command.commands) yield* reporting(each, `${path} ${each.name()}`.trim());
}

describe("with --json", () => {
  test("every command with --json is tested below", () => {
    expect([...reporting(createProgram([]))].sort()).toEqual(Object.keys(FAILURES).sort());
  });

  test.each(Object.entries(FAILURES))(
    "a failure of `%s` is one object on standard output",
    async (command, [args, exitCode, code]) => {
      using folder = temporaryFolder();
      const line = [...command.split(" "), ...args.split(" ").filter(Boolean), "--json"];
      const { stdout, stderr, ...ended } = await run(line, { cwd: folder.path });
      expect({ ...ended, error: JSON.parse(stdout) }).toEqual({
        exitCode,
        error: { error: { code, message: expect.any(String) } },
      });
      expect(stdout.indexOf("\n")).toBe(stdout.length - 1);
      // People who read standard error see the same.
      const { message } = JSON.parse(stdout).error as { message: string };
      expect(stderr).toContain(message.split("\n")[0] as string);
    },
  );

  test.each(["keys list --json --nothing", "keys --json", "import --json", "keys revoke 1 2 --json"])(
    "wrong use is one object too: %s",
    async (line) => {
      using folder = temporaryFolder();
      const { stdout, exitCode } = await run(line.split(" "), { cwd: folder.path });
      expect([exitCode, JSON.parse(stdout)]).toEqual([
        2,
        { error: { code: "wrong_use", message: expect.any(String) } },
      ]);
    },
  );

  test("bad rows of an import are reported on standard error, and the failure as one object", async () => {
    using folder = await folderWithStore();
    writeFileSync(join(folder.path, "some.csv"), "name,categoryId\nRex,x\n");
    const { exitCode, stdout, stderr } = await run(["import", "some.csv", "--json"], { cwd: folder.path });
    expect([exitCode, JSON.parse(stdout).error.code]).toEqual([1, "failed"]);
    expect(stderr).toContain("line 2: ");
  });

  test("a check that fails after its report writes the report alone", async () => {
    using folder = temporaryFolder();
    const { exitCode, stdout } = await run(["migrate", "--check", "--json"], { cwd: folder.path });
    expect([exitCode, JSON.parse(stdout)]).toEqual([1, expect.objectContaining({ version: 0 })]);
  });

  test("an interrupted command writes one object", async () => {
    using folder = temporaryFolder();
    await using program = startOnTerminal(["seed", "--count", "2000000", "--json"], { cwd: folder.path });
    await program.shows("invent");
    program.type(CTRL_C);
    expect(await program.exited).toBe(130);
    await program.shows('{"error":{"code":"interrupted","message":"interrupted. Nothing was added to ');
  });
});
