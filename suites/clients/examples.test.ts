import { expect, test } from "bun:test";
import { cpSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { buildClient } from "../../scripts/client/build.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram } from "../../test/support/installed-programs.ts";
import { startProxy } from "../../test/support/proxy.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { startService } from "../../test/support/service.ts";

// Each example, as its page says to run it, on a network that loses the first response to each of its writes.

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

    await using service = await startService();
    for (const name of ["Ada", "Bo", "Cid", "Dot"]) await service.create(`{"name":"${name}","categoryId":1}`);
    // Of the animal, of the order, and of the change of the order, which comes before the list.
    const toLose = ["Location: /v1/pets/", "Location: /v1/orders/", " 200 OK"];
    await using proxy = await startProxy(Number(new URL(service.address).port), {
      toClient: (data) => {
        const at = toLose.findIndex((mark) => data.includes(mark));
        return toLose.splice(at, at < 0 ? 0 : 1).length > 0 ? "cut" : undefined;
      },
    });
    const { stdout } = await runCommand(command(), {
      cwd: place.path,
      env: { ANIMAL_STORE_URL: `http://127.0.0.1:${proxy.port}/v1`, ANIMAL_STORE_KEY: service.key },
    });
    expect(stdout).toBe(
      "created 5 with category 9223372036854775807\n" +
        "ordered 5: placed, then cancelled\n" +
        "listed 5\n" +
        "refused with invalid_body\n",
    );
    expect(toLose).toEqual([]);
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
