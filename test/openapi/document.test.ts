import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { z } from "zod";
import { lintOpenApi } from "../../scripts/lint-openapi.ts";
import { openApiFile } from "../../scripts/openapi-file.ts";
import { operationsOffered } from "../../src/operations/catalogue.ts";
import { temporaryFolder } from "../support/folder.ts";
import { run, serve } from "../support/program.ts";
import { startService } from "../support/service.ts";

/** The document as its readers see it: looked into by paths, with no type. */
type Json = ReturnType<typeof JSON.parse>;

const FILE = join(import.meta.dir, "../../openapi.json");
const published = await Bun.file(FILE).text();
const document: Json = JSON.parse(published);

describe("the published file", () => {
  test("is what the program prints without configuration (`npm run generate` writes it)", () => {
    expect(published).toBe(openApiFile());
  });

  test("is what a service serves, but for the port", async () => {
    await using service = await startService({ operations: operationsOffered("beta") });
    const answer = await service.call("/openapi.json");
    expect(answer.headers.get("content-type")).toBe("application/json");
    const port = new URL(service.address).port;
    expect((await answer.text()).replace(`:${port}/`, ":8080/")).toBe(published);
  });

  test("is OpenAPI 3.1 and the interface's version", () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.info.version).toBe("1.0.0");
  });
});

describe("servers", () => {
  const configured = {
    PRODUCTION_URL: "https://animals.example.com/v1",
    STAGING_URL: "https://staging.example.com/v1",
  };
  const urls = (text: string) => JSON.parse(text).servers.map(({ url }: Json) => url);

  test("are those of the configuration, printed and served alike", async () => {
    using folder = temporaryFolder();
    const { stdout } = await run(["openapi"], { cwd: folder.path, env: configured });
    expect(urls(stdout)).toEqual(Object.values(configured));
    await using service = await serve({ cwd: folder.path, env: configured });
    expect(await (await fetch(`${service.address}/openapi.json`)).text()).toBe(stdout);
  });

  test("may be one of the two", async () => {
    using folder = temporaryFolder();
    const { STAGING_URL } = configured;
    const { stdout } = await run(["openapi"], { cwd: folder.path, env: { STAGING_URL } });
    expect(urls(stdout)).toEqual([STAGING_URL]);
  });

  test("are this service where none is configured", () => {
    expect(urls(published)).toEqual(["http://127.0.0.1:8080/v1"]);
  });

  test("say which environment each is", async () => {
    using folder = temporaryFolder();
    const printed = async (env: Record<string, string>) => {
      const { stdout } = await run(["openapi"], { cwd: folder.path, env });
      return JSON.parse(stdout).servers.map(({ description }: Json) => description);
    };
    expect(await printed(configured)).toEqual(["Production", "Staging"]);
    expect(await printed({})).toEqual(["Production"]);
    expect(await printed({ ENVIRONMENT: "staging" })).toEqual(["Staging"]);
  });

  test("are relative where the service listens on every address and none is configured", async () => {
    using folder = temporaryFolder();
    for (const HOST of ["0.0.0.0", "0", "::", "::0"]) {
      const printed = await run(["openapi"], { cwd: folder.path, env: { HOST } });
      expect([HOST, urls(printed.stdout)]).toEqual([HOST, ["/v1"]]);
    }
    const printed = await run(["openapi"], { cwd: folder.path, env: { ...configured, HOST: "0.0.0.0" } });
    expect(urls(printed.stdout)).toEqual(Object.values(configured));
    await using service = await startService({ host: "0.0.0.0" });
    expect(urls(await (await service.call("/openapi.json")).text())).toEqual(["/v1"]);
  });
});

