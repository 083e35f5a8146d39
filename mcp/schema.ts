/** A JSON Schema, as an OpenAPI 3.1 document has it. */
export interface Schema {
  readonly [keyword: string]: unknown;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

const AS_TEXT = "As a string of digits, since JSON numbers past 2^53 are rounded on their way.";

export function isInt64({ type, format }: Schema): boolean {
  return type === "integer" && format === "int64";
}

/** The schema that a tool shows: each int64 is a string of its digits, and keywords that only documents have are left out. */
export function shownSchema(schema: Schema): Schema {
  if (isInt64(schema)) {
    const { description = "" } = schema;
    return { type: "string", pattern: "^-?[0-9]{1,19}$", description: `${description} ${AS_TEXT}`.trim() };
  }
  return mapped(schema, shownSchema, (keyword) => keyword.startsWith("x-") || keyword === "examples");
}

/** A schema without words, for results, which say themselves what they are: most of a list of tools would be these. */
export function bareSchema(schema: Schema): Schema {
  return mapped(schema, bareSchema, (keyword) => keyword === "description");
}

/** A schema with the schemas in it as `change` makes them, and without some keywords. */
function mapped(
  schema: Schema,
  change: (part: Schema) => Schema,
  isLeftOut: (keyword: string) => boolean,
): Schema {
  const { properties, items, ...others } = schema;
  return {
    ...Object.fromEntries(Object.entries(others).filter(([keyword]) => !isLeftOut(keyword))),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [name, change(member)]),
      ),
    }),
    ...(items && { items: change(items) }),
  };
}

/** A value of the service, as `readJson` of the client returns it, with each int64 as a string of its digits. */
export function withTexts(value: unknown, schema: Schema): unknown {
  if (isInt64(schema) && (typeof value === "number" || typeof value === "string")) return `${value}`;
  const { items, properties } = schema;
  if (Array.isArray(value)) return items ? value.map((item) => withTexts(item, items)) : value;
  if (typeof value !== "object" || value === null || !properties) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      properties[name] ? withTexts(member, properties[name]) : member,
    ]),
  );
}
