import { expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { startSandbox, type TestSandbox } from "../../test/support/sandbox.ts";
import { Child, type Run } from "../../verify/child.ts";
import { pythonWith } from "./tools.ts";

const SETTINGS = join(import.meta.dir, "../../examples/schemathesis/schemathesis.toml");

/**
 * What Schemathesis reports without these settings, by the code of the refusal. Only the service can make a cursor, and no schema
 * can say so. The rest is the tool's: it sends `If-Match: 0`, a wrong value of a header that may be left out, and takes no 412 and no
 * 422 for an answer to a valid request, though the document declares both.
 */
const WITHOUT_SETTINGS: readonly string[] = [
  "GET /events invalid_parameter",
  "GET /orders invalid_parameter",
  "GET /pets invalid_parameter",
  "PATCH /orders/{orderId} invalid_header",
  "PATCH /orders/{orderId} precondition_failed",
  "POST /orders idempotency_key_reused",
  "POST /pets idempotency_key_reused",
];

/** Runs Schemathesis in an empty folder, with some settings. */
async function runSchemathesis(
  { address, key }: TestSandbox,
  settings: string | undefined,
  ...options: readonly string[]
): Promise<Run> {
  using folder = temporaryFolder();
  if (settings !== undefined) cpSync(settings, join(folder.path, "schemathesis.toml"));
  // Its next versions may choose other values.
  const python = await pythonWith("schemathesis==4.32.5", "hypothesis==6.170.17");
  const program = join(python, "../st");
  const command = [program, "run", `${address}/openapi.json`, "--max-examples", "10", ...options];
  await using run = new Child(command, { cwd: folder.path, env: { ...process.env, API_KEY: key } });
  return await run.ended();
}

test(
  "Schemathesis finds no response that the OpenAPI document does not declare, with the settings in examples/",
  async () => {
    await using sandbox = await startSandbox();
    const { exitCode, stdout } = await runSchemathesis(sandbox, SETTINGS);
    expect(stdout).toContain("Tested: 9");
    expect(stdout).toContain("No issues found");
    expect(stdout).not.toContain("WARNINGS");
    for (const phase of ["Examples", "Coverage", "Fuzzing", "Stateful"])
      expect(stdout).toContain(`\u2705 ${phase}`);
    expect(exitCode).toBe(0);
    // A cursor that it had made up would hide what the service says to the other parameters.
    const lists = await sandbox.control("GET", "/requests?operation=listPets&limit=1000");
    const { requests } = (await lists.json()) as {
      requests: { target: string; response: { status: number } }[];
    };
    expect(requests.filter(({ target }) => target.includes("cursor="))).toEqual([]);
    expect(requests.some(({ target }) => target.includes("limit=100&status=available"))).toBe(true);
  },
  LONG_RUN_MS,
);

test(
  "without settings, Schemathesis reports no more than is explained here",
  async () => {
    await using sandbox = await startSandbox();
    const authorization = ["--header", `Authorization: Bearer ${sandbox.key}`];
    const options = ["--seed", "1", "--phases", "coverage,fuzzing", ...authorization];
    const { stdout } = await runSchemathesis(sandbox, undefined, ...options);
    // Each operation has a heading, and each refusal below it is quoted.
    const found = stdout.split(/^_+ (?=[A-Z]+ \/)/m).slice(1);
    const refusals = found.flatMap((text) =>
      [...text.matchAll(/"code":"(\w+)"/g)].map(([, code]) => `${text.slice(0, text.indexOf(" _"))} ${code}`),
    );
    expect(refusals.sort()).toEqual(WITHOUT_SETTINGS as string[]);
    expect(stdout).toContain("Schema-valid request rejected: 7");
  },
  LONG_RUN_MS,
);

test(
  "Schemathesis finds a response of another media type",
  async () => {
    await using sandbox = await startSandbox();
    await sandbox.plan({ fault: "wrong_content_type", operation: "listPets" });
    const { exitCode, stdout } = await runSchemathesis(sandbox, SETTINGS, "--phases", "examples");
    expect(stdout).toContain("Undocumented Content-Type");
    expect(exitCode).toBe(1);
  },
  LONG_RUN_MS,
);