describe("what the interface says", () => {
  const { "/pets": pets, "/pets/{petId}": pet } = document.paths;
  const parameter = (operation: Json, name: string) =>
    operation.parameters.map(resolve).find((each: Json) => each.name === name);
  const statuses = (operation: Json) => Object.keys(operation.responses);

  test("operations and their answers", () => {
    expect(pets.get.operationId).toBe("listPets");
    expect(statuses(pets.get)).toEqual(expect.arrayContaining(["200", "401"]));
    expect(pets.post.operationId).toBe("createPet");
    expect(statuses(pets.post)).toEqual(expect.arrayContaining(["201", "400", "401"]));
    expect(pet.get.operationId).toBe("getPet");
    expect(statuses(pet.get)).toEqual(expect.arrayContaining(["200", "401", "404"]));
  });

  test("limit", () => {
    expect(parameter(pets.get, "limit")).toMatchObject({
      in: "query",
      required: false,
      schema: { type: "integer", minimum: 1, maximum: 100, default: 20 },
    });
  });

  test("the status filter", () => {
    const status = parameter(pets.get, "status");
    expect(status).toMatchObject({ in: "query", required: false });
    expect(resolve(status.schema).enum).toEqual(["available", "pending", "sold"]);
  });

  test("petId", () => {
    expect(parameter(pet.get, "petId")).toMatchObject({
      in: "path",
      required: true,
      schema: { type: "integer", format: "int64" },
    });
  });

  test("bodies", () => {
    const json = (message: Json) => message.content["application/json"].schema;
    expect(pets.post.requestBody.required).toBe(true);
    expect(json(pets.post.requestBody)).toEqual({ $ref: "#/components/schemas/AnimalInput" });
    expect(json(pets.post.responses[201])).toEqual({ $ref: "#/components/schemas/Animal" });
    expect(json(pet.get.responses[200])).toEqual({ $ref: "#/components/schemas/Animal" });
    expect(json(pets.get.responses[200])).toEqual({
      type: "array",
      items: { $ref: "#/components/schemas/Animal" },
      maxItems: 100,
    });
    for (const { responses } of operations()) {
      // Of a status that nobody foresaw, too: a 405, for example.
      expect(Object.keys(responses)).toContain("default");
      for (const [status, response] of Object.entries<Json>(responses)) {
        if (!(Number(status) < 400))
          expect(json(resolve(response))).toEqual({ $ref: "#/components/schemas/Error" });
      }
    }
  });

  test("schemas", () => {
    const { Animal, AnimalInput, Error: error, Status } = document.components.schemas;
    const int64 = { type: "integer", format: "int64" };
    const name = { type: "string", minLength: 1, maxLength: 255 };
    expect(Animal.required).toEqual(["id", "name", "categoryId"]);
    expect(Animal.properties).toMatchObject({ id: { ...int64, minimum: 1 }, name, categoryId: int64 });
    expect(AnimalInput.required).toEqual(["name", "categoryId"]);
    expect(AnimalInput.properties).toMatchObject({
      name,
      categoryId: int64,
      status: { default: "available" },
    });
    expect(Status.enum).toEqual(["available", "pending", "sold"]);
    expect(error.required).toEqual(["code", "message", "status"]);
    expect(error.properties).toMatchObject({
      code: { type: "string" },
      message: { type: "string" },
      status: { type: "integer" },
    });
  });

  test("the bounds of int64, to the last digit", () => {
    const maxima = published.match(/"maximum": 9[0-9]{18}/g);
    expect(new Set(maxima)).toEqual(new Set(['"maximum": 9223372036854775807']));
    expect(published).toContain('"minimum": -9223372036854775808');
  });

  test("every operation needs a key", () => {
    expect(document.components.securitySchemes.apiKey).toMatchObject({ type: "http", scheme: "bearer" });
    for (const { scope, ...declared } of operationsOffered("beta")) {
      const operation = operations().find(({ operationId }) => operationId === declared.id);
      expect(operation.security).toEqual([{ apiKey: [scope] }]);
    }
  });

  test("the three are stable, and getPet is deprecated until 5 December 2030", () => {
    const stable = operations().filter((operation) => operation["x-stability"] === "stable");
    expect(stable.map(({ operationId }) => operationId)).toEqual(["listPets", "createPet", "getPet"]);
    const deprecated = operations().filter((operation) => operation.deprecated);
    expect(deprecated.map((each) => [each.operationId, each["x-deprecated-sunset"]])).toEqual([
      ["getPet", "2030-12-05"],
    ]);
  });
});

test("each refusal is declared once, however many operations have it", () => {
  for (const { responses } of operations()) {
    const refusals = Object.entries<Json>(responses).filter(([status]) => !status.startsWith("2"));
    expect(refusals.filter(([, response]) => response.$ref === undefined)).toEqual([]);
  }
  const declared = Object.values(document.components.responses).map((each) => JSON.stringify(each));
  expect(new Set(declared).size).toBe(declared.length);
  const codes = published.match(/(?<="code": ")[a-z_]+(?=")/g) ?? [];
  expect(codes.length).toBeGreaterThan(20);
  expect(new Set(codes).size).toBe(codes.length);
});

