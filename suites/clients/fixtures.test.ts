import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { isThere, signalAll } from "../../test/support/processes.ts";
import { PROGRAM } from "../../test/support/program.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { until } from "../../test/support/until.ts";
import { Child, type Run } from "../../verify/child.ts";
import { go, pythonWith } from "./tools.ts";

// The helpers that people copy beside the tests of their clients, with the tests beside them.

interface Helper {
  /** The folder below `examples/`. */
  readonly folder: string;
  readonly command: () => readonly string[] | Promise<readonly string[]>;
  readonly failing: readonly [file: string, test: string];
  /** A file with a test that writes its process id to the file `tests-pid`, and hangs; and what runs it alone. */
  readonly hanging: readonly [file: string, source: string, ...choice: string[]];
}

const HELPERS: Readonly<Record<string, Helper>> = {
  pytest: {
    folder: "pytest",
    command: async () => [await pythonWith("pytest==9.2.0"), "-m", "pytest", "-v"],
    failing: [
      "test_client.py",
      `

def test_fails(animal_store):
    add(animal_store, "Rex", "rex-2")
    animal_store.expect_requests(1, operation="createPet", idempotencyKey="rex-1")
`,
    ],
    hanging: [
      "test_hangs.py",
      `import os, pathlib, time

def test_hangs(animal_store):
    pathlib.Path("tests-pid").write_text(str(os.getpid()))
    time.sleep(1000)
`,
      "test_hangs.py",
    ],
  },
  "go test": {
    folder: "go-test",
    command: () => [go(), "test", "-v"],
    failing: [
      "client_test.go",
      `
func TestFails(t *testing.T) {
	store := newStore(t)
	add(store, "Rex", "rex-2")
	store.ExpectRequests(t, 1, Filter{"operation": "createPet", "idempotencyKey": "rex-1"})
}
`,
    ],
    hanging: [
      "hangs_test.go",
      `package client

import ("os"; "strconv"; "testing"; "time")

func TestHangs(t *testing.T) {
	newStore(t)
	os.WriteFile("tests-pid", []byte(strconv.Itoa(os.Getpid())), 0o644)
	time.Sleep(1000 * time.Second)
}
`,
      "-run=TestHangs",
    ],
  },
};

describe.each(Object.entries(HELPERS))(
  "the helper for %s",
  (_name, { folder, command, failing, hanging }) => {
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

    async function start(...choice: readonly string[]): Promise<Child> {
      const env = { ...process.env, PATH: `${at("bin")}:${process.env.PATH}`, TMPDIR: at("tmp") };
      return new Child([...(await command()), ...choice], { cwd: at("tests"), env });
    }

    /** Runs the tests, and expects that nothing of the sandbox is left. */
    async function runTests(): Promise<Run> {
      await using tests = await start();
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
        expect(stdout.match(/PASS(?:ED|:)/g)).toHaveLength(7);
        expect(exitCode).toBe(0);
      },
      LONG_RUN_MS,
    );

    test(
      "leaves no sandbox when the tests are killed",
      async () => {
        const [file, source, ...choice] = hanging;
        writeFileSync(at("tests", file), source);
        await using tests = await start(...choice);
        const pidIn = (path: string) => existsSync(path) && Number(readFileSync(path, "utf8"));
        await until(() => pidIn(at("tests/tests-pid")));
        const sandbox = Number(readFileSync(at("pid"), "utf8"));
        try {
          signalAll([pidIn(at("tests/tests-pid")) as number], "SIGKILL");
          await tests.ended();
          await until(() => !isThere(sandbox));
        } finally {
          signalAll([sandbox], "SIGKILL");
          rmSync(at("tests", file));
        }
      },
      LONG_RUN_MS,
    );

    test(
      "stops the sandbox when a test fails, and shows the requests that come nearest to those it expected",
      async () => {
        const [file, source] = failing;
        appendFileSync(at("tests", file), source);
        const { exitCode, stdout } = await runTests();
        expect(exitCode).toBe(1);
        expect(stdout).toMatch(/come nearest:\n.*#1 POST \/v1\/pets got 201, .*rex-2/);
      },
      LONG_RUN_MS,
    );

    test(
      "says so when the program is not on the PATH",
      async () => {
        rmSync(at("bin/animal-store"));
        await using tests = await start();
        const { exitCode, stdout, stderr } = await tests.ended();
        expect(exitCode).toBe(1);
        expect(stdout + stderr).toMatch(
          /animal-store("?: executable file not found in \$| is not on the )PATH/,
        );
        expect(stdout + stderr).not.toContain("Traceback");
      },
      LONG_RUN_MS,
    );

    test(
      "says why when the sandbox does not start",
      async () => {
        const program = `#!/bin/sh\necho $$ > '${at("pid")}'\nexec '${PROGRAM}' "$@" --animals none\n`;
        writeFileSync(at("bin/animal-store"), program, { mode: 0o755 });
        const { exitCode, stdout, stderr } = await runTests();
        expect(exitCode).not.toBe(0);
        expect(stdout + stderr).toContain("--animals");
        expect(stdout + stderr).toMatch(/the sandbox ended (with \d+ )?before it was ready/);
      },
      LONG_RUN_MS,
    );
  },
);
