import { STATUS_CODES } from "node:http";
import { Failure, type FailureCode, type FailureDetails } from "../../domain/failure.ts";
import { type AnswerDeclaration, failuresOf, type Operation, type Tag } from "../../operations/operation.ts";
import { describe, FAILURE_TABLE } from "../response/failure-table.ts";
import { layOutJson } from "../response/json-layout.ts";
import { BASE_PATH, notAllowed } from "../routes.ts";
import { failureCodesOf } from "./failure-codes.ts";
import { HEADER_COMPONENTS, type HeaderName } from "./headers.ts";
import { INTRODUCTION } from "./introduction.ts";
import { componentSchemas, ERROR_REFERENCE, errorSchemaWith, exactInt64, schemaOf } from "./schemas.ts";

/** Where a service of this interface is. */
export interface ServerAddress {
  /** With the version segment `/v1`. */
  readonly url: string;
  readonly description: string;
}

type Json = Record<string, unknown>;

const INTERFACE_VERSION = "1.0.0";
const TAGS: readonly { readonly name: Tag; readonly description: string }[] = [
  { name: "Animals", description: "The animals in stock." },
  {
    name: "Orders",
    description:
      "Orders for animals. While an order is open, its animal is `pending`; once it is delivered, the animal is `sold`.",
  },
  { name: "Events", description: "The feed of changes to animals and orders." },
];
const HEADERS = "#/components/headers/";
const PARAMETERS = "#/components/parameters/";

/** Writes the OpenAPI 3.1 document of some operations, with int64s to their last digit. */
export function openApiDocument(operations: readonly Operation[], servers: readonly ServerAddress[]): string {
  const paths = Map.groupBy(operations, ({ path }) => path)
    .entries()
    .map(([path, own]) => [path, Object.fromEntries(own.map((each) => describeMethod(each, own)))]);
  const document = {
    openapi: "3.1.0",
    info: {
      title: "Animal Store",
      version: INTERFACE_VERSION,
      summary: "The stock of an animal store.",
      description: INTRODUCTION,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers,
    security: [{ apiKey: [] }],
    tags: TAGS.filter(({ name }) => operations.some(({ tag }) => tag === name)),
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description:
            "An API key of this service, sent as `Authorization: Bearer <API_KEY>`. Keys begin with `as_live_` in " +
            "production and `as_test_` in staging. The operator creates them with `animal-store keys create`.",
        },
      },
      parameters: PARAMETER_COMPONENTS,
      headers: HEADER_COMPONENTS,
      schemas: componentSchemas([
        ...operations.flatMap(schemasOf),
        errorSchemaWith(failureCodesOf(operations)),
      ]),
    },
  };
  return `${layOutJson(exactInt64(document))}\n`;
}

/** The statuses that an operation declares: its own answers, and its failures. */
export function declaredStatuses(operation: Operation): number[] {
  return Object.keys(describeAnswers(operation, [operation]))
    .map(Number)
    .filter((status) => !Number.isNaN(status));
}

function schemasOf({ body, answers }: Operation) {
  return [...(body ? [body.schema] : []), ...Object.values(answers).map(({ schema }) => schema)];
}

/** @param neighbours the operations on the same path, itself included */
function describeMethod(operation: Operation, neighbours: readonly Operation[]): [string, Json] {
  return [operation.method.toLowerCase(), describeOperation(operation, neighbours)];
}

function describeOperation(operation: Operation, neighbours: readonly Operation[]): Json {
  const { id, tag, summary, description, stability, scope, deprecation, parameters, body } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `${description}\n\nRequires a key with the scope \`${scope}\`.`,
    ...(deprecation && {
      deprecated: true,
      "x-deprecated-sunset": deprecation.sunset.toISOString().slice(0, 10),
    }),
    "x-stability": stability,
    // OpenAPI 3.1 lists required scopes here, also for schemes other than OAuth.
    security: [{ apiKey: [scope] }],
    parameters: [
      ...Object.entries(parameters).map(([name, { in: place, description, schema, example }]) => ({
        name,
        in: place,
        required: place === "path",
        description,
        schema,
        example,
      })),
      ...(operation.method === "GET" ? [{ $ref: `${PARAMETERS}If-None-Match` }] : []),
      { $ref: `${PARAMETERS}X-Request-Id` },
    ],
    ...(body && {
      requestBody: {
        required: true,
        description: body.description,
        content: Object.fromEntries(
          (body.mediaTypes ?? ["application/json"]).map((mediaType) => [
            mediaType,
            { schema: schemaOf(body.schema), examples: body.examples },
          ]),
        ),
      },
    }),
    responses: describeAnswers(operation, neighbours),
  };
}