describe("its examples", () => {
  const found = [...schemasWithExamples(document)];

  test("there is one for every body and every code", () => {
    for (const { requestBody, responses } of operations()) {
      for (const message of [
        ...(requestBody ? [requestBody] : []),
        ...Object.values<Json>(responses).map(resolve),
      ]) {
        const content = message.content?.["application/json"];
        if (content) expect(content.example ?? content.examples).toBeDefined();
      }
    }
  });

  test("each fits its schema", () => {
    // As many as there are, so that a walk that finds none does not pass. Shared examples count where they are used.
    const count = (pattern: RegExp) => published.match(pattern)?.length ?? 0;
    const shared = Object.keys(document.components.examples).length;
    expect(found.length).toBe(
      count(/"(example|value)": |"examples": \[/g) - shared + count(/"#\/components\/examples\//g),
    );
    for (const { where, schema, example } of found) {
      const { error } = schemaOf(schema).safeParse(example);
      expect(error && `${where}: ${error.message}`).toBeUndefined();
    }
  });

  test("each member is in an example, wherever its schema has one", () => {
    const places = Map.groupBy(found, ({ where }) => where).values();
    const missing = [...places].flatMap((here) => {
      const examples = here.map(({ example }) => example);
      return membersWithout(examples, here[0]?.schema).map((path) => `${here[0]?.where}: ${path}`);
    });
    // An order has `pet` where a request asks for it, and an event is of an animal or of an order.
    const known = /: (?:\.order)?\.pet$|^#\/webhooks\/.*: \.order$/;
    expect(missing.filter((each) => !known.test(each))).toEqual([]);
    expect(missing.length).toBeGreaterThan(0);
  });

  test("an example that does not fit its schema is found", () => {
    const animal = schemaOf({ $ref: "#/components/schemas/Animal" });
    expect(animal.safeParse({ id: 1, name: "Rex", categoryId: 12, status: "sold" }).success).toBe(true);
    for (const wrong of [{ id: 0 }, { name: " " }, { categoryId: 1.5 }, { status: "lost" }]) {
      expect(animal.safeParse({ id: 1, name: "Rex", categoryId: 12, ...wrong }).success).toBe(false);
    }
  });
});

describe("what client generators need:", () => {
  const schemas = [...everySchema(document)];

  test("there is something to look at", () => {
    for (const type of ["integer", "array", "string"]) {
      expect(schemas.filter(({ schema }) => schema.type === type).length).toBeGreaterThan(0);
    }
  });

  test("no schema's name is another's with a prefix or suffix that generators use themselves", () => {
    const names = Object.keys(document.components.schemas);
    // Go clients: constructors and nullable types.
    const taken = names.flatMap((name) => [`New${name}`, `New${name}WithDefaults`, `Nullable${name}`]);
    expect(names.filter((name) => taken.includes(name))).toEqual([]);
  });

  test("patterns hold nothing but ASCII, classes, anchors and \\xXX: every dialect reads those alike", () => {
    const patterns = schemas.flatMap(({ schema }) => schema.pattern ?? []);
    expect(patterns.length).toBeGreaterThan(2);
    for (const pattern of patterns) {
      expect(pattern).toMatch(/^[ -~]+$/);
      expect(pattern.replaceAll(/\\x[0-9a-f]{2}/g, "")).not.toContain("\\");
      expect(pattern).not.toContain("(?");
      for (const flags of ["", "u", "v"]) expect(() => new RegExp(pattern, flags)).not.toThrow();
    }
  });

  test("no string of an example holds a double quote", () => {
    const examples = [...everyExample(document)];
    expect(examples.length).toBeGreaterThan(30);
    expect(examples.flatMap(strings).filter((text) => text.includes('"'))).toEqual([]);
  });

  test("every integer has a format, every array a length, every text that we bound a length", () => {
    const without = (type: string, member: string) =>
      schemas
        .filter(({ schema }) => schema.type === type && schema[member] === undefined)
        .map(({ where }) => where);
    expect(without("integer", "format")).toEqual([]);
    expect(without("array", "maxItems")).toEqual([]);
    const cursor = document.paths["/pets"].get.parameters.find(({ name }: Json) => name === "cursor");
    expect(cursor.schema.maxLength).toBeGreaterThanOrEqual(32);
  });

  test("every header that a page may read is documented", async () => {
    await using service = await startService();
    const { headers } = await service.call("/v1/pets", { headers: { origin: "https://shop.example.com" } });
    const exposed = headers.get("access-control-expose-headers")?.split(", ") ?? [];
    expect(exposed).not.toEqual([]);
    expect(exposed.filter((name) => !(name in document.components.headers))).toEqual([]);
  });
});

describe("a linter", () => {
  test("finds nothing", async () => {
    expect(await lintOpenApi(published)).toEqual([]);
  });

  test("would find a reference that leads nowhere, a wrong example, a missing description", async () => {
    const broken = published
      .replace("#/components/schemas/AnimalInput", "#/components/schemas/Nothing")
      .replace('"example": 20', '"example": 101')
      .replace(/"description": "The maximum.*/, "");
    const problems = (await lintOpenApi(broken)).join("\n");
    for (const rule of ["no-unresolved-refs", "no-invalid-parameter-examples", "parameter-description"]) {
      expect(problems).toContain(rule);
    }
  });
});

test("every reference leads somewhere", () => {
  const references = published.match(/(?<="\$ref": ")[^"]+/g) ?? [];
  expect(references.length).toBeGreaterThan(0);
  for (const $ref of references) expect(resolve({ $ref })).toBeDefined();
});

function operations(): Json[] {
  return Object.values(document.paths).flatMap((path) => Object.values(path as Json));
}

/** Every schema in the document, those within others too. */
function* everySchema(value: Json, where = "#"): Generator<{ where: string; schema: Json }> {
  if (typeof value !== "object" || value === null) return;
  if (typeof value.type === "string" && !("scheme" in value)) yield { where, schema: value };
  for (const [name, member] of Object.entries(value)) yield* everySchema(member, `${where}/${name}`);
}

/** What stands under `example`, `examples` and `value`, anywhere in the document. */
function* everyExample(value: Json): Generator<Json> {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (["example", "examples", "value"].includes(name)) yield member;
    else yield* everyExample(member);
  }
}

/** The paths of the members that a schema has and none of these values. */
function membersWithout(values: readonly Json[], schema: Json): string[] {
  const { properties = {}, items } = resolve(schema) ?? {};
  if (items) return membersWithout(values.flat(), items);
  return Object.entries<Json>(properties).flatMap(([name, member]) => {
    const own = values.flatMap((value) => (value?.[name] === undefined ? [] : [value[name]]));
    return own.length === 0 ? [`.${name}`] : membersWithout(own, member).map((path) => `.${name}${path}`);
  });
}

/** The strings of a value, the names of its members too. */
function strings(value: Json): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(strings)];
}

