import { repeatOf } from "../../client/operation.ts";
import { nameOfRef, type OpenApi, type OpenApiOperation, operationsOf, type Schema } from "./openapi.ts";
import { comment, format, NOTICE, pascalCase } from "./source.ts";

/** Taken from links alone: no client builds it. */
const OPAQUE_PARAMETER = "cursor";

/** `client/contract.ts`: the types and operations of the document, with int64 as `bigint`. */
export function clientContract(document: OpenApi): string {
  const operations = operationsOf(document);
  const schemas = Object.entries(document.components.schemas).filter(([name]) => name !== "Error");
  const inputs = new Set(operations.flatMap(({ operation }) => refOf(bodySchema(operation)) ?? []));
  return format(
    [
      NOTICE,
      'import type { Operation, Shape } from "./operation.ts";\n\n',
      ...schemas.map(([name, schema]) => typeDeclaration(name, schema, inputs.has(name))),
      errorCodes(document.components.schemas.Error),
      ...operations.map(({ operation }) => queryDeclaration(operation)),
      ...shapeDeclarations(
        schemas.filter(([name]) => !inputs.has(name)),
        document,
      ),
      ...operations.map(({ path, method, operation }) =>
        operationDeclaration(path, method, operation, document),
      ),
    ].join(""),
  );
}

function typeDeclaration(name: string, schema: Schema, isInput: boolean): string {
  const head = comment(schema.description);
  if (!schema.properties) return `${head}export type ${name} = ${typeOf(schema)};\n\n`;
  const members = Object.entries(schema.properties).map(([member, each]) => {
    const isRequired = schema.required?.includes(member) ?? false;
    return `${comment(each.description)}readonly ${member}${isRequired ? "" : "?"}: ${typeOf(each)}${isInput && !isRequired ? " | undefined" : ""};\n`;
  });
  return `${head}export interface ${name} {\n${members.join("")}}\n\n`;
}

function typeOf({ $ref, type, format, enum: values, items }: Schema): string {
  if ($ref) return nameOfRef($ref);
  if (Array.isArray(type))
    return type.map((each) => (each === "null" ? each : typeOf({ type: each }))).join(" | ");
  if (values) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (type === "integer") return format === "int64" ? "bigint" : "number";
  if (type === "array" && items) return `${typeOf(items)}[]`;
  if (type === "string" || type === "boolean" || type === "number") return type;
  throw new Error(`the client has no type for ${JSON.stringify({ type, format })}`);
}

function errorCodes(error: Schema | undefined): string {
  const codes = error?.properties?.code?.["x-extensible-enum"] ?? [];
  const union = codes.map((code) => JSON.stringify(code)).join(" | ");
  return `/** The codes of the service's errors. A newer service may have more. */\nexport type ErrorCode = ${union};\n\n`;
}

function queryParameters({ parameters = [] }: OpenApiOperation) {
  return parameters.filter(({ name, in: place }) => place === "query" && name !== OPAQUE_PARAMETER);
}

function queryDeclaration(operation: OpenApiOperation): string {
  const { operationId } = operation;
  const members = queryParameters(operation).map(
    ({ name, description, schema = {} }) =>
      `${comment(description)}readonly ${name}?: ${typeOf(schema)} | undefined;\n`,
  );
  if (members.length === 0) return "";
  const head = `/** The query of \`${operationId}\`. */\nexport interface ${pascalCase(operationId)}Query`;
  return `${head} {\n${members.join("")}}\n\n`;
}

/** The shapes of responses; a shape stands after those that it names. */
function shapeDeclarations(schemas: readonly (readonly [string, Schema])[], document: OpenApi): string[] {
  const declared = new Map<string, string>();
  const declare = (name: string, schema: Schema) => {
    for (const ref of refsOf(schema)) declare(ref, document.components.schemas[ref] as Schema);
    const shape = shapeOf(schema, document);
    if (shape) declared.set(name, `const ${shapeName(name)}: Shape = ${shape};\n\n`);
  };
  for (const [name, schema] of schemas) declare(name, schema);
  return [...declared.values()];
}

/** The names of the schemas that a schema refers to. */
function refsOf({ $ref, items, properties = {} }: Schema): string[] {
  if ($ref) return [nameOfRef($ref)];
  return [...(items ? [items] : []), ...Object.values(properties)].flatMap(refsOf);
}

/** Where a value of the schema has int64 numbers, as source text; undefined where it has none. */
function shapeOf({ $ref, format, items, properties }: Schema, document: OpenApi): string | undefined {
  if (format === "int64") return '"int64"';
  if ($ref) {
    const schema = document.components.schemas[nameOfRef($ref)];
    return schema && shapeOf(schema, document) && shapeName(nameOfRef($ref));
  }
  // Items that are texts have no int64, and are no objects either.
  if (items) return items.type === "string" ? undefined : `[${shapeOf(items, document) ?? "{}"}]`;
  if (!properties) return undefined;
  const members = Object.entries(properties).flatMap(([name, schema]) => {
    const shape = shapeOf(schema, document);
    return shape ? [`${name}: ${shape}`] : [];
  });
  return members.length > 0 ? `{ ${members.join(", ")} }` : undefined;
}

function shapeName(schema: string): string {
  return schema.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
}

function operationDeclaration(
  path: string,
  method: string,
  operation: OpenApiOperation,
  document: OpenApi,
): string {
  const result = resultSchema(operation);
  const takesKey = operation.parameters?.some(({ name }) => name === "Idempotency-Key") ?? false;
  const when = repeatOf(method, takesKey);
  const repeat = when ? `repeat: "${when}", ` : "";
  const value = `{ id: "${operation.operationId}", method: "${method}", path: "${path}", ${repeat}query: ${JSON.stringify(queryParameters(operation).map(({ name }) => name))}, shape: ${shapeOf(result, document) ?? "{}"} }`;
  return `export const ${operation.operationId}: Operation<${typeOf(result)}> = ${value};\n\n`;
}

function resultSchema({ operationId, responses }: OpenApiOperation): Schema {
  const success = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];
  const schema = success?.content?.["application/json"]?.schema;
  if (!schema) throw new Error(`${operationId} declares no successful response`);
  return schema;
}

function bodySchema({ requestBody }: OpenApiOperation): Schema | undefined {
  return requestBody?.content["application/json"]?.schema;
}

function refOf(schema: Schema | undefined): string | undefined {
  return schema?.$ref && nameOfRef(schema.$ref);
}
