import {
  nameOfRef,
  type OpenApi,
  type OpenApiOperation,
  operationsOf,
  type Schema,
} from "./client/openapi.ts";

/** Below `examples/`. */
const FOLDER = "examples/bruno";
/** The greatest int64: no animal or order has this id. */
const NOBODY = "9223372036854775807";

/** A request of the collection, with what its response must be. */
interface CollectionRequest {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly hasKey?: boolean;
  /** Assertions, as Bruno writes them: what is looked at, and what it must be. */
  readonly asserts: readonly (readonly [subject: string, rule: string])[];
  /** JavaScript, before the request and after its response. */
  readonly before?: string;
  readonly after?: string;
  readonly tests?: string;
}

/** The files of a Bruno collection by their paths: every operation with the responses that the document declares. */
export function brunoCollection(document: OpenApi): Map<string, string> {
  const operations = operationsOf(document);
  // What creates something comes first, so that the others find it; what changes it comes last.
  const ordered = operations.toSorted((a, b) => rank(a.method) - rank(b.method));
  const requests = ordered.flatMap((each) => requestsOf(each, document));
  const files = new Map<string, string>([
    [
      `${FOLDER}/bruno.json`,
      `${JSON.stringify({ version: "1", name: "Animal Store", type: "collection" }, null, 2)}\n`,
    ],
    [
      `${FOLDER}/environments/Local.bru`,
      "vars {\n  baseUrl: http://127.0.0.1:8080/v1\n}\nvars:secret [\n  apiKey\n]\n",
    ],
  ]);
  for (const [index, request] of requests.entries()) {
    files.set(`${FOLDER}/${request.name}.bru`, bruOf(request, index + 1));
  }
  return files;
}

export function rank(method: string): number {
  return ["POST", "GET", "PATCH"].indexOf(method);
}

interface Placed {
  readonly path: string;
  readonly method: string;
  readonly operation: OpenApiOperation;
}

function requestsOf({ path, method, operation }: Placed, document: OpenApi): CollectionRequest[] {
  const { operationId: id, parameters = [], responses, requestBody } = operation;
  const [status = "", success] = Object.entries(responses).find(([code]) => code.startsWith("2")) ?? [];
  const schema = success?.content?.["application/json"]?.schema ?? {};
  const filled = path.replace(/\{(\w+)\}/g, "{{$1}}");
  const content = requestBody?.content["application/json"];
  const body = content && bodyText(exampleOf(content.schema, document), document);
  const base = { method, path: filled, ...(body && { body }) };
  const deprecated = operation.deprecated
    ? ([
        [header("deprecation"), "matches ^@[0-9]+$"],
        [header("sunset"), "isString"],
      ] as const)
    : [];
  const isCreate = parameters.some(({ name }) => name === "Idempotency-Key");
  const key = `{{${id}Key}}`;
  const found: CollectionRequest = {
    ...base,
    name: id,
    ...(isCreate && { headers: { "Idempotency-Key": key } }),
    asserts: [
      ["res.status", `eq ${status}`],
      ...everyResponse(),
      ...deprecated,
      ...assertsOf("res.body", schema, document),
    ],
    ...(isCreate && { before: `bru.setVar("${id}Key", "bruno-" + Date.now() + "-" + Math.random());` }),
    ...(isCreate && { after: `bru.setVar("${parameterFor(path, document)}", res.body.id);` }),
    ...(schema.items && { tests: testsOfItems(schema.items, document) }),
  };
  const refused = (
    name: string,
    code: number,
    error: string,
    rest: Partial<CollectionRequest> = {},
  ): CollectionRequest => ({
    ...base,
    name: `${id} ${name}`,
    asserts: [
      ["res.status", `eq ${code}`],
      ["res.body.code", `eq ${error}`],
      ["res.body.status", `eq ${code}`],
      ["res.body.message", "isString"],
      ...everyResponse(),
      ...deprecated,
    ],
    ...rest,
  });
  const requests = method === "PATCH" ? [] : [found];
  for (const [name, { value }] of method === "PATCH" ? Object.entries(content?.examples ?? {}) : []) {
    const changed = Object.entries(value as object).map(
      ([member, each]) => [`res.body.${member}`, `eq ${each}`] as const,
    );
    requests.push({
      ...found,
      name: `${id} to ${name}`,
      body: bodyText(value, document),
      asserts: [...found.asserts, ...changed],
    });
  }
  if (isCreate) {
    requests.push({
      ...base,
      name: `${id} again`,
      headers: { "Idempotency-Key": key },
      asserts: [
        ["res.status", `eq ${status}`],
        [header("idempotent-replayed"), "matches ^true$"],
        ["res.body.id", `eq {{${parameterFor(path, document)}}}`],
      ],
    });
  }
  // What was just created, or changed to its end, stands in the way of the same once more.
  const conflict = firstCode(responses[409]);
  if (conflict) requests.push(refused("once more", 409, conflict));
  requests.push(refused("without a key", 401, "unauthorized", { hasKey: false }));
  if (body) requests.push(refused("with an empty object", 400, "invalid_body", { body: "{}" }));
  for (const { name = "", in: place, schema: { maximum, format } = {} } of parameters) {
    if (place === "query" && maximum !== undefined && format === "int32") {
      const query = { [name]: `${maximum + 1}` };
      requests.push(refused(`with ${name} ${maximum + 1}`, 400, "invalid_parameter", { query }));
    }
  }
  const notFound = firstCode(responses[404]);
  const nothing = {
    path: path.replace(/\{\w+\}/, NOBODY),
    ...(body && { body: body.replace(/\{\{\w+\}\}/, NOBODY) }),
  };
  if (notFound) requests.push(refused("of nothing", 404, notFound, nothing));
  return requests;
}

