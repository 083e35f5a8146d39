import { z } from "zod";
import { INT64_MAX, INT64_MIN } from "../../domain/int64.ts";

export type Json = Record<string, unknown>;

const SCHEMAS = "#/components/schemas/";

export const ERROR_REFERENCE = { $ref: `${SCHEMAS}Error` };

/** The contract's Error (section 7), with the codes that a service may return. */
export function errorSchemaWith(codes: readonly string[]): z.ZodType {
  const code = z.string().meta({
    description:
      "What went wrong, for programs to branch on: in lower snake case, and stable. New codes may be added.",
    pattern: "^[a-z]+(_[a-z]+)*$",
    examples: ["animal_not_found"],
    // Not `enum`: a client generated from the document must accept codes that are newer than itself.
    "x-extensible-enum": codes,
  });
  return z.object({ code, message, status }).meta({ id: "Error", description: "Why a request failed." });
}

const message = z.string().meta({
  description:
    "What went wrong, for people: it names the fault and what would be right. Its wording may change.",
  examples: ["There is no animal with the id `42`."],
});

const status = z.number().meta({
  description: "The HTTP status code of the response.",
  type: "integer",
  format: "int32",
  minimum: 400,
  maximum: 599,
  examples: [404],
});

/** A schema as it appears in the document: by reference if it has a name. */
export function schemaOf(schema: z.ZodType): Json {
  const { $schema, $defs, ...rest } = jsonSchema(schema);
  return rest;
}

/** Every named schema that one of these contains. */
export function componentSchemas(schemas: readonly z.ZodType[]): Json {
  const { $defs } = jsonSchema(z.array(z.union(schemas)));
  return $defs as Json;
}

function jsonSchema(schema: z.ZodType): Json {
  const generated = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return JSON.parse(JSON.stringify(generated).replaceAll("#/$defs/", SCHEMAS)) as Json;
}

/** Gives every int64 its bounds, which zod cannot write exactly: a double does not hold them. */
export function exactInt64(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(exactInt64);
  if (typeof value !== "object" || value === null) return value;
  const exact = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, exactInt64(member)]));
  return exact.format === "int64" && exact.type === "integer"
    ? { minimum: INT64_MIN, ...exact, maximum: INT64_MAX }
    : exact;
}
