import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

/** The suites of the PostgreSQL store, which `npm test` and this folder run on the server that npm brings. */
export const SUITES = {
  store: ["test/postgres/store.test.ts"],
  HTTP: ["test/http/contract.test.ts", "test/http/retries.test.ts"],
  instances: ["test/postgres/instances.test.ts", "suites/postgres-servers/instances.test.ts"],
  faults: ["test/postgres/{migration,outage,unknown-outcome}.test.ts", "suites/failover/failover.test.ts"],
  "plans, round trips and restore": [
    "suites/postgres-servers/plans.test.ts",
    "test/postgres/{round-trips,restore}.test.ts",
  ],
};

/**
 * Runs a suite in a process of its own, whose output says on which server it ran.
 *
 * @param bin the folder of the server's programs
 * @throws Error where one of its tests fails, or where it does not come to its end
 */
export async function runSuite(suite: keyof typeof SUITES, bin: string): Promise<void> {
  await using child = start(filesOf(suite), bin);
  let output = "";
  const decoder = new TextDecoder();
  for await (const chunk of child.process.stderr) {
    process.stderr.write(chunk);
    output += decoder.decode(chunk, { stream: true });
  }
  const exitCode = await child.process.exited;
  if (exitCode !== 0) throw new Error(`the suite ${suite} failed on ${bin}`);
  // A test that ends the runner's process would end it with 0 and no closing line.
  if (!/^ ?Ran [0-9]+ tests across/m.test(output)) throw new Error(`the suite ${suite} did not finish`);
}

function start(files: readonly string[], bin: string) {
  const child = Bun.spawn([join(ROOT, "bin/runtime"), "test", ...files], {
    cwd: ROOT,
    env: { ...process.env, TEST_POSTGRES_BIN: bin },
    stdin: "ignore",
    stdout: "inherit",
    stderr: "pipe",
  });
  return {
    process: child,
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
    },
  };
}

function filesOf(suite: keyof typeof SUITES): string[] {
  return SUITES[suite].flatMap((pattern) => {
    const files = [...new Bun.Glob(pattern).scanSync(ROOT)].map((file) => `./${file}`);
    if (files.length === 0) throw new Error(`the suite ${suite} has no file ${pattern}`);
    return files.toSorted();
  });
}
