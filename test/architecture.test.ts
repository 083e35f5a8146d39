import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  ARROWS,
  HTTP_FOLDERS,
  httpFolderOf,
  importers,
  loadedWith,
  roomOf,
  type Tree,
  violations,
} from "./support/architecture.ts";
import { unusedExports } from "./support/unused-exports.ts";

const ROOT = join(import.meta.dir, "..");
const FILES = filesOf("{src,web,client,contract,csv,verify,sandbox,judge,receiver-judge,relay,mcp,bench}");

function filesOf(folders: string): string[] {
  return [...new Bun.Glob(`${folders}/**/*.{ts,tsx}`).scanSync(ROOT)].filter(
    (file) => !file.includes("node_modules/") && !/^(client|web)\/dist\//.test(file),
  );
}

function treeOf(files: readonly string[]): Tree {
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(ROOT, file), "utf8")]));
}

test("the code keeps to the architecture", () => {
  expect(violations(treeOf(FILES))).toEqual([]);
});

test("nothing is exported that no other file imports", () => {
  const all = treeOf([...FILES, ...filesOf("{test,suites,scripts}")]);
  // What the client exports, other programs import.
  const unused = unusedExports(all, (file) => FILES.includes(file) && !file.startsWith("client/"));
  expect(unused).toEqual([]);
  const example = {
    "src/a.ts": "export const one = 1;\nexport async function two() {}\nexport type Three = 3;",
    "src/b.ts": 'import { one } from "./a.ts";',
    "src/c.ts": 'const { two } = await import("./a.ts");',
  };
  expect(unusedExports(example, () => true)).toEqual(["src/a.ts Three"]);
});

test("what one command alone uses lives with that command, and no other command uses it", () => {
  const importersOf = importers(treeOf(FILES));
  const wrong = FILES.filter((file) => {
    const users = new Set((importersOf.get(file) ?? []).map((user) => commandOf(user) ?? user));
    const [user] = users;
    if (file.startsWith("src/cli/")) return users.size === 1 && user !== undefined && !user.includes("/");
    return /^src\/commands\/\w+\//.test(file) && (users.size > 1 || user !== commandOf(file));
  });
  expect(wrong).toEqual([]);
});

/** The command whose own file this is: `import` for `src/commands/import.ts` and `src/commands/import/choices.ts`. */
function commandOf(file: string): string | undefined {
  return /^src\/commands\/(\w+)/.exec(file)?.[1];
}

test("each rule is about a room that exists", () => {
  const folders = new Bun.Glob("*").scanSync({ cwd: join(ROOT, "src"), onlyFiles: false });
  const rooms = new Set([...folders, ...FILES].map(roomOf));
  expect(Object.keys(ARROWS).filter((room) => !rooms.has(room))).toEqual([]);
  const httpFolders = new Set(FILES.map(httpFolderOf).filter((folder) => folder !== undefined));
  expect(Object.keys(HTTP_FOLDERS).sort()).toEqual([...httpFolders].sort());
});

// It takes a third of the start of a command, and only requests and rows of files are checked with it.
test("what checks no values loads no zod: the writer's thread, and commands but those that serve", () => {
  const tree = treeOf(FILES);
  const serving = [
    "serve",
    "worker",
    "sandbox",
    "sandbox/initial-faults",
    "judge",
    "judge/observe",
    "openapi",
  ].map((name) => `src/commands/${name}.ts`);
  const entries = FILES.filter(
    (file) =>
      (file.startsWith("src/commands/") && !serving.includes(file)) ||
      /^src\/(main|stores\/sqlite\/writer\/thread-main|stores\/\w+\/(store|schema|bulk\/bulk-store))\.ts$/.test(
        file,
      ),
  );
  expect(entries.length).toBeGreaterThan(20);
  expect(entries.filter((file) => loadedWith(tree, file).has("zod"))).toEqual([]);
  expect(serving.filter((file) => !loadedWith(tree, file).has("zod"))).toEqual([]);
});

