import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram } from "../../test/support/installed-programs.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { makeProject } from "./project.ts";
import { jest, NODE_VERSIONS, node, packageChecker, typescript, vitest } from "./tools.ts";

// Both packages in a stranger's project, as CommonJS and as ES modules.

const folder = temporaryFolder();
const cwd = folder.path;
let packed = "";
beforeAll(async () => {
  packed = await makeProject(cwd);
}, LONG_RUN_MS);
afterAll(() => folder[Symbol.dispose]());

const IMPORTS = `import { AnimalStore } from "@animal-store/client";
import { startSandbox } from "animal-store/sandbox";`;
const REQUIRES = `const { AnimalStore } = require("@animal-store/client");
const { startSandbox } = require("animal-store/sandbox");`;
const FETCHES_LUNA = `const { baseUrl, apiKey, stop } = await startSandbox();
  const [luna] = await new AnimalStore({ baseUrl, apiKey }).pets.list().toArray({ limit: 1 });
  await stop();`;
const TEST = `test("fetches Luna", async () => {
  ${FETCHES_LUNA}
  if (luna.name !== "Luna") throw new Error(luna.name);
});`;

/** A test that fails before it stops its sandbox. */
const FAILING = TEST.replace("await stop();", 'throw new Error("before stop");');

const RUNNERS = [
  [
    "Jest",
    "luna.test.js",
    REQUIRES,
    async () => [requiredProgram("node"), await jest(), "--ci", `--testTimeout=${LONG_RUN_MS}`],
    "1 passed",
  ],
  [
    "node:test",
    "luna.cjs",
    `const { test } = require("node:test");\n${REQUIRES}`,
    async () => [await node(NODE_VERSIONS.oldest), "--test"],
    "# pass 1",
  ],
  [
    "Vitest",
    "luna.test.mjs",
    `import { test } from "vitest";\n${IMPORTS}`,
    async () => [await vitest(), "run", `--testTimeout=${LONG_RUN_MS}`],
    "1 passed",
  ],
  [
    "Bun",
    "luna.test.cjs",
    `const { test } = require("bun:test");\n${REQUIRES}`,
    async () => [process.execPath, "test"],
    "1 pass",
  ],
] as const;

test.each(RUNNERS)(
  "a test in %s loads the client and starts a sandbox",
  async (_name, file, head, command, expected) => {
    await Bun.write(join(cwd, file), `${head}\n${TEST}\n`);
    const line = [...(await command()), file.startsWith("luna.test") ? `./${file}` : file];
    const env = { NO_COLOR: "1", CI: "1" };
    const { stdout, stderr } = await runCommand(line, { cwd, env });
    expect(stdout + stderr).toContain(expected);
  },
  LONG_RUN_MS,
);

test.each(RUNNERS)(
  "a test in %s that fails before it stops its sandbox keeps its runner from nothing",
  async (_name, file, head, command) => {
    const failing = file.replace("luna", "failing");
    await Bun.write(join(cwd, failing), `${head}\n${FAILING}\n`);
    const line = [...(await command()), failing.startsWith("failing.test") ? `./${failing}` : failing];
    const ended = runCommand(line, { cwd, env: { NO_COLOR: "1", CI: "1" } });
    const { message } = await ended.then(
      () => new Error("it passed"),
      (error: Error) => error,
    );
    expect(message).toContain("ended with 1:");
    expect(message).toContain("before stop");
    expect(message).not.toMatch(/did not exit|open handle|close timed out/i);
  },
  LONG_RUN_MS,
);

const TYPED = `import { AnimalStore } from "@animal-store/client";
import { startSandbox } from "animal-store/sandbox";

export async function luna(): Promise<string | undefined> {
  const { baseUrl, apiKey, stop } = await startSandbox();
  const [first] = await new AnimalStore({ baseUrl, apiKey }).pets.list().toArray({ limit: 1 });
  await stop();
  return first?.name;
}
`;

const RESOLUTIONS = [
  { module: "commonjs", moduleResolution: "node10" },
  { module: "nodenext", moduleResolution: "nodenext" },
  { module: "esnext", moduleResolution: "bundler" },
];

test.each(
  (["5.0.4", "5.9.3", "7.0.2"] as const).flatMap((version) =>
    RESOLUTIONS
      // TypeScript 7 has removed it.
      .filter(({ moduleResolution }) => version !== "7.0.2" || moduleResolution !== "node10")
      .flatMap((options) => [
        { version, options, file: "typed.ts" },
        ...(options.module === "nodenext" ? [{ version, options, file: "typed.mts" }] : []),
      ]),
  ),
)(
  "both packages compile with TypeScript $version, $options.moduleResolution, in $file",
  async ({ version, options, file }) => {
    await Bun.write(join(cwd, file), TYPED);
    const compilerOptions = {
      target: "es2022",
      lib: ["es2022", "dom"],
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      types: [],
      ...options,
    };
    await Bun.write(join(cwd, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }));
    const { stdout } = await runCommand([await typescript(version), "-p", "."], { cwd });
    expect(stdout).toBe("");
  },
  LONG_RUN_MS,
);

test(
  "publint and are-the-types-wrong find nothing in the exports of the program's package",
  async () => {
    const publint = [await packageChecker("publint@0.3.25"), "run", packed, "--strict"];
    // It colours its findings where `CI` is set, as on a terminal.
    const findings = await runCommand(publint, { cwd, env: { NO_COLOR: "1" } }).then(
      () => [],
      ({ message }) => message.match(/^\d+\. .*$/gm) ?? [message],
    );
    // The client's sources bring their manifest, from which the program reads their version; nothing resolves through it.
    expect(findings).toEqual([
      expect.stringMatching(/^1\. \.\/client\/package\.json has an "exports" field/),
    ]);
    await runCommand([await packageChecker("@arethetypeswrong/cli@0.18.5"), packed], { cwd });
  },
  LONG_RUN_MS,
);
