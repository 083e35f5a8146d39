import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { Child } from "../../verify/child.ts";
import { temporaryFolder } from "../support/folder.ts";
import { requiredProgram } from "../support/installed-programs.ts";
import { runCommand } from "../support/run-command.ts";
import { until } from "../support/until.ts";

const ROOT = join(import.meta.dir, "../..");
const RUNTIMES = [
  ["Node", () => requiredProgram("node")],
  ["Bun", () => process.execPath],
] as const;

/** Runs a program that may import the package `animal-store`, and returns what it wrote. */
async function runProgram(runtime: string, program: string, folder: string): Promise<string> {
  mkdirSync(join(folder, "project/node_modules"), { recursive: true });
  mkdirSync(join(folder, "tmp"));
  symlinkSync(ROOT, join(folder, "project/node_modules/animal-store"));
  const cwd = join(folder, "project");
  await Bun.write(
    join(cwd, "program.mjs"),
    `import { startSandbox, withSandbox } from "animal-store/sandbox";\n${program}`,
  );
  const { stdout } = await runCommand([runtime, "program.mjs"], {
    cwd,
    env: { TMPDIR: join(folder, "tmp") },
  });
  expect(readdirSync(join(folder, "tmp"))).toEqual([]);
  return stdout;
}

test.each(RUNTIMES)("startSandbox starts a sandbox from %s, and stop ends it", async (_name, runtime) => {
  using folder = temporaryFolder();
  const program = `
const { baseUrl, control, apiKey, keys, stop } = await startSandbox();
const headers = { authorization: "Bearer " + apiKey };
const [luna] = await (await fetch(baseUrl + "/pets", { headers })).json();
const { count } = await (await fetch(control + "/requests")).json();
console.log(luna.name, count, keys.length);
await stop();
console.log(await fetch(baseUrl).catch(() => "stopped"));
`;
  expect(await runProgram(runtime(), program, folder.path)).toBe("Luna 1 7\nstopped\n");
});

test.each(RUNTIMES)(
  "withSandbox in %s stops its sandbox also when what uses it fails",
  async (_name, runtime) => {
    using folder = temporaryFolder();
    const program = `
let gone;
const failed = await withSandbox(async ({ baseUrl, apiKey }) => {
  gone = baseUrl;
  const { status } = await fetch(baseUrl + "/pets", { headers: { authorization: "Bearer " + apiKey } });
  throw status;
}).catch((status) => status);
console.log(failed, await fetch(gone).catch(() => "stopped"));
`;
    expect(await runProgram(runtime(), program, folder.path)).toBe("200 stopped\n");
  },
);

test.each(RUNTIMES)(
  "a program in %s that forgets its sandbox ends, and leaves nothing",
  async (_name, runtime) => {
    using folder = temporaryFolder();
    const program = `
const { address } = await startSandbox();
console.log(address);
`;
    const address = await runProgram(runtime(), program, folder.path);
    await until(async () => (await fetch(address.trim()).catch(() => undefined)) === undefined);
  },
);

test("a sandbox ends with the block that it is used in", async () => {
  using folder = temporaryFolder();
  const program = `
const sandbox = await startSandbox();
await sandbox[Symbol.asyncDispose]();
console.log(await fetch(sandbox.baseUrl).catch(() => "stopped"));
`;
  expect(await runProgram(requiredProgram("node"), program, folder.path)).toBe("stopped\n");
});

test.each(RUNTIMES)("a sandbox that cannot start says why, from %s", async (_name, runtime) => {
  using folder = temporaryFolder();
  const program = `await startSandbox({ args: ["--stroe", "x"] }).catch(({ message }) => console.log(message));`;
  expect(await runProgram(runtime(), program, folder.path)).toContain("unknown option '--stroe'");
});

test.each([
  ["that ends without stop", "process.exit();", 0],
  ["that is killed", 'process.kill(process.pid, "SIGKILL");', 137],
])("a sandbox ends with the process that started it: %s", async (_what, end, code) => {
  using folder = temporaryFolder();
  const program = `
const { address, keys } = await startSandbox();
console.log(address);
${end}
`;
  mkdirSync(join(folder.path, "project/node_modules"), { recursive: true });
  symlinkSync(ROOT, join(folder.path, "project/node_modules/animal-store"));
  const cwd = join(folder.path, "project");
  await Bun.write(
    join(cwd, "p.mjs"),
    `import { startSandbox, withSandbox } from "animal-store/sandbox";\n${program}`,
  );
  const env = { ...process.env, TMPDIR: cwd };
  const { exitCode, stdout } = await new Child([requiredProgram("node"), "p.mjs"], { cwd, env }).ended();
  expect(exitCode).toBe(code);
  await until(async () => (await fetch(stdout.trim()).catch(() => undefined)) === undefined);
  await until(() => !readdirSync(cwd).some((name) => existsSync(join(cwd, name, "ready.json"))));
});
