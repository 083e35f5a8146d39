import { z } from "zod";
import { animalSchema, newAnimalSchema } from "../domain/animal.ts";
import { Failure, type FailureCode } from "../domain/failure.ts";
import { INT64_MAX, INT64_MIN } from "../domain/int64.ts";
import { type AnswerDeclaration, failuresOf, type Operation } from "../operations/operation.ts";
import { describe, FAILURE_TABLE } from "./failure-table.ts";
import { writeJson } from "./json-writer.ts";

/** Where a service of this interface is. */
export interface ServerAddress {
  /** With the version segment `/v1`. */
  readonly url: string;
  readonly description: string;
}

type Json = Record<string, unknown>;

const INTERFACE_VERSION = "1.0.0";
const SCHEMAS = "#/components/schemas/";
const HEADERS = "#/components/headers/";

/** Writes the OpenAPI 3.1 document of some operations, with int64s to their last digit. */
export function openApiDocument(operations: readonly Operation[], servers: readonly ServerAddress[]): string {
  const paths = Map.groupBy(operations, ({ path }) => path)
    .entries()
    .map(([path, those]) => [path, Object.fromEntries(those.map(describeMethod))]);
  const document = {
    openapi: "3.1.0",
    info: {
      title: "Animal Store",
      version: INTERFACE_VERSION,
      description:
        "A store's stock of animals: list them, add them, fetch one by id. Every request carries an API key. " +
        "Identifiers are 64-bit integers, exact to the last digit: read them with a JSON library that keeps them.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers,
    security: [{ apiKey: [] }],
    tags: [{ name: "Animals", description: "The stock." }],
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: "An API key of this service: `Authorization: Bearer <API_KEY>`.",
        },
      },
      headers: HEADER_COMPONENTS,
      schemas: componentSchemas(),
    },
  };
  return `${indent(exactInt64(document))}\n`;
}

/** The answers that an operation declares: its own, and its failures grouped by status. */
export function declaredStatuses(operation: Operation): number[] {
  return Object.keys(describeAnswers(operation)).map(Number);
}

function describeMethod(operation: Operation): [string, Json] {
  return [operation.method.toLowerCase(), describeOperation(operation)];
}

function describeOperation(operation: Operation): Json {
  const { id, summary, description, stability, scope, deprecation, parameters, body } = operation;
  return {
    operationId: id,
    tags: ["Animals"],
    summary,
    description: `${description}\n\nNeeds a key with the scope \`${scope}\`.`,
    ...(deprecation && {
      deprecated: true,
      "x-deprecated-sunset": deprecation.sunset.toISOString().slice(0, 10),
    }),
    "x-stability": stability,
    "x-required-scope": scope,
    parameters: [
      ...Object.entries(parameters).map(([name, { in: place, description, schema, example }]) => ({
        name,
        in: place,
        required: place === "path",
        description,
        schema,
        ...(name === "cursor" ? {} : { example }),
      })),
      REQUEST_ID_PARAMETER,
    ],
    ...(body && {
      requestBody: {
        required: true,
        content: { "application/json": { schema: schemaOf(body.schema), example: body.example } },
      },
    }),
    responses: describeAnswers(operation),
  };
}

function describeAnswers(operation: Operation): Record<string, Json> {
  const everyAnswer = ["X-Request-Id", "X-Content-Type-Options"];
  if (operation.deprecation) everyAnswer.push("Deprecation", "Sunset", "Link");
  const answers: Record<string, Json> = {};
  for (const [status, answer] of Object.entries(operation.answers)) {
    answers[status] = describeAnswer(answer, everyAnswer);
  }
  const failures = Map.groupBy(failuresOf(operation), (code) => FAILURE_TABLE[code].status);
  for (const [status, codes] of failures) answers[status] = describeFailures(codes, everyAnswer);
  return answers;
}

function describeAnswer(answer: AnswerDeclaration, everyAnswer: readonly string[]): Json {
  return {
    description: answer.description,
    headers: headerReferences([...everyAnswer, ...answer.headers]),
    content: { "application/json": { schema: schemaOf(answer.schema), example: answer.example } },
  };
}