function resolve(value: Json): Json {
  if (value?.$ref === undefined) return value;
  const steps: string[] = value.$ref.slice("#/".length).split("/");
  return steps.reduce((found, step) => found?.[step], document);
}

/** Everything in the document that has a schema, or is one, with each of its examples. */
function* schemasWithExamples(
  value: Json,
  where = "#",
): Generator<{ where: string; schema: Json; example: Json }> {
  if (typeof value !== "object" || value === null) return;
  const isSchema = value.type !== undefined && Array.isArray(value.examples);
  const schema = isSchema ? value : value.schema;
  if (schema) {
    const named = isSchema
      ? value.examples
      : Object.values<Json>(value.examples ?? {}).map((each) => resolve(each).value);
    for (const example of [...named, ...("example" in value ? [value.example] : [])]) {
      yield { where, schema, example };
    }
  }
  for (const [name, member] of Object.entries(value)) yield* schemasWithExamples(member, `${where}/${name}`);
}

/** A schema of the document as a check; its references lead into the document's components. */
function schemaOf(schema: Json): z.ZodType {
  const local = (part: Json) =>
    JSON.parse(JSON.stringify(part).replaceAll("#/components/schemas/", "#/$defs/"));
  return z.fromJSONSchema({ ...local(schema), $defs: local(document.components.schemas) });
}