function describeAnswers(operation: Operation, neighbours: readonly Operation[]): Record<string, Json> {
  const everyAnswer: HeaderName[] = [
    "X-Request-Id",
    "X-Content-Type-Options",
    "RateLimit-Policy",
    "RateLimit",
    "Access-Control-Allow-Origin",
    "Access-Control-Expose-Headers",
  ];
  if (operation.deprecation) everyAnswer.push("Deprecation", "Sunset", "Link");
  const answers: Record<string, Json> = {};
  for (const [status, answer] of Object.entries(operation.answers)) {
    const headers = [...everyAnswer, ...answer.headers];
    if (operation.method === "GET") {
      headers.push("ETag", "Cache-Control", "Vary");
      answers[304] = { description: NOT_MODIFIED, headers: headerReferences(headers) };
    }
    answers[status] = describeAnswer(answer, headers, operation.streams === true);
  }
  const failures = Map.groupBy(failuresOf(operation), (code) => FAILURE_TABLE[code].status);
  for (const [status, codes] of failures) {
    const shown = codes.map((code) => new Failure(code, exampleOf(code, operation)));
    // Client generators use this as the message of an exception, so its first line makes sense by itself.
    const description = `${STATUS_CODES[status]}.\n\n${codes.map((code) => `- \`${code}\`: ${FAILURE_TABLE[code].when}`).join("\n")}`;
    answers[status] = describeFailures(description, shown, everyAnswer);
  }
  answers.default = describeFailures(DEFAULT, unlisted(operation, neighbours), everyAnswer);
  return answers;
}

const DEFAULT =
  "Any other error.\n\nThe path or the method is not in this document, or the service is newer than the document. The " +
  "body is an `Error` in any case: treat an unknown `code` like its `status`.";

/** The errors of a request with a wrong path or method, which belong to no operation. */
function unlisted({ path }: Operation, neighbours: readonly Operation[]): Failure[] {
  const served = neighbours.map(({ method }) => method);
  return [new Failure("path_not_found", { path: `${BASE_PATH}${path}/` }), notAllowed("DELETE", served)];
}

function describeAnswer(answer: AnswerDeclaration, headers: readonly HeaderName[], streams: boolean): Json {
  return {
    description: answer.description,
    headers: headerReferences(headers),
    content: {
      "application/json": { schema: schemaOf(answer.schema), example: answer.example },
      ...(streams && { "text/event-stream": { schema: { type: "string" } } }),
    },
  };
}

function describeFailures(
  description: string,
  failures: readonly Failure[],
  everyAnswer: readonly HeaderName[],
): Json {
  const shown = failures.map(describe);
  const headers = shown.flatMap(({ headers }) => Object.keys(headers) as HeaderName[]);
  return {
    description,
    headers: headerReferences([...everyAnswer, "Cache-Control", ...headers]),
    content: {
      "application/json": {
        schema: ERROR_REFERENCE,
        examples: Object.fromEntries(
          shown.map(({ code, message, status }) => [
            code,
            { description: FAILURE_TABLE[code].help, value: { code, message, status } },
          ]),
        ),
      },
    },
  };
}

/** An example of a failure as this operation would answer it. */
function exampleOf(code: FailureCode, { scope }: Operation): FailureDetails[FailureCode] {
  return code === "insufficient_scope" ? { scope } : FAILURE_TABLE[code].example;
}

function headerReferences(names: readonly HeaderName[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: HEADERS + name }]));
}

const NOT_MODIFIED =
  "Not Modified. The version that the client named in `If-None-Match` is still current. There is no body.";

/** The parameters of every operation, or of every operation that reads. */
const PARAMETER_COMPONENTS = {
  "If-None-Match": {
    name: "If-None-Match",
    in: "header",
    required: false,
    description:
      "The `ETag` of an earlier response. If nothing has changed since, the response is a 304 without a body.",
    schema: { type: "string" },
  },
  "X-Request-Id": {
    name: "X-Request-Id",
    in: "header",
    required: false,
    description:
      "The client's own id for this request, which the response and the operator's log repeat: 1 to 128 printable " +
      "ASCII characters without spaces. The service replaces any other value with a new id.",
    schema: { type: "string" },
  },
};
