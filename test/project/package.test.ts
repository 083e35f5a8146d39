import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { temporaryFolder } from "../support/folder.ts";
import { requiredProgram } from "../support/installed-programs.ts";
import { serve } from "../support/program.ts";
import { runCommand } from "../support/run-command.ts";
import { PACKING_MS } from "../support/run-limits.ts";
import { startService } from "../support/service.ts";

// The package as npm makes it: a program that uses its client, and the pages of its service.

const ROOT = join(import.meta.dir, "../..");
const TSC = join(ROOT, "node_modules/.bin/tsc");
/** What a page loads: 10 KB, compressed. */
const SIZE_MAX = 10_000;

const PROGRAM = `import { type Animal, AnimalNotFoundError, AnimalStore, type Status } from "animal-store/client";

const { URL = "", KEY = "" } = process.env;
const store = new AnimalStore({ baseUrl: URL, apiKey: KEY });
const rex: Animal = await store.pets.create({ name: "Rex", categoryId: 9223372036854775807n });
for await (const { id, categoryId } of store.pets.list({ status: rex.status })) console.log(id, categoryId);
const error: unknown = await store.pets.list({ limit: 0 }).firstPage().catch((error) => error);
console.log(error instanceof AnimalNotFoundError, error instanceof Error && error.message);
export async function* ordered(since: bigint): AsyncGenerator<bigint> {
  for await (const event of store.events.stream({ since, type: "order.placed" })) {
    if (event.type === "order.placed") yield event.order.petId;
  }
}
`;

/** What the types must refuse: without an error below each first line, the compiler complains. */
const MISTAKES = `import { AnimalStore, type ServiceError } from "animal-store/client";
const store = new AnimalStore({ baseUrl: "http://a/v1", apiKey: "k" });
// @ts-expect-error a number may be rounded
store.pets.create({ name: "Rex", categoryId: 12 });
// @ts-expect-error the category is missing
store.pets.create({ name: "Rex" });
// @ts-expect-error the service assigns the id
store.pets.create({ name: "Rex", categoryId: 12n, id: 1n });
// @ts-expect-error no such status
store.pets.list({ status: "gone" });
// @ts-expect-error links have the cursor
store.pets.list({ cursor: "x" });
// @ts-expect-error a number may be rounded
store.pets.get(1);
// @ts-expect-error no such code
store.pets.get(1n).catch((error: ServiceError) => error.code === "animal_not_fuond");
// @ts-expect-error a number may be rounded
store.orders.place(1);
// @ts-expect-error no such status
store.orders.update(1n, "lost");
// @ts-expect-error a change of an order needs no key
store.orders.update(1n, "approved", { idempotencyKey: "k" });
// @ts-expect-error a number may be rounded
store.events.stream({ since: 1 });
// @ts-expect-error a stream has no end, and so no pages
store.events.stream({ limit: 5 });
// @ts-expect-error an animal's event has no order
for await (const event of store.events.stream()) if (event.type === "animal.created") event.order.petId;
// @ts-expect-error there is no key
new AnimalStore({ baseUrl: "http://a/v1" });
`;

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: "es2022",
    module: "nodenext",
    types: ["node"],
    typeRoots: [join(ROOT, "node_modules/@types")],
  },
};

/** Everything that stands in the package's folder. */
const CONTENTS = [
  "CHANGELOG.md",
  "LICENSE",
  "README.md",
  "SECURITY.md",
  "bin",
  "bunfig.toml",
  "client",
  "contract",
  "csv",
  "deploy",
  "docs",
  "judge",
  "mcp",
  "openapi.json",
  "package.json",
  "receiver-judge",
  "relay",
  "sandbox",
  "src",
  "verify",
  "web",
];
/** What only contributors need, wherever it stands. */
const OF_DEVELOPMENT =
  /\.test\.|\.log$|\.db$|(?:^|\/)(?:tests?|suites|scripts|bench|decisions|\.[^/]+)(?:\/|$)/;

const folder = temporaryFolder();
const installed = join(folder.path, "node_modules/animal-store");

beforeAll(async () => {
  await outputOf(["npm", "pack", "--silent", "--pack-destination", folder.path], ROOT);
  const [tarball = ""] = [...new Bun.Glob("animal-store-*.tgz").scanSync(folder.path)];
  mkdirSync(installed, { recursive: true });
  await outputOf(["tar", "-xzf", join(folder.path, tarball), "--strip-components=1", "-C", installed], ROOT);
  // As where npm puts the dependencies of a package that has versions of its own.
  symlinkSync(join(ROOT, "node_modules"), join(installed, "node_modules"));
}, PACKING_MS);
afterAll(() => folder[Symbol.dispose]());

