import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { appendFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { isThere, signalAll } from "../../test/support/processes.ts";
import { PROGRAM } from "../../test/support/program.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { Child, type Run } from "../../verify/child.ts";
import { go, pythonWith } from "./tools.ts";

// The helpers that people copy beside the tests of their clients, with the tests beside them.

interface Helper {
  /** The folder below `examples/`. */
  readonly folder: string;
  readonly command: () => readonly string[] | Promise<readonly string[]>;
  readonly failing: readonly [file: string, test: string];
}

const HELPERS: Readonly<Record<string, Helper>> = {
  pytest: {
    folder: "pytest",
    command: async () => [await pythonWith("pytest==9.2.0"), "-m", "pytest", "-v"],
    failing: ["test_client.py", "\n\ndef test_fails(animal_store):\n    assert False\n"],
  },
  "go test": {
    folder: "go-test",
    command: () => [go(), "test", "-v"],
    failing: ["client_test.go", "\nfunc TestFails(t *testing.T) { newStore(t); t.Fatal() }\n"],
  },
};

describe.each(Object.entries(HELPERS))("the helper for %s", (_name, { folder, command, failing }) => {
  let place: ReturnType<typeof temporaryFolder>;
  const at = (...path: string[]) => join(place.path, ...path);

  beforeAll(() => {
    place = temporaryFolder();
    cpSync(join(import.meta.dir, "../../examples", folder), at("tests"), { recursive: true });
    for (const name of ["bin", "tmp"]) mkdirSync(at(name));
    // It notes the process id, by which a test sees that the sandbox has ended.
    const program = `#!/bin/sh\necho $$ > '${at("pid")}'\nexec '${PROGRAM}' "$@"\n`;
    writeFileSync(at("bin/animal-store"), program, { mode: 0o755 });
  });
  afterAll(() => place[Symbol.dispose]());

  /** Runs the tests, and expects that nothing of the sandbox is left. */
  async function runTests(): Promise<Run> {
    const env = { ...process.env, PATH: `${at("bin")}:${process.env.PATH}`, TMPDIR: at("tmp") };
    await using tests = new Child(await command(), { cwd: at("tests"), env });
    const ended = await tests.ended();
    const pid = Number(readFileSync(at("pid"), "utf8"));
    const isLeft = isThere(pid);
    if (isLeft) signalAll([pid], "SIGKILL");
    expect(isLeft).toBe(false);
    expect([...new Bun.Glob("**/ready.json").scanSync(at("tmp"))]).toEqual([]);
    return ended;
  }

  test(
    "gives each test a store of its own, with faults and a journal, and stops the sandbox",
    async () => {
      const { exitCode, stdout } = await runTests();
      expect(stdout.match(/PASS(?:ED|:)/g)).toHaveLength(2);
      expect(exitCode).toBe(0);
    },
    LONG_RUN_MS,
  );

  test(
    "stops the sandbox when a test fails",
    async () => {
      const [file, source] = failing;
      appendFileSync(at("tests", file), source);
      expect((await runTests()).exitCode).toBe(1);
    },
    LONG_RUN_MS,
  );

  test(
    "says why when the sandbox does not start",
    async () => {
      const program = `#!/bin/sh\necho $$ > '${at("pid")}'\nexec '${PROGRAM}' "$@" --animals none\n`;
      writeFileSync(at("bin/animal-store"), program);
      const { exitCode, stdout, stderr } = await runTests();
      expect(exitCode).not.toBe(0);
      expect(stdout + stderr).toContain("--animals");
      expect(stdout + stderr).toMatch(/the sandbox ended (with \d+ )?before it was ready/);
    },
    LONG_RUN_MS,
  );
});
