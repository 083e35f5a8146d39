import type { Declared } from "./document.ts";
import { LongNumber } from "./json.ts";
import { isObject } from "./rpc.ts";
import { isInt64, type Schema, shownSchema } from "./schema.ts";

/** An argument of a tool, and where its value goes. */
export interface Argument {
  readonly name: string;
  readonly required: boolean;
  /** As the document has it, where an int64 is a number. */
  readonly schema: Schema;
  readonly in: "path" | "query" | "body" | "idempotencyKey" | "ifMatch";
  /** The name of the parameter or member. */
  readonly target: string;
}

const INT64 = /^-?\d{1,19}$/;

/** The headers that an agent decides on, by the name of their argument; the client sees to the others. */
const HEADERS: Readonly<Record<string, "idempotencyKey" | "ifMatch">> = {
  "Idempotency-Key": "idempotencyKey",
  "If-Match": "ifMatch",
};

/** The arguments of the tool that calls an operation: its parameters, and the members of its body. */
export function argumentsOf({ parameters, body }: Declared): Argument[] {
  const found: Argument[] = [];
  for (const { name, in: place, required = false, description, schema } of parameters) {
    const header = HEADERS[name];
    const where = place === "header" ? header : place === "path" || place === "query" ? place : undefined;
    if (where === undefined) continue;
    const described = { ...schema, ...(description !== undefined && { description }) };
    found.push({ name: header ?? name, required, schema: described, in: where, target: name });
  }
  const { properties = {}, required = [] } = body ?? {};
  for (const [name, schema] of Object.entries(properties)) {
    found.push({ name, required: required.includes(name), schema, in: "body", target: name });
  }
  return found;
}

/** The schema of a tool's arguments. */
export function inputSchema(declared: readonly Argument[]): Schema {
  const required = declared.filter((each) => each.required).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(declared.map(({ name, schema }) => [name, shownSchema(schema)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/**
 * The values of arguments by their names, each int64 as a bigint.
 * @returns a sentence for everything that is wrong, instead
 */
export function readArguments(
  tool: string,
  declared: readonly Argument[],
  given: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, unknown> | string {
  const problems: string[] = [];
  const values = new Map<string, unknown>();
  const names = declared.map(({ name }) => name);
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue;
    const known = names.length > 0 ? `it has ${names.join(", ")}` : "it has none";
    problems.push(`${tool} has no argument ${JSON.stringify(name)}: ${known}.`);
  }
  for (const { name, required, schema } of declared) {
    const value = given[name];
    if (value !== undefined) values.set(name, exactValue(schema, value, name, problems));
    else if (required) problems.push(`\`${name}\` is missing; it must be ${describe(schema)}`);
  }
  return problems.length > 0 ? problems.join(" ") : values;
}

/** The value as the service takes it. The service checks all but the types, and says better what is wrong. */
function exactValue(schema: Schema, value: unknown, path: string, problems: string[]): unknown {
  const wrong = () => {
    problems.push(`\`${path}\` must be ${describe(schema)}`);
    return undefined;
  };
  if (isInt64(schema)) {
    if (value instanceof LongNumber) {
      problems.push(
        `\`${path}\` is the number ${value.digits}, which is past 2^53 and may have been rounded on its way: ` +
          'send the integer that is meant as a string of its digits, for example "9007199254740993".',
      );
      return undefined;
    }
    const isExact = Number.isSafeInteger(value) || (typeof value === "string" && INT64.test(value));
    return isExact ? BigInt(value as string | number) : wrong();
  }
  if (!typesOf(schema).some((type) => IS[type]?.(value) ?? true)) return wrong();
  if (Array.isArray(value)) {
    const { items = {} } = schema;
    return value.map((item, at) => exactValue(items, item, `${path}[${at}]`, problems));
  }
  if (value instanceof LongNumber) return wrong();
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      exactValue(schema.properties?.[name] ?? {}, member, `${path}.${name}`, problems),
    ]),
  );
}

/** Whether a value has a type of JSON Schema. */
const IS: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  integer: (value) => Number.isSafeInteger(value),
  number: (value) => typeof value === "number",
  array: Array.isArray,
  object: isObject,
};

function typesOf({ type = "any" }: Schema): readonly string[] {
  return typeof type === "string" ? [type] : type;
}

const WORDS: Readonly<Record<string, string>> = {
  string: "a string",
  boolean: "true or false",
  integer: "an integer",
  number: "a number",
  array: "an array",
  object: "an object",
};

/** What a value must be, as the end of a sentence, and what it means. */
function describe(schema: Schema): string {
  const { enum: choices, description = "" } = schema;
  const what = isInt64(schema)
    ? "an integer as a string of digits"
    : Array.isArray(choices)
      ? `one of ${choices.join(", ")}`
      : typesOf(schema)
          .map((type) => WORDS[type] ?? "a number that is not past 2^53")
          .join(" or ");
  const [meaning = ""] = description.split(/(?<=\.)\s/);
  return meaning === "" ? `${what}.` : `${what}: ${meaning}`;
}
