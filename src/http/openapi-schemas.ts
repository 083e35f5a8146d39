import { z } from "zod";
import { INT64_MAX, INT64_MIN } from "../domain/int64.ts";
import { FAILURE_TABLE } from "./failure-table.ts";

type Json = Record<string, unknown>;

const SCHEMAS = "#/components/schemas/";

/** The contract's Error (section 7). */
export const errorSchema = z
  .object({
    code: z.string().meta({
      description: "What went wrong, for programs: stable, in lower snake case. New codes may be added.",
      pattern: "^[a-z]+(_[a-z]+)*$",
      examples: ["animal_not_found"],
      // Not `enum`: clients made from the document must take a code that is newer than they are.
      "x-extensible-enum": Object.keys(FAILURE_TABLE),
    }),
    message: z.string().meta({
      description: "What went wrong, for people: names what is at fault and what would be right.",
      examples: ["There is no animal with the id `42`."],
    }),
    status: z.number().meta({
      description: "The HTTP status code of the answer.",
      type: "integer",
      format: "int32",
      minimum: 400,
      maximum: 599,
      examples: [404],
    }),
  })
  .meta({ id: "Error", description: "Why a request was not answered as asked." });

/** A schema as the document holds it: by reference where it has a name. */
export function schemaOf(schema: z.ZodType): Json {
  const { $schema, $defs, ...rest } = jsonSchema(schema);
  return rest;
}

/** Every schema that has a name and stands in one of these. */
export function componentSchemas(schemas: readonly z.ZodType[]): Json {
  const { $defs } = jsonSchema(z.array(z.union(schemas)));
  return $defs as Json;
}

function jsonSchema(schema: z.ZodType): Json {
  const generated = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return JSON.parse(JSON.stringify(generated).replaceAll("#/$defs/", SCHEMAS)) as Json;
}

/** Gives every int64 its bounds, which zod's own JSON cannot hold: they are past what a double counts. */
export function exactInt64(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(exactInt64);
  if (typeof value !== "object" || value === null) return value;
  const exact = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, exactInt64(member)]));
  return exact.format === "int64" && exact.type === "integer"
    ? { minimum: INT64_MIN, ...exact, maximum: INT64_MAX }
    : exact;
}