test("the package has the program, its pages and documents, and nothing of its development", () => {
  const files = [...new Bun.Glob("**/*").scanSync({ cwd: installed, dot: true, followSymlinks: false })];
  const top = new Set(files.map((file) => file.split("/")[0] as string));
  expect([...top].filter((name) => name !== "node_modules").sort()).toEqual(CONTENTS);
  expect(files.filter((file) => OF_DEVELOPMENT.test(file))).toEqual([]);
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  // Installing runs nothing: `prepack` is for the machine that packs.
  const atInstall = ["preinstall", "install", "postinstall", "prepare", "preprepare", "postprepare"];
  expect(Object.keys(manifest.scripts).filter((name) => atInstall.includes(name))).toEqual([]);
  expect(manifest.private).toBeUndefined();
});

test("the package has a client that compiles, runs and is small", async () => {
  const shipped = readFileSync(join(installed, "client/dist/main.js"));
  expect(gzipSync(shipped, { level: 9 }).length).toBeLessThan(SIZE_MAX);
  expect(shipped.toString()).not.toMatch(/^import |\bimport\(|\brequire\(/m);

  await Bun.write(join(folder.path, "package.json"), '{"type":"module"}');
  await Bun.write(join(folder.path, "tsconfig.json"), JSON.stringify(TSCONFIG));
  await Bun.write(join(folder.path, "program.ts"), PROGRAM);
  await Bun.write(join(folder.path, "mistakes.ts"), MISTAKES);
  expect(await outputOf([TSC, "-p", "."], folder.path)).toBe("");

  // Node 20 reads no TypeScript: its types are all that this removes.
  const javascript = new Bun.Transpiler({ loader: "ts" }).transformSync(PROGRAM);
  await Bun.write(join(folder.path, "program.js"), javascript);
  await using service = await startService();
  const env = { URL: `${service.address}/v1`, KEY: service.key };
  expect(await outputOf([requiredProgram("node"), "program.js"], folder.path, env)).toBe(
    "1n 9223372036854775807n\n" +
      "false The query parameter `limit` must be a whole number from 1 to 100, in plain decimal.\n",
  );
});

/** A service of the package. */
const serveInstalled = (env: Record<string, string> = {}) =>
  serve({ cwd: folder.path, program: join(installed, "bin/animal-store"), env });

/** The scripts and styles of the console, as one text. */
async function assetsOf(address: string): Promise<string> {
  const page = await fetch(`${address}/`);
  expect(page.status).toBe(200);
  const paths = [...(await page.text()).matchAll(/(?:src|href)="\.\/(docs\/assets\/[^"]+\.(?:js|css))"/g)];
  expect(paths).toHaveLength(3);
  const texts = paths.map(async ([, path]) => (await fetch(`${address}/${path}`)).text());
  return (await Promise.all(texts)).join("\n");
}

test("the package contains the built pages, so the service bundles nothing", async () => {
  const preload = join(folder.path, "without-bundler.ts");
  writeFileSync(preload, 'Bun.build = () => Promise.reject(new Error("it bundles"));');
  await using service = await serveInstalled({ BUN_OPTIONS: `--preload=${preload}` });
  expect(await assetsOf(service.address)).toContain("The service refused this key");
});

test("a source that is newer than the built pages is served", async () => {
  const file = join(installed, "web/console/sign-in.tsx");
  const source = readFileSync(file, "utf8");
  expect(source).toContain("The service refused this key");
  writeFileSync(file, source.replace("The service refused this key", "This key was turned down"));
  await using service = await serveInstalled();
  const assets = await assetsOf(service.address);
  writeFileSync(file, source);
  expect(assets).toContain("This key was turned down");
  expect(assets).not.toContain("The service refused this key");
});

test("the program installs the libraries of its pages in the versions that the pages name", () => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const pages = JSON.parse(readFileSync(join(ROOT, "web/package.json"), "utf8")).dependencies;
  delete pages["@animal-store/client"];
  expect(dependencies).toMatchObject(pages);
});

async function outputOf(command: string[], cwd: string, env?: Record<string, string>): Promise<string> {
  return (await runCommand(command, { cwd, ...(env && { env }) })).stdout;
}
