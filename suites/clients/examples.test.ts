import { expect, test } from "bun:test";
import { cpSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { buildClient } from "../../scripts/client/build.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram } from "../../test/support/installed-programs.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { startSandbox } from "../../test/support/sandbox.ts";

// Each example, as its page says to run it, in a sandbox that loses the first response to each of its writes.

const ROOT = join(import.meta.dir, "../..");

interface Example {
  /** The folder below `examples/`. */
  readonly folder: string;
  readonly command: () => readonly string[];
}

const EXAMPLES: Readonly<Record<string, Example>> = {
  curl: { folder: "curl", command: () => [requiredProgram("sh"), "animals.sh"] },
  Python: { folder: "python", command: () => [requiredProgram("python3"), "animals.py"] },
  Go: { folder: "go", command: () => [go(), "run", "."] },
  Java: { folder: "java", command: () => [requiredProgram("java", "default-jdk-headless"), "Animals.java"] },
  "TypeScript, our client": { folder: "typescript", command: () => [process.execPath, "with-client.ts"] },
  "TypeScript, plain fetch": { folder: "typescript", command: () => [process.execPath, "with-fetch.ts"] },
};

test("every folder of examples/ is run here", () => {
  const folders = readdirSync(join(ROOT, "examples"));
  const run = Object.values(EXAMPLES).map(({ folder }) => folder);
  expect(folders.toSorted()).toEqual([...new Set(run), "bruno"].toSorted());
});

test.each(Object.entries(EXAMPLES))(
  "%s",
  async (_name, { folder, command }) => {
    using place = temporaryFolder();
    cpSync(join(ROOT, "examples", folder), place.path, { recursive: true });
    await installClient(place.path);

    await using sandbox = await startSandbox();
    const writes = ["createPet", "placeOrder", "updateOrder"];
    await sandbox.plan(...writes.map((operation) => ({ fault: "lost", operation, count: 1 })));
    const { stdout } = await runCommand(command(), {
      cwd: place.path,
      env: { ANIMAL_STORE_URL: `${sandbox.address}/v1`, ANIMAL_STORE_KEY: sandbox.key },
    });
    expect(stdout).toBe(
      "created 25 with category 9223372036854775807\n" +
        "ordered 25: placed, then cancelled\n" +
        "listed 25\n" +
        "refused with invalid_body\n",
    );
    expect(await sandbox.faultsLeft()).toBe(0);
  },
  LONG_RUN_MS,
);

/** As npm would install the package. */
async function installClient(folder: string): Promise<void> {
  const installed = join(folder, "node_modules/animal-store");
  mkdirSync(installed, { recursive: true });
  cpSync(join(ROOT, "package.json"), join(installed, "package.json"));
  await buildClient(join(installed, "client/dist"));
}

/** Debian's Go is too old for what other suites do with a `go` on the path, so it is kept off it. */
function go(): string {
  return Bun.which("go") ?? requiredProgram("/usr/lib/go-1.19/bin/go", "golang-1.19-go");
}
