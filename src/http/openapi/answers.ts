import type { Operation } from "../../operations/operation.ts";
import { commonHeaders, headerReferences, VALIDATION_HEADERS } from "./headers.ts";
import { type Json, schemaOf } from "./schemas.ts";

/** The successful responses of an operation with a body, by status. */
export function describeAnswers(operation: Operation): Json {
  const validation = operation.method === "GET" ? VALIDATION_HEADERS : [];
  return Object.fromEntries(
    Object.entries(operation.answers).map(([status, { description, headers, schema, example }]) => [
      status,
      {
        description,
        headers: headerReferences([...commonHeaders(operation), ...headers, ...validation]),
        content: {
          "application/json": { schema: schemaOf(schema), example },
          ...(operation.streams && { "text/event-stream": { schema: { type: "string" } } }),
        },
      },
    ]),
  );
}
