import type { z } from "zod";
import type { Operation } from "../../operations/operation.ts";
import { commonHeaders, headerReferences, VALIDATION_HEADERS } from "./headers.ts";
import { type Json, schemaOf } from "./schemas.ts";

/** The successful responses of an operation with a body, by status. */
export function describeResponses(operation: Operation): Json {
  const validation = operation.method === "GET" ? VALIDATION_HEADERS : [];
  return Object.fromEntries(
    Object.entries(operation.responses).map(([status, { description, headers, schema, example }]) => [
      status,
      {
        description,
        headers: headerReferences([...commonHeaders(operation), ...headers, ...validation]),
        content: {
          "application/json": { schema: schemaOf(schema), example },
          ...(operation.streams && { "text/event-stream": { schema: streamOf(schema) } }),
        },
      },
    ]),
  );
}

/** A stream: OpenAPI 3.1 has no schema for its messages, each of which holds one item of the page. */
function streamOf(page: z.ZodType): Json {
  const { items } = schemaOf(page);
  return {
    type: "string",
    description: "Server-sent events; the `data` of each is an item of the page, as `x-data-schema` says.",
    "x-data-schema": items,
  };
}
