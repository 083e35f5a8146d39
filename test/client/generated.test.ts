import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { clientContract } from "../../scripts/client/contract.ts";
import { clientErrors } from "../../scripts/client/errors-by-code.ts";
import { clientMain } from "../../scripts/client/main.ts";
import type { OpenApi } from "../../scripts/client/openapi.ts";
import { openApiFile } from "../../scripts/openapi-file.ts";

const CLIENT = join(import.meta.dir, "../../client");
const document: OpenApi = JSON.parse(openApiFile({ STABILITY: "experimental" }));

test("the client's types, operations and errors are those of the OpenAPI document", () => {
  expect(readFileSync(join(CLIENT, "contract.ts"), "utf8")).toBe(clientContract(document));
  expect(readFileSync(join(CLIENT, "main.ts"), "utf8")).toBe(clientMain(clientContract(document)));
  expect(readFileSync(join(CLIENT, "errors-by-code.ts"), "utf8")).toBe(clientErrors(document));
});

test("operations with nested int64, and schemas in any order, join by their declarations alone", () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const ok = (schema: object) => ({ 200: { content: { "application/json": { schema } } } });
  const order = {
    type: "object",
    required: ["id"],
    properties: { id: { type: "integer", format: "int64" } },
  };
  const event = { type: "object", properties: { at: { type: "string" }, order: ref("Order") } };
  const error = { properties: { code: { "x-extensible-enum": ["order_not_found"] } } };
  const source = clientContract({
    paths: {
      "/events": {
        get: {
          operationId: "listEvents",
          parameters: [{ name: "petId", in: "query", schema: { type: "integer", format: "int64" } }],
          responses: ok({ type: "array", items: ref("Event") }),
        },
      },
      "/orders/{orderId}": { patch: { operationId: "updateOrder", responses: ok(ref("Order")) } },
      "/orders": { post: { operationId: "placeOrder", responses: ok(ref("Order")) } },
    },
    components: { schemas: { Event: event, Order: order, Error: error } },
  } as unknown as OpenApi);
  for (const line of [
    'export type ErrorCode = "order_not_found";\n',
    'const ORDER: Shape = { id: "int64" };\n\nconst EVENT: Shape = { order: ORDER };\n',
    "export interface Event {\n  readonly at?: string;\n  readonly order?: Order;\n}\n",
    "export interface ListEventsQuery {\n  readonly petId?: bigint | undefined;\n}\n",
    "export const listEvents: Operation<Event[]> = {",
    // A PATCH may be sent twice, and a POST only with a key.
    '  path: "/orders/{orderId}",\n  query: [],\n  shape: ORDER,\n',
    '  path: "/orders",\n  repeat: "never",\n  query: [],\n  shape: ORDER,\n',
  ]) {
    expect(source).toContain(line);
  }
});
