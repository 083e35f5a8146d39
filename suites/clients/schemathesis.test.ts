import { expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { startSandbox, type TestSandbox } from "../../test/support/sandbox.ts";
import { Child, type Run } from "../../verify/child.ts";
import { pythonWith } from "./tools.ts";

const SETTINGS = join(import.meta.dir, "../../examples/schemathesis/schemathesis.toml");

/** Runs Schemathesis with the settings of `examples/`. */
async function runSchemathesis({ address, key }: TestSandbox, ...options: readonly string[]): Promise<Run> {
  using folder = temporaryFolder();
  cpSync(SETTINGS, join(folder.path, "schemathesis.toml"));
  // Its next versions may choose other values.
  const python = await pythonWith("schemathesis==4.6.0", "hypothesis==6.148.2");
  const program = join(python, "../st");
  const command = [program, "run", `${address}/openapi.json`, "--max-examples", "10", ...options];
  await using run = new Child(command, { cwd: folder.path, env: { ...process.env, API_KEY: key } });
  return await run.ended();
}

test(
  "Schemathesis finds no response that the OpenAPI document does not declare, with the settings in examples/",
  async () => {
    await using sandbox = await startSandbox();
    const { exitCode, stdout } = await runSchemathesis(sandbox);
    expect(stdout).toContain("Tested: 9");
    expect(stdout).toContain("No issues found");
    for (const phase of ["Examples", "Coverage", "Fuzzing", "Stateful"])
      expect(stdout).toContain(`\u2705 ${phase}`);
    expect(exitCode).toBe(0);
  },
  LONG_RUN_MS,
);

test(
  "Schemathesis finds a response of another media type",
  async () => {
    await using sandbox = await startSandbox();
    await sandbox.plan({ fault: "wrong_content_type", operation: "listPets" });
    const { exitCode, stdout } = await runSchemathesis(sandbox, "--phases", "examples");
    expect(stdout).toContain("Undocumented Content-Type");
    expect(exitCode).toBe(1);
  },
  LONG_RUN_MS,
);
