import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { CLIENT_PROGRAM, installClientPackage } from "../support/client-package.ts";
import { temporaryFolder } from "../support/folder.ts";
import { requiredProgram } from "../support/installed-programs.ts";
import { runCommand } from "../support/run-command.ts";
import { PACKING_MS } from "../support/run-limits.ts";
import { startService } from "../support/service.ts";

// The client's package in an empty project outside the repository.

const ROOT = join(import.meta.dir, "../..");
/** What a page loads, compressed. */
const SIZE_MAX = 10_000;

const folder = temporaryFolder();
const installed = join(folder.path, "node_modules/@animal-store/client");
let packed = "";
beforeAll(async () => {
  packed = await installClientPackage(folder.path);
}, PACKING_MS);
afterAll(() => folder[Symbol.dispose]());

test("the client's package is small and whole, and names the service that it was made for", () => {
  const script = readFileSync(join(installed, "dist/main.js"));
  expect(gzipSync(script, { level: 9 }).length).toBeLessThan(SIZE_MAX);
  expect(statSync(packed).size).toBeLessThan(80_000);
  const [own, service] = [join(installed, "package.json"), join(ROOT, "package.json")].map((file) =>
    JSON.parse(readFileSync(file, "utf8")),
  );
  expect(own.version).toBe(service.version);
  expect(own.dependencies).toBeUndefined();
  expect(readFileSync(join(installed, "LICENSE"), "utf8")).toBe(readFileSync(join(ROOT, "LICENSE"), "utf8"));
  const { sources } = JSON.parse(readFileSync(join(installed, "dist/main.js.map"), "utf8"));
  expect(sources).toContain("../transport.ts");
  for (const source of sources) expect(statSync(join(installed, "dist", source)).isFile()).toBe(true);
});

test.each([
  ["ES2020 alone", { lib: ["ES2020"], module: "esnext", moduleResolution: "bundler" }],
  ["the types of a browser", { lib: ["ES2020", "DOM"], module: "nodenext" }],
])("its declarations compile in a strict project with %s", async (_name, options) => {
  const compilerOptions = {
    target: "es2020",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
    types: [],
    ...options,
  };
  const program = `import { type Animal, AnimalStore, type Order } from "@animal-store/client";
const store = new AnimalStore({ baseUrl: "http://a/v1", apiKey: "k", onResponse: ({ headers }) => headers.get("date") });
export async function run(order: Order): Promise<Animal[]> {
  const { response } = await store.orders.update(order.id, "approved", { ifUnchangedSince: order }).withResponse();
  const limits: number | undefined = response.rateLimit?.remaining;
  return limits === 0 ? [] : store.pets.list().toArray({ limit: 10 });
}
`;
  await Bun.write(join(folder.path, "program.ts"), program);
  await Bun.write(
    join(folder.path, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["program.ts"] }),
  );
  const { stdout } = await runCommand([join(ROOT, "node_modules/.bin/tsc"), "-p", "."], { cwd: folder.path });
  expect(stdout).toBe("");
});

test.each([
  ["Node", () => requiredProgram("node")],
  ["Bun", () => process.execPath],
])("it runs in %s", async (_name, runtime) => {
  await Bun.write(join(folder.path, "program.mjs"), CLIENT_PROGRAM);
  await using service = await startService();
  const env = { ANIMAL_STORE_URL: `${service.address}/v1`, API_KEY: service.key };
  const { stdout } = await runCommand([runtime(), "program.mjs"], { cwd: folder.path, env });
  expect(stdout).toBe("9223372036854775807n true\n");
});
