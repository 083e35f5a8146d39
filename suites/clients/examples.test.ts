import { expect, test } from "bun:test";
import { cpSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buildClient } from "../../scripts/client/build.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram } from "../../test/support/installed-programs.ts";
import { startProxy } from "../../test/support/proxy.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { startSandbox } from "../../test/support/sandbox.ts";
import { Child } from "../../verify/child.ts";
import { go, NODE_VERSIONS, node } from "./tools.ts";

// Each example, as its page says to run it, in a sandbox that loses the first response to each of its writes, or behind
// a proxy that cuts a stream.

const ROOT = join(import.meta.dir, "../..");

interface Example {
  /** The folder below `examples/`. */
  readonly folder: string;
  readonly command: () => readonly string[] | Promise<readonly string[]>;
  /** In TypeScript, a program of its own follows the feed; the page of curl has a command. */
  readonly readsFeed?: boolean;
}

const EXAMPLES: Readonly<Record<string, Example>> = {
  curl: { folder: "curl", command: () => [requiredProgram("sh"), "animals.sh"] },
  Python: { folder: "python", command: () => [requiredProgram("python3"), "animals.py"], readsFeed: true },
  Go: { folder: "go", command: () => [go(), "run", "."], readsFeed: true },
  Java: {
    folder: "java",
    command: () => [requiredProgram("java", "default-jdk-headless"), "Animals.java"],
    readsFeed: true,
  },
  "TypeScript, our client": { folder: "typescript", command: () => inNode("with-client.ts") },
  "TypeScript, plain fetch": { folder: "typescript", command: () => inNode("with-fetch.ts") },
};

/** The folders that other tests run. */
const ELSEWHERE = [
  "bruno",
  "ci",
  "go-test",
  "jest",
  "node-test",
  "postman",
  "pytest",
  "schemathesis",
  "vitest",
];

test("every folder of examples/ is run here, or by another test that is known here", () => {
  const folders = readdirSync(join(ROOT, "examples"));
  const run = Object.values(EXAMPLES).map(({ folder }) => folder);
  expect(folders.toSorted()).toEqual([...new Set(run), ...ELSEWHERE].toSorted());
});

test.each([
  ["go", "go/main.go"],
  ["java", "java/Animals.java"],
  ["python", "python/animals.py"],
])("the page of %s shows the lines of its example that read the feed", (language, example) => {
  const page = readFileSync(join(ROOT, `docs/clients/${language}.md`), "utf8");
  const [, lines = "none"] = /^\*\*Events\.\*\*.*?^```\w+\n(.*?)^```/ms.exec(page) ?? [];
  const unindented = (text: string) => text.replace(/^\s+/gm, "");
  expect(unindented(readFileSync(join(ROOT, "examples", example), "utf8"))).toContain(unindented(lines));
});

test.each(Object.entries(EXAMPLES))(
  "%s",
  async (_name, { folder, command, readsFeed }) => {
    using place = temporaryFolder();
    await install(folder, place.path);
    await using sandbox = await startSandbox();
    const writes = ["createPet", "placeOrder", "updateOrder"];
    await sandbox.plan(...writes.map((operation) => ({ fault: "lost", operation, count: 1 })));
    const { stdout } = await runCommand(await command(), {
      cwd: place.path,
      env: { ANIMAL_STORE_URL: `${sandbox.address}/v1`, API_KEY: sandbox.key },
    });
    expect(stdout).toBe(
      "created 25 with category 9223372036854775807\n" +
        "ordered 25: placed, then cancelled\n" +
        "listed 25\n" +
        (readsFeed ? "event of 25 with category 9223372036854775807\n" : "") +
        "refused with invalid_body\n",
    );
    expect(await sandbox.faultsLeft()).toBe(0);
  },
  LONG_RUN_MS,
);

test.each(Object.entries(EXAMPLES))(
  "%s says so when something other than the service answers",
  async (_name, { folder, command }) => {
    using place = temporaryFolder();
    await install(folder, place.path);
    using elsewhere = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => new Response("<h1>No such site</h1>", { status: 404 }),
    });
    const env = { ANIMAL_STORE_URL: `http://127.0.0.1:${elsewhere.port}/v1`, API_KEY: "as_live_x" };
    await using example = new Child(await command(), { cwd: place.path, env: { ...process.env, ...env } });
    const { exitCode, stderr } = await example.ended();
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain("404");
    expect(stderr).not.toMatch(/SyntaxError|DecodeError/);
  },
  LONG_RUN_MS,
);

test(
  "TypeScript, a copy of the stock: it misses nothing when the stream is cut, and starts again after a reset",
  async () => {
    using place = temporaryFolder();
    await install("typescript", place.path);
    await using sandbox = await startSandbox();
    let cuts = 0;
    await using proxy = await startProxy(Number(new URL(sandbox.address).port), {
      toClient: (data, link) => {
        if (cuts > 0 || !data.includes("data: ")) return undefined;
        cuts++;
        setImmediate(() => link.cut());
        return data.subarray(0, data.indexOf("data: ") + 20);
      },
    });
    const url = `http://127.0.0.1:${proxy.port}/v1`;
    await using example = new Child(await inNode("follow-events.ts"), {
      cwd: place.path,
      env: { ...process.env, ANIMAL_STORE_URL: url, API_KEY: sandbox.key },
    });
    const post = (path: string, body: string) =>
      sandbox.call(path, { method: "POST", headers: { "content-type": "application/json" }, body });

    await example.says(/copied 24\n$/);
    await post("/v1/pets", '{"name":"Rex","categoryId":7}');
    await example.says(/copied 24\nanimal\.created: 25 is available, 25 in all\n$/);
    expect(cuts).toBe(1);
    await post("/v1/orders", '{"petId":25}');
    await example.says(/25 in all\nanimal\.status_changed: 25 is pending, 25 in all\n$/);
    await sandbox.control("POST", "/reset");
    await example.says(/is pending, 25 in all\ncopied 24\n$/);
  },
  LONG_RUN_MS,
);

/** Copies an example, with our client beside it as npm would install the package. */
async function install(example: string, folder: string): Promise<void> {
  cpSync(join(ROOT, "examples", example), folder, { recursive: true });
  const installed = join(folder, "node_modules/@animal-store/client");
  mkdirSync(installed, { recursive: true });
  cpSync(join(ROOT, "client/package.json"), join(installed, "package.json"));
  await buildClient(join(installed, "dist"));
}

/** The oldest Node that the programs in TypeScript claim. */
async function inNode(program: string): Promise<readonly string[]> {
  return [await node(NODE_VERSIONS.typeScript), program];
}
