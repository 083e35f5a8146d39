import { Failure } from "../domain/failure.ts";
import { LIMIT_DEFAULT, LIMIT_MAX, LIMIT_MIN, parseLimit, SORTS, type Sort } from "../domain/page.ts";
import type { Parameter } from "./operation.ts";

/**
 * Reads a query parameter that may be left out.
 *
 * @param rule completes "The query parameter `name` …"
 */
export function optional<Value>(
  name: string,
  rule: string,
  parse: (text: string) => Value | undefined,
): (text: string | undefined) => Value | undefined | Failure {
  return (text) =>
    text === undefined ? undefined : (parse(text) ?? new Failure("invalid_parameter", { name, rule }));
}

const readLimit = optional(
  "limit",
  `must be a whole number from ${LIMIT_MIN} to ${LIMIT_MAX}, in plain decimal`,
  parseLimit,
);

/** The maximum number of items to return. */
export const limit: Parameter<number> = {
  in: "query",
  description: "The maximum number of items to return, in plain decimal.",
  schema: {
    type: "integer",
    format: "int32",
    minimum: LIMIT_MIN,
    maximum: LIMIT_MAX,
    default: LIMIT_DEFAULT,
  },
  example: LIMIT_DEFAULT,
  read: (text) => readLimit(text) ?? LIMIT_DEFAULT,
};

/** A filter that takes one of some words. */
export function oneOf<Word extends string>(
  words: readonly Word[],
  { name, description, schema }: { readonly name: string } & Pick<Parameter, "description" | "schema">,
): Parameter<Word | undefined> {
  const rule = `must be one of ${words.join(", ")}, in lower case`;
  const read = optional(name, rule, (text) => words.find((word) => word === text));
  return { in: "query", description, schema, read };
}

/** The query of a page's address: the parameters that are set, in this order. */
export function queryOf(parameters: Readonly<Record<string, string | number | bigint | undefined>>): string {
  let query = "";
  for (const name in parameters) {
    if (parameters[name] !== undefined)
      query += `${query && "&"}${name}=${escapeIfNeeded(`${parameters[name]}`)}`;
  }
  return query;
}

/** As `encodeURIComponent`, which costs three times as much as to see that nothing is to be escaped. */
function escapeIfNeeded(value: string): string {
  return /^[\w-]*$/.test(value) ? value : encodeURIComponent(value);
}

const readSort = optional("sort", `must be one of ${SORTS.join(", ")}`, (text) =>
  SORTS.find((sort) => sort === text),
);

/** The order of the items. */
export const sort: Parameter<Sort> = {
  in: "query",
  description:
    "The order of the items: `id` is the oldest first, `-id` the newest first. Following the links from the newest " +
    "visits each item that existed at the start exactly once, and none that was added later.",
  // No enumeration: generators for Rust make one name, `Id`, of both values.
  schema: { type: "string", pattern: "^-?id$", default: "id" },
  read: (text) => readSort(text) ?? "id",
};

/** The sort as the query of a page's address has it, which names only what differs from the default. */
export function inQuery(sort: Sort): Sort | undefined {
  return sort === "id" ? undefined : sort;
}

/** Longer than any cursor, so that a client generated from the document accepts the cursors of later versions too. */
const CURSOR_MAX = 255;

/** Where a page starts. The operation reads it, since a cursor is bound to the operation's filter. */
export const cursor: Parameter<string | undefined> = {
  in: "query",
  description:
    "Where the page starts: an opaque value from the `Link` header of the previous page. It works only with the " +
    "filter and the sort that it was issued for, and with any `limit`. Omit it for the first page.",
  schema: { type: "string", minLength: 1, maxLength: CURSOR_MAX },
  read: (text) => text,
};

/** The refusal of a cursor that this service did not issue for this list. */
export function invalidCursor(): Failure<"invalid_parameter"> {
  return new Failure("invalid_parameter", {
    name: "cursor",
    rule: "must be taken unchanged from the Link header of a page with the same filter and sort",
  });
}