function describeFailures(codes: readonly FailureCode[], everyAnswer: readonly string[]): Json {
  const shown = codes.map((code) => describe(new Failure(code, FAILURE_TABLE[code].example)));
  const headers = shown.flatMap(({ headers }) => Object.keys(headers));
  return {
    description: codes.map((code) => `\`${code}\`: ${FAILURE_TABLE[code].when}`).join("\n\n"),
    headers: headerReferences([...everyAnswer, ...headers]),
    content: {
      "application/json": {
        schema: { $ref: `${SCHEMAS}Error` },
        examples: Object.fromEntries(
          shown.map(({ code, message, status }) => [code, { value: { code, message, status } }]),
        ),
      },
    },
  };
}

function headerReferences(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: HEADERS + name }]));
}

const REQUEST_ID_PARAMETER = {
  name: "X-Request-Id",
  in: "header",
  required: false,
  description: "An id of the client's own for this request, repeated in the answer.",
  schema: { type: "string", pattern: "^[!-~]{1,128}$" },
};

const text = (description: string, example: string) => ({
  description,
  schema: { type: "string" },
  example,
});

const HEADER_COMPONENTS = {
  "X-Request-Id": text(
    "Names this request in the operator's log: the client's own where it sent one of 1 to 128 printable " +
      "ASCII characters without spaces, else a new one.",
    "019aa5c3-5f6e-7000-a3d0-5f1d8e1f2a3b",
  ),
  "X-Content-Type-Options": text("The media type is as declared.", "nosniff"),
  "WWW-Authenticate": text("How to authenticate (RFC 6750).", "Bearer"),
  "Retry-After": {
    description: "Seconds to wait before the next try.",
    schema: { type: "integer" },
    example: 1,
  },
  Location: text("The path of the new animal.", "/v1/pets/1"),
  Link: text(
    'Related addresses (RFC 8288): `rel="next"`, exactly when more follow, is the next page of a list; ' +
      '`rel="successor-version"` is what replaces a deprecated operation.',
    '</v1/pets?limit=20&cursor=AAAAAAAAABRvtCTtmAAVRYIiwmvQ0WDm>; rel="next"',
  ),
  Deprecation: text("Since when the operation is deprecated (RFC 9745).", "@1764892800"),
  Sunset: text("When the operation will be removed (RFC 8594).", "Thu, 05 Dec 2030 00:00:00 GMT"),
};

/** The contract's Error (section 7). */
const errorSchema = z
  .object({
    code: z.string().meta({
      description: "What went wrong, for programs: stable, in lower snake case.",
      examples: ["animal_not_found"],
    }),
    message: z.string().meta({
      description: "What went wrong, for people: names what is at fault and what would be right.",
      examples: ['There is no animal with the id "42".'],
    }),
    status: z.number().meta({
      description: "The HTTP status code of the answer.",
      type: "integer",
      examples: [404],
    }),
  })
  .meta({ id: "Error", description: "Why a request was not answered as asked." });

/** The schema as the components name it, by reference where it has a name. */
function schemaOf(schema: z.ZodType): Json {
  const { $schema, $defs, ...rest } = jsonSchema(schema);
  return rest;
}

function componentSchemas(): Json {
  const { $defs } = jsonSchema(z.tuple([animalSchema, newAnimalSchema, errorSchema]));
  return $defs as Json;
}

function jsonSchema(schema: z.ZodType): Json {
  const generated = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return JSON.parse(JSON.stringify(generated).replaceAll("#/$defs/", SCHEMAS)) as Json;
}

/** Gives every int64 its bounds, which zod's own JSON cannot hold: they are past what a double counts. */
function exactInt64(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(exactInt64);
  if (typeof value !== "object" || value === null) return value;
  const exact = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, exactInt64(member)]));
  return exact.format === "int64" && exact.type === "integer"
    ? { minimum: INT64_MIN, ...exact, maximum: INT64_MAX }
    : exact;
}

/** Lays JSON out for people, two spaces a level. */
function indent(value: unknown, margin = ""): string {
  const inner = `${margin}  `;
  if (Array.isArray(value) && value.length > 0) {
    return `[\n${value.map((each) => inner + indent(each, inner)).join(",\n")}\n${margin}]`;
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    if (members.length > 0) {
      const lines = members.map(
        ([name, member]) => `${inner}${JSON.stringify(name)}: ${indent(member, inner)}`,
      );
      return `{\n${lines.join(",\n")}\n${margin}}`;
    }
  }
  return writeJson(value);
}