describe("a violation is reported:", () => {
  const wrong: readonly (readonly [name: string, file: string, code: string, seen: string])[] = [
    [
      "domain that knows HTTP",
      "src/domain/a.ts",
      'import { b } from "../http/b.ts";',
      "imports ../http/b.ts",
    ],
    ["a type alone", "src/domain/a.ts", 'import type { B } from "../http/b.ts";', "imports ../http/b.ts"],
    [
      "names on several lines",
      "src/domain/a.ts",
      'import {\n  b,\n  type C,\n} from "../http/b.ts";',
      "imports ../http/b.ts",
    ],
    [
      "an import when it is called",
      "src/domain/a.ts",
      'const b = await import("../http/b.ts");',
      "imports ../http/b.ts",
    ],
    ["an import for its effect", "src/domain/a.ts", 'import "../http/b.ts";', "imports ../http/b.ts"],
    ["the runtime in domain", "src/domain/a.ts", 'import { b } from "node:fs";', "imports node:fs"],
    ["a package in domain", "src/domain/a.ts", 'import pino, { b } from "pino";', "imports pino"],
    ["a package in the relay", "relay/a.ts", 'import { b } from "pino";', "imports pino"],
    ["the runtime in operations", "src/operations/a.ts", 'import { b } from "bun";', "imports bun"],
    [
      "operations that know a store",
      "src/operations/a.ts",
      'import * as b from "../stores/b.ts";',
      "imports ../stores/b.ts",
    ],
    [
      "a store that knows operations",
      "src/stores/sqlite/a.ts",
      'import { b } from "../../operations/b.ts";',
      "imports ../../operations/b.ts",
    ],
    [
      "a store's thread in another room",
      "src/stores/a.ts",
      'new Worker(new URL("../http/b.ts", import.meta.url));',
      "imports ../http/b.ts",
    ],
    [
      "http that knows a store",
      "src/http/a.ts",
      'import { b } from "../stores/b.ts";',
      "imports ../stores/b.ts",
    ],
    [
      "a folder of http that knows what is above it",
      "src/http/cache/a.ts",
      'import type { B } from "../b.ts";',
      "imports ../b.ts",
    ],
    [
      "a folder of http that knows a folder above it",
      "src/http/request/a.ts",
      'import { b } from "../response/b.ts";',
      "imports ../response/b.ts",
    ],
    [
      "http that reads settings",
      "src/http/a.ts",
      'import { b } from "../config/settings.ts";',
      "imports ../config/settings.ts",
    ],
    [
      "a service that knows the command line",
      "src/service/a.ts",
      'import { b } from "../cli/b.ts";',
      "imports ../cli/b.ts",
    ],
    [
      "telemetry that knows HTTP",
      "src/telemetry/a.ts",
      'import { b } from "../http/b.ts";',
      "imports ../http/b.ts",
    ],
    [
      "a client that knows the server",
      "client/a.ts",
      'import type { B } from "../src/domain/b.ts";',
      "imports ../src/domain/b.ts",
    ],
    ["a client of one runtime", "client/a.ts", 'import { b } from "node:fs";', "imports node:fs"],
    [
      "a part of the client that hands names on",
      "client/a.ts",
      'export { b } from "./b.ts";',
      "hands on names of other files",
    ],
    [
      "a page that knows the server",
      "web/a.ts",
      'import { b } from "../src/http/b.ts";',
      "imports ../src/http/b.ts",
    ],
    [
      "a judge that knows the service",
      "verify/a.ts",
      'import type { B } from "../src/domain/b.ts";',
      "imports ../src/domain/b.ts",
    ],
    [
      "a relay that knows the service",
      "relay/a.ts",
      'import type { B } from "../src/domain/b.ts";',
      "imports ../src/domain/b.ts",
    ],
    [
      "a contract that knows its judge",
      "contract/a.ts",
      'import { b } from "../verify/b.ts";',
      "imports ../verify/b.ts",
    ],
    ["a bench that knows HTTP", "bench/a.ts", 'import "../src/http/b.ts";', "imports ../src/http/b.ts"],
    [
      "a room that nobody drew",
      "src/utils/a.ts",
      'import { b } from "../domain/b.ts";',
      "imports ../domain/b.ts",
    ],
    ["the environment outside config", "src/stores/a.ts", "const b = process.env.B;", "uses process.env"],
    ["the runtime's environment", "src/commands/a.ts", "const b = Bun.env.B;", "uses Bun.env"],
    ["the clock in domain", "src/domain/a.ts", "const b = Date.now();", "uses Date.now"],
    ["the clock in operations", "src/operations/a.ts", "const b = new Date();", "uses new Date()"],
    ["chance in domain", "src/domain/a.ts", "const b = Math.random();", "uses Math.random"],
    ["random bytes in domain", "src/domain/a.ts", "crypto.getRandomValues(b);", "uses getRandomValues"],
    ["an index", "src/domain/index.ts", "", "hands on names of other files"],
    [
      "a file that hands names on",
      "src/domain/a.ts",
      'export * from "./b.ts";',
      "hands on names of other files",
    ],
    [
      "a file that hands one name on",
      "src/domain/a.ts",
      'export { type B } from "./b.ts";',
      "hands on names of other files",
    ],
  ];
  for (const [name, file, code, seen] of wrong) {
    test(name, () => expect(violations({ [file]: code })).toEqual([`${file} ${seen}`]));
  }

  test("two files in a circle", () => {
    const tree = {
      "src/domain/a.ts": 'import { b } from "./b.ts";',
      "src/domain/b.ts": 'import type { A } from "./a.ts";',
    };
    expect(violations(tree)).toEqual(["src/domain/a.ts -> src/domain/b.ts -> src/domain/a.ts"]);
  });

  test("a circle through a folder", () => {
    const tree = {
      "src/stores/open.ts": 'import { a } from "./sqlite/a.ts";',
      "src/stores/sqlite/a.ts": 'import { b } from "./b.ts";',
      "src/stores/sqlite/b.ts": 'import { open } from "../open.ts";',
    };
    expect(violations(tree)).toEqual([
      "src/stores/open.ts -> src/stores/sqlite/a.ts -> src/stores/sqlite/b.ts -> src/stores/open.ts",
    ]);
  });
});

describe("no violation is reported for", () => {
  const right: Record<string, Tree> = {
    "one's own room": { "src/stores/sqlite/a.ts": 'import { b } from "../open.ts";' },
    "the arrows": {
      "src/main.ts": 'import { p } from "./program.ts";',
      "src/program.ts": 'const { a } = await import("./commands/a.ts");',
      "src/commands/a.ts": 'import { b } from "../http/b.ts";\nimport { c } from "../stores/c.ts";',
      "src/http/b.ts": 'import { d } from "../operations/d.ts";',
      "src/operations/d.ts": 'import { e } from "../domain/e.ts";',
      "src/stores/c.ts": 'import type { E } from "../domain/e.ts";\nimport { Database } from "bun:sqlite";',
      "src/domain/e.ts": 'import { z } from "zod";',
      "src/config/settings.ts": "const a = process.env.A;",
    },
    "a word in a comment": {
      "src/domain/a.ts":
        '/**\n * Not Date.now(), nor\n * import "node:fs".\n */\nconst b = 1; // never Math.random()',
    },
  };
  for (const [name, tree] of Object.entries(right)) {
    test(name, () => expect(violations(tree)).toEqual([]));
  }
});
