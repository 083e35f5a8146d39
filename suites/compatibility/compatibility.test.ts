import { beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openApiDocument } from "../../src/http/openapi/document.ts";
import { operationsOffered } from "../../src/operations/catalogue.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { goProgram } from "../go-program.ts";

// oasdiff judges what the released clients of the stable operations would notice.

const ROOT = join(import.meta.dir, "../..");
const RELEASED = join(ROOT, "test/releases/0.2.0/stable.json");
const PUBLISHED = readFileSync(join(ROOT, "openapi.json"), "utf8");

let program: string;

beforeAll(async () => {
  program = await goProgram("github.com/oasdiff/oasdiff", "v1.11.8");
});

/** A pattern for values that the HTTP parser has refused in every release, so it breaks nobody. */
const ALWAYS_REFUSED = "added the pattern '^[^\\x00-\\x08\\x0a-\\x1f]*$' to the 'header'";

/** What breaks clients of the released document that meet another one, by oasdiff's names. */
function breaking(document: string): string[] {
  using folder = temporaryFolder();
  const file = join(folder.path, "openapi.json");
  writeFileSync(file, document);
  const { exitCode, stdout, stderr } = Bun.spawnSync(
    [program, "breaking", RELEASED, file, "--format", "json", "--fail-on", "WARN"],
    { env: process.env },
  );
  expect(stderr.toString()).toBe("");
  const found = JSON.parse(stdout.toString() || "[]") as { id: string; text: string }[];
  expect(exitCode === 0).toBe(found.length === 0);
  return found.filter(({ text }) => !text.startsWith(ALWAYS_REFUSED)).map(({ id }) => id);
}

test("the published document breaks no client of 0.2.0", () => expect(breaking(PUBLISHED)).toEqual([]));

test("the document of a service with STABILITY=stable breaks no client of 0.2.0", () => {
  expect(breaking(openApiDocument(operationsOffered("stable"), []))).toEqual([]);
});

test.each([
  ["a lower maximum of limit", '"maximum": 100,', '"maximum": 50,', "request-parameter-max-decreased"],
  ["a status that lists do not take", '"sold"', '"gone"', "request-parameter-enum-value-removed"],
  ["another path", '"/pets": {', '"/animals": {', "api-path-removed-without-deprecation"],
  ["a member that animals lack", '"categoryId"', '"category"', "response-required-property-removed"],
])("%s breaks them, and is found", (_, from, to, id) => {
  expect(PUBLISHED).toContain(from);
  expect(breaking(PUBLISHED.replaceAll(from, to))).toContain(id);
});
