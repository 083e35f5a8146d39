import { z } from "zod";
import { Failure } from "../src/domain/failure.ts";
import { quote } from "../src/domain/quote.ts";
import { parseQuery } from "../src/http/request/target.ts";
import type { Operation } from "../src/operations/operation.ts";
import { isKnownHeader, MEANT_HEADERS } from "./known-headers.ts";
import { noneOf } from "./none-of.ts";

// A service ignores what it does not know, so that newer clients work with it. A typing error in the name of an optional
// parameter, member or header then goes unnoticed, which a strict sandbox prevents.

/** An operation that refuses a body with a member that it does not declare. */
export function strictOperation(operation: Operation): Operation {
  const { body } = operation;
  if (!(body?.schema instanceof z.ZodObject)) return operation;
  const members = Object.keys(body.schema.shape);
  const known = z.looseObject({}).superRefine((given, context) => {
    for (const name of Object.keys(given))
      if (!members.includes(name))
        context.addIssue({ code: "custom", path: [name], message: noneOf(members, name) });
  });
  // The quick reader knows the declared members only.
  const { read: _, ...others } = body;
  return { ...operation, body: { ...others, schema: known.pipe(body.schema) } };
}

/**
 * The failure of a request with a query parameter that its operation does not declare, or with a header that neither an
 * operation declares nor a client has for reasons of its own.
 */
export function undeclared(operation: Operation, query: string, headers: Headers): Failure | undefined {
  return undeclaredParameter(operation, query) ?? undeclaredHeader(headers);
}

function undeclaredHeader(headers: Headers): Failure | undefined {
  for (const name of headers.keys()) {
    if (!isKnownHeader(name))
      return new Failure("invalid_header", { name, rule: noneOf(MEANT_HEADERS, name) });
  }
  return undefined;
}

function undeclaredParameter(operation: Operation, query: string): Failure | undefined {
  const given = parseQuery(query);
  // The service tells what is wrong with it.
  if (given instanceof Failure) return undefined;
  const declared = Object.keys(operation.parameters).filter(
    (name) => operation.parameters[name]?.in === "query",
  );
  for (const name of given.keys()) {
    if (declared.includes(name)) continue;
    const rule =
      declared.length === 0
        ? `is none: ${quote(operation.id)} has no query parameters`
        : noneOf(declared, name);
    return new Failure("invalid_parameter", { name, rule });
  }
  return undefined;
}
