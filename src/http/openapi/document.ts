import { MEDIA_TYPES, type Operation, type Tag } from "../../operations/operation.ts";
import { layOutJson } from "../response/json-layout.ts";
import { failureCodesOf } from "./failure-codes.ts";
import { HEADER_COMPONENTS, PARAMETER_COMPONENTS } from "./headers.ts";
import { INTRODUCTION } from "./introduction.ts";
import { describeResponses } from "./responses.ts";
import { componentSchemas, errorSchemaWith, exactInt64, type Json, schemaOf } from "./schemas.ts";
import { SharedResponses } from "./shared-responses.ts";
import { describeWebhooks, WEBHOOKS_TAG } from "./webhooks.ts";

/** Where a service of this interface is. */
export interface ServerAddress {
  /** With the version segment `/v1`. */
  readonly url: string;
  readonly description: string;
}

const INTERFACE_VERSION = "1.0.0";
const TAGS: readonly { readonly name: Tag; readonly description: string }[] = [
  { name: "Animals", description: "The animals in stock." },
  {
    name: "Orders",
    description:
      "Orders for animals. While an order is open, its animal is `pending`; once it is delivered, the animal is `sold`.",
  },
  { name: "Keys", description: "The API key of the request." },
  { name: "Events", description: "The feed of changes to animals and orders." },
];
const PARAMETERS = "#/components/parameters/";

/** Writes the OpenAPI 3.1 document of some operations, with int64s to their last digit. */
export function openApiDocument(operations: readonly Operation[], servers: readonly ServerAddress[]): string {
  const shared = new SharedResponses(operations);
  const webhooks = describeWebhooks(operations);
  const paths = Map.groupBy(operations, ({ path }) => path)
    .entries()
    .map(([path, own]) => [
      path,
      Object.fromEntries(own.map((each) => [each.method.toLowerCase(), describeOperation(each, shared)])),
    ]);
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
    tags: [
      ...TAGS.filter(({ name }) => operations.some(({ tag }) => tag === name)),
      ...(webhooks ? [WEBHOOKS_TAG] : []),
    ],
    paths: Object.fromEntries(paths),
    webhooks,
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
      ...shared.components,
      schemas: componentSchemas([
        ...operations.flatMap(schemasOf),
        errorSchemaWith(failureCodesOf(operations)),
      ]),
    },
  };
  return `${layOutJson(exactInt64(document))}\n`;
}

function schemasOf({ body, responses }: Operation) {
  return [...(body ? [body.schema] : []), ...Object.values(responses).map(({ schema }) => schema)];
}

/** Which scopes a key needs. */
function scopeRule({ scope, parameters }: Operation): string {
  const others = Object.entries(parameters).flatMap(([name, { needs = [] }]) =>
    [...needs].map(([value, also]) => ` \`${name}=${value}\` also requires \`${also}\`.`),
  );
  if (scope === undefined) return "Any valid key may ask, whatever its scopes.";
  return `Requires a key with the scope \`${scope}\`.${others.join("")}`;
}

function describeOperation(operation: Operation, shared: SharedResponses): Json {
  const { id, tag, summary, description, stability, scope, deprecation, parameters, body } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `${description}\n\n${scopeRule(operation)}`,
    ...(deprecation && {
      deprecated: true,
      "x-deprecated-sunset": deprecation.sunset.toISOString().slice(0, 10),
    }),
    "x-stability": stability,
    // OpenAPI 3.1 lists required scopes here, also for schemes other than OAuth.
    security: [{ apiKey: scope ? [scope] : [] }],
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
          (body.mediaTypes ?? MEDIA_TYPES).map((mediaType) => [
            mediaType,
            { schema: schemaOf(body.schema), examples: body.examples },
          ]),
        ),
      },
    }),
    responses: { ...describeResponses(operation), ...shared.of(operation) },
  };
}
