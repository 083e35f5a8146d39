import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { POSTMAN_COLLECTION } from "../../scripts/postman.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { startSandbox } from "../../test/support/sandbox.ts";
import { Child, type Run } from "../../verify/child.ts";
import { newman } from "./tools.ts";

const COLLECTION = join(import.meta.dir, "../..", POSTMAN_COLLECTION);
const REQUESTS: number = JSON.parse(readFileSync(COLLECTION, "utf8")).item.length;

/** Runs the collection as it is imported, with Postman's own runner; only the address is another. */
async function runCollection(address: string): Promise<Run> {
  const args = ["run", COLLECTION, "--env-var", `baseUrl=${address}/v1`, "--color", "off"];
  await using runner = new Child([await newman(), ...args], { cwd: import.meta.dir, env: process.env });
  return await runner.ended();
}

test(
  "the collection for Postman works in a sandbox as it is imported, as often as it is run",
  async () => {
    await using sandbox = await startSandbox();
    for (const _ of ["once", "again"]) {
      const { exitCode, stdout } = await runCollection(sandbox.address);
      expect(stdout).toMatch(new RegExp(`assertions │ +${REQUESTS} │ +0 │`));
      expect(exitCode).toBe(0);
    }
  },
  LONG_RUN_MS,
);

test(
  "the collection for Postman fails where a response has another status",
  async () => {
    await using sandbox = await startSandbox();
    await sandbox.plan({ fault: "500", operation: "listPets", count: 1 });
    expect((await runCollection(sandbox.address)).exitCode).toBe(1);
  },
  LONG_RUN_MS,
);
