import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brunoCollection } from "../../scripts/bruno.ts";
import { openApiFile } from "../../scripts/openapi-file.ts";
import { POSTMAN_COLLECTION, postmanCollection } from "../../scripts/postman.ts";

const ROOT = join(import.meta.dir, "../..");

test("the collection for Bruno is that of the OpenAPI document", () => {
  const files = [...new Bun.Glob("examples/bruno/**/*").scanSync(ROOT)];
  const written = files.toSorted().map((path) => [path, readFileSync(join(ROOT, path), "utf8")]);
  const expected = [...brunoCollection(JSON.parse(openApiFile()))];
  expect(written).toEqual(expected.toSorted(([a], [b]) => (a < b ? -1 : 1)));
});

test("the collection for Postman is that of the OpenAPI document", () => {
  const written = readFileSync(join(ROOT, POSTMAN_COLLECTION), "utf8");
  expect(written).toBe(postmanCollection(JSON.parse(openApiFile())));
});
