import { Failure } from "../domain/failure.ts";
import { LIMIT_DEFAULT, LIMIT_MAX, LIMIT_MIN, parseLimit } from "../domain/page.ts";
import type { Parameter } from "./operation.ts";

/** How many to return at most. */
export const limit: Parameter<number> = {
  in: "query",
  description: "Maximum number of items to return, in plain decimal.",
  schema: {
    type: "integer",
    format: "int32",
    minimum: LIMIT_MIN,
    maximum: LIMIT_MAX,
    default: LIMIT_DEFAULT,
  },
  example: LIMIT_DEFAULT,
  read: (text) =>
    text === undefined
      ? LIMIT_DEFAULT
      : (parseLimit(text) ??
        new Failure("invalid_parameter", {
          name: "limit",
          rule: `must be a whole number from ${LIMIT_MIN} to ${LIMIT_MAX}, in plain decimal`,
        })),
};

/** Longer than any cursor, so that a client made from the document still takes those of a later version. */
const CURSOR_MAX = 255;

/** Where a page starts. The operation reads it, since it is bound to the operation's filter. */
export const cursor: Parameter<string | undefined> = {
  in: "query",
  description:
    "Where the page starts: opaque, taken from the `Link` header of the page before. It goes with the filter " +
    "that it was issued for, and with any `limit`. Leave it out for the first page.",
  schema: { type: "string", minLength: 1, maxLength: CURSOR_MAX },
  read: (text) => text,
};

/** The refusal of a cursor that this service did not issue for this list. */
export function invalidCursor(): Failure<"invalid_parameter"> {
  return new Failure("invalid_parameter", {
    name: "cursor",
    rule: "must be taken unchanged from the Link header of a page with the same filter",
  });
}
