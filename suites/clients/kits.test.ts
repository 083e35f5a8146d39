import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram } from "../../test/support/installed-programs.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { makeProject } from "./project.ts";
import { jest, NODE_VERSIONS, node, typescript, vitest } from "./tools.ts";

// The fixtures that people copy beside the tests of their clients in Node, in a project with both packages.

const EXAMPLES = join(import.meta.dir, "../../examples");

const folder = temporaryFolder();
const cwd = folder.path;
beforeAll(async () => {
  await makeProject(cwd);
}, LONG_RUN_MS);
afterAll(() => folder[Symbol.dispose]());

test.each([
  [
    "Vitest",
    "vitest",
    async () => [await vitest(), "run", "--dir", "vitest", `--testTimeout=${LONG_RUN_MS}`],
    /Tests +2 passed/,
  ],
  [
    "Jest",
    "jest",
    async () => [
      requiredProgram("node"),
      await jest(),
      "--ci",
      "--rootDir",
      "jest",
      `--testTimeout=${LONG_RUN_MS}`,
    ],
    /2 passed/,
  ],
  [
    "node:test in the oldest Node",
    "node-test",
    async () => [await node(NODE_VERSIONS.oldest), "--test", "node-test/client.test.mjs"],
    /# pass [12]\n/,
  ],
  [
    "node:test",
    "node-test",
    async () => [requiredProgram("node"), "node-test/client.test.mjs"],
    /# pass 2\n/,
  ],
] as const)(
  "the fixture for %s gives each test a space of its own",
  async (_name, example, command, expected) => {
    cpSync(join(EXAMPLES, example), join(cwd, example), { recursive: true });
    const env = { NO_COLOR: "1", CI: "1" };
    const { stdout, stderr } = await runCommand(await command(), { cwd, env });
    expect(stdout + stderr).toMatch(expected);
    expect(stdout + stderr).not.toContain("(node:");
  },
  LONG_RUN_MS,
);

test.each(["vitest/fixture.ts", "jest/fixture.js", "node-test/fixture.mjs"])(
  "%s has at most ten lines",
  (file) => {
    expect(readFileSync(join(EXAMPLES, file), "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(10);
  },
);

test(
  "the fixture for Vitest compiles",
  async () => {
    cpSync(join(EXAMPLES, "vitest"), join(cwd, "typed"), { recursive: true });
    symlinkSync(join(dirname(await vitest()), "../vitest"), join(cwd, "node_modules/vitest"));
    const compilerOptions = {
      target: "es2022",
      lib: ["es2022", "esnext.disposable", "dom"],
      module: "esnext",
      moduleResolution: "bundler",
      strict: true,
      noEmit: true,
      // Vitest's own types need those of Node.
      skipLibCheck: true,
      types: [],
    };
    await Bun.write(join(cwd, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["typed"] }));
    await runCommand([await typescript("5.9.3"), "-p", "."], { cwd });
  },
  LONG_RUN_MS,
);
