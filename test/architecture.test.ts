import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Tree, violations } from "./support/architecture.ts";

const SRC = join(import.meta.dir, "../src");

test("src keeps to the architecture", () => {
  const files = [...new Bun.Glob("**/*.ts").scanSync(SRC)];
  expect(files).toContain("domain/animal.ts");
  const tree = Object.fromEntries(files.map((file) => [file, readFileSync(join(SRC, file), "utf8")]));
  expect(violations(tree)).toEqual([]);
});

describe("what would be seen", () => {
  const wrong: readonly (readonly [name: string, file: string, code: string, seen: string])[] = [
    ["domain that knows HTTP", "domain/a.ts", 'import { b } from "../http/b.ts";', "imports ../http/b.ts"],
    ["a type alone", "domain/a.ts", 'import type { B } from "../http/b.ts";', "imports ../http/b.ts"],
    [
      "names on several lines",
      "domain/a.ts",
      'import {\n  b,\n  type C,\n} from "../http/b.ts";',
      "imports ../http/b.ts",
    ],
    [
      "an import when it is called",
      "domain/a.ts",
      'const b = await import("../http/b.ts");',
      "imports ../http/b.ts",
    ],
    ["an import for its effect", "domain/a.ts", 'import "../http/b.ts";', "imports ../http/b.ts"],
    ["the runtime in domain", "domain/a.ts", 'import { b } from "node:fs";', "imports node:fs"],
    ["a package in domain", "domain/a.ts", 'import pino, { b } from "pino";', "imports pino"],
    ["the runtime in operations", "operations/a.ts", 'import { b } from "bun";', "imports bun"],
    [
      "operations that know a store",
      "operations/a.ts",
      'import * as b from "../stores/b.ts";',
      "imports ../stores/b.ts",
    ],
    [
      "a store that knows operations",
      "stores/sqlite/a.ts",
      'import { b } from "../../operations/b.ts";',
      "imports ../../operations/b.ts",
    ],
    [
      "a store's thread in another room",
      "stores/a.ts",
      'new Worker(new URL("../http/b.ts", import.meta.url));',
      "imports ../http/b.ts",
    ],
    ["http that knows a store", "http/a.ts", 'import { b } from "../stores/b.ts";', "imports ../stores/b.ts"],
    ["http that reads settings", "http/a.ts", 'import { b } from "../config.ts";', "imports ../config.ts"],
    [
      "telemetry that knows HTTP",
      "telemetry/a.ts",
      'import { b } from "../http/b.ts";',
      "imports ../http/b.ts",
    ],
    [
      "a client that knows the server",
      "client/a.ts",
      'import { b } from "../domain/b.ts";',
      "imports ../domain/b.ts",
    ],
    ["a page that knows the server", "web/a.ts", 'import { b } from "../http/b.ts";', "imports ../http/b.ts"],
    [
      "a judge that knows the service",
      "verify/a.ts",
      'import type { B } from "../domain/b.ts";',
      "imports ../domain/b.ts",
    ],
    [
      "a room that nobody drew",
      "utils/a.ts",
      'import { b } from "../domain/b.ts";',
      "imports ../domain/b.ts",
    ],
    ["the environment outside config", "stores/a.ts", "const b = process.env.B;", "uses process.env"],
    ["the runtime's environment", "commands/a.ts", "const b = Bun.env.B;", "uses Bun.env"],
    ["the clock in domain", "domain/a.ts", "const b = Date.now();", "uses Date.now"],
    ["the clock in operations", "operations/a.ts", "const b = new Date();", "uses new Date()"],
    ["chance in domain", "domain/a.ts", "const b = Math.random();", "uses Math.random"],
    ["random bytes in domain", "domain/a.ts", "crypto.getRandomValues(b);", "uses getRandomValues"],
    ["an index", "domain/index.ts", "", "hands on names of other files"],
    ["a file that hands names on", "domain/a.ts", 'export * from "./b.ts";', "hands on names of other files"],
    [
      "a file that hands one name on",
      "domain/a.ts",
      'export { type B } from "./b.ts";',
      "hands on names of other files",
    ],
  ];
  for (const [name, file, code, seen] of wrong) {
    test(name, () => expect(violations({ [file]: code })).toEqual([`${file} ${seen}`]));
  }

  test("two files in a circle", () => {
    const tree = {
      "domain/a.ts": 'import { b } from "./b.ts";',
      "domain/b.ts": 'import type { A } from "./a.ts";',
    };
    expect(violations(tree)).toEqual(["domain/a.ts -> domain/b.ts -> domain/a.ts"]);
  });

  test("a circle through a folder", () => {
    const tree = {
      "stores/open.ts": 'import { a } from "./sqlite/a.ts";',
      "stores/sqlite/a.ts": 'import { b } from "./b.ts";',
      "stores/sqlite/b.ts": 'import { open } from "../open.ts";',
    };
    expect(violations(tree)).toEqual([
      "stores/open.ts -> stores/sqlite/a.ts -> stores/sqlite/b.ts -> stores/open.ts",
    ]);
  });
});

describe("what is allowed", () => {
  const right: Record<string, Tree> = {
    "one's own room": { "stores/sqlite/a.ts": 'import { b } from "../open.ts";' },
    "the arrows": {
      "main.ts": 'import { p } from "./program.ts";',
      "program.ts": 'const { a } = await import("./commands/a.ts");',
      "commands/a.ts": 'import { b } from "../http/b.ts";\nimport { c } from "../stores/c.ts";',
      "http/b.ts": 'import { d } from "../operations/d.ts";',
      "operations/d.ts": 'import { e } from "../domain/e.ts";',
      "stores/c.ts": 'import type { E } from "../domain/e.ts";\nimport { Database } from "bun:sqlite";',
      "domain/e.ts": 'import { z } from "zod";',
      "config.ts": "const a = process.env.A;",
    },
    "a word in a comment": {
      "domain/a.ts":
        '/**\n * Not Date.now(), nor\n * import "node:fs".\n */\nconst b = 1; // never Math.random()',
    },
  };
  for (const [name, tree] of Object.entries(right)) {
    test(name, () => expect(violations(tree)).toEqual([]));
  }
});