/** The code of the first refusal that a response declares. */
function firstCode(response: OpenApiOperation["responses"][string] | undefined): string | undefined {
  return Object.keys(response?.content?.["application/json"]?.examples ?? {})[0];
}

/** A body as JSON text. A member that is also a parameter in a path names what was created. */
export function bodyText(value: unknown, document: OpenApi): string {
  const parameters = Object.keys(document.paths).flatMap((path) => path.match(/(?<=\{)\w+(?=\})/g) ?? []);
  const members = Object.entries(value as object).map(([name, member]) =>
    parameters.includes(name) ? [name, `{{${name}}}`] : [name, member],
  );
  return JSON.stringify(Object.fromEntries(members), null, 2).replace(/"(\{\{\w+\}\})"/g, "$1");
}

/** The path parameter that names what a create made: `petId` for `/pets`. */
export function parameterFor(path: string, document: OpenApi): string {
  const [, name] = Object.keys(document.paths)
    .map((each) => /^(.*)\/\{(\w+)\}$/.exec(each))
    .find((match) => match?.[1] === path)
    ?.slice(1) ?? ["", "created"];
  return name as string;
}

/** A header as an assertion names it: Bruno evaluates the name as JavaScript. */
function header(name: string): string {
  return `res.headers["${name}"]`;
}

function everyResponse(): readonly (readonly [string, string])[] {
  return [
    [header("x-request-id"), "isString"],
    [header("x-content-type-options"), "eq nosniff"],
  ];
}

function assertsOf(subject: string, schema: Schema, document: OpenApi): (readonly [string, string])[] {
  const { type, enum: values, properties, required = [] } = resolved(schema, document);
  if (type === "array") return [[subject, "isArray"]];
  if (properties)
    return required.flatMap((name) => assertsOf(`${subject}.${name}`, properties[name] ?? {}, document));
  if (values) return [[subject, `in ${values.join(", ")}`]];
  // Bruno has no assertion for one of two types, as of a member that may be null.
  if (Array.isArray(type)) return [];
  return [[subject, type === "string" ? "isString" : "isNumber"]];
}

/** Bruno has no assertion for every item of an array. */
function testsOfItems(items: Schema, document: OpenApi): string {
  const { properties = {}, required = [] } = resolved(items, document);
  const lines = required.map((name) => {
    const { type } = resolved(properties[name] ?? {}, document);
    return `      expect(item.${name}).to.be.a("${type === "string" ? "string" : "number"}");`;
  });
  return `  test("every item has what the document requires", function () {\n    for (const item of res.body) {\n${lines.join("\n")}\n    }\n  });`;
}

export function exampleOf(schema: Schema, document: OpenApi): unknown {
  const { examples, properties, required = [] } = resolved(schema, document);
  if (!properties) return examples?.[0];
  return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name] ?? {}, document)]));
}

function resolved(schema: Schema, document: OpenApi): Schema {
  return schema.$ref ? (document.components.schemas[nameOfRef(schema.$ref)] ?? {}) : schema;
}

function bruOf(request: CollectionRequest, seq: number): string {
  const {
    name,
    method,
    path,
    query = {},
    headers = {},
    body,
    hasKey = true,
    asserts,
    before,
    after,
    tests,
  } = request;
  const search = new URLSearchParams(query).toString();
  const url = `{{baseUrl}}${path}${search && `?${search}`}`;
  const call = { url, body: body ? "json" : "none", auth: hasKey ? "bearer" : "none" };
  return [
    block("meta", lines({ name, type: "http", seq: `${seq}` })),
    block(method.toLowerCase(), lines(call)),
    search && block("params:query", lines(query)),
    Object.keys(headers).length > 0 && block("headers", lines(headers)),
    hasKey && block("auth:bearer", lines({ token: "{{apiKey}}" })),
    body && block("body:json", indented(body)),
    block("assert", asserts.map(([subject, rule]) => `  ${subject}: ${rule}`).join("\n")),
    before && block("script:pre-request", indented(before)),
    after && block("script:post-response", indented(after)),
    tests && block("tests", tests),
  ]
    .filter(Boolean)
    .join("\n");
}

function block(name: string, content: string): string {
  return `${name} {\n${content}\n}\n`;
}

function lines(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `  ${name}: ${value}`)
    .join("\n");
}

function indented(text: string): string {
  return text.replace(/^/gm, "  ");
}
