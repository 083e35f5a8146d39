import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openApiDocument } from "../../src/http/openapi/document.ts";
import { operationsOffered } from "../../src/operations/catalogue.ts";

// What the stable operations take and return never changes: later releases only add. `0.2.0/stable.json` is the stable
// part of the first release's document without its prose; change it only to add what a release adds.

type Json = null | boolean | string | readonly Json[] | { readonly [name: string]: Json };

const PROSE = new Set(["description", "summary", "title", "example", "examples", "externalDocs"]);
/** In these objects names are the interface's own, so none of them is prose. */
const NAMED = new Set(["properties", "headers", "responses", "schemas", "parameters", "paths"]);

/** A document with each reference to a response replaced by the response: which responses share one is no promise. */
function expanded(document: Json): Json {
  const { components } = document as { components: { responses?: Record<string, Json> } };
  const expand = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(expand);
    if (value === null || typeof value !== "object") return value;
    const { $ref } = value as { $ref?: string };
    const shared = $ref?.startsWith(RESPONSES)
      ? components.responses?.[$ref.slice(RESPONSES.length)]
      : undefined;
    return shared ?? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, expand(each)]));
  };
  return expand(document);
}

const RESPONSES = "#/components/responses/";

/** Numbers become their digits: int64 bounds are exact. */
function parse(text: string): Json {
  return JSON.parse(text, ((_: string, value: unknown, { source }: { source: string }) =>
    typeof value === "number" ? source : value) as never);
}

function withoutProse(value: Json, isNamed = false): Json {
  if (Array.isArray(value)) return value.map((each) => withoutProse(each));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) =>
      !isNamed && PROSE.has(name) ? [] : [[name, withoutProse(each, NAMED.has(name))]],
    ),
  );
}

/**
 * Where the document lacks what was released, or has something else there. Objects may have gained members, and lists
 * that clients must take as open may have gained values.
 */
function broken(released: Json, current: Json | undefined, path: string): string[] {
  if (released === null || typeof released !== "object") return released === current ? [] : [path];
  if (current === undefined || current === null || typeof current !== "object") return [path];
  if (Array.isArray(released)) {
    const isOpen = path.endsWith("/x-extensible-enum");
    const compared = isOpen ? released.filter((each) => !(current as Json[]).includes(each)) : current;
    return Bun.deepEquals(compared, isOpen ? [] : released) ? [] : [path];
  }
  return Object.entries(released).flatMap(([name, each]) =>
    broken(each, (current as Record<string, Json>)[name], `${path}/${name}`),
  );
}

const released = parse(readFileSync(join(import.meta.dir, "0.2.0/stable.json"), "utf8"));
const published = readFileSync(join(import.meta.dir, "../../openapi.json"), "utf8");
const current = withoutProse(expanded(parse(published)));
const stableAlone = openApiDocument(operationsOffered("stable"), []);

test("the document has all that 0.2.0 published of the stable operations", () => {
  expect(broken(released, current, "")).toEqual([]);
});

test("the document of a service with STABILITY=stable has that and not a word of the rest", () => {
  const document = withoutProse(expanded(parse(stableAlone)));
  expect(broken(released, document, "")).toEqual([]);
  expect(Object.keys((document as { paths: object }).paths)).toEqual(["/pets", "/pets/{petId}"]);
  const rest = /\/orders|\/events|orders:|events:|order_|Order|Event|PATCH/;
  expect(rest.exec(published)).not.toBeNull();
  expect(rest.exec(stableAlone)).toBeNull();
});

test("a removed member, another bound and another list of values are found", () => {
  const change = (from: string, to: string) => parse(JSON.stringify(current).replaceAll(from, to));
  for (const [from, to] of [
    ["categoryId", "category"],
    ['"maximum":"100"', '"maximum":"200"'],
    ['"pending"', '"reserved"'],
    ['"404"', '"410"'],
    ['"operationId":"getPet"', '"operationId":"getAnimal"'],
    ['"overloaded"', '"too_busy"'],
  ] as const) {
    expect(broken(released, change(from, to), "").length, from).toBeGreaterThan(0);
  }
});
