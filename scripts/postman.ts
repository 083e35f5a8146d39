import { SANDBOX_KEYS } from "../sandbox/keys.ts";
import { bodyText, exampleOf, parameterFor, rank } from "./bruno.ts";
import { type OpenApi, type OpenApiOperation, operationsOf } from "./client/openapi.ts";

/** Where the collection is, from the repository's root. */
export const POSTMAN_COLLECTION = "examples/postman/animal-store.postman_collection.json";

const FORMAT = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";
/** Digits as they came: JavaScript rounds integers past 2^53. */
const ID = 'pm.response.text().match(/"id":(-?[0-9]+)/)[1]';

/** A collection for Postman: each operation of the document, ready for a sandbox on this machine. */
export function postmanCollection(document: OpenApi): string {
  const operations = operationsOf(document).toSorted((a, b) => rank(a.method) - rank(b.method));
  const collection = {
    info: { name: "Animal Store", schema: FORMAT },
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{apiKey}}", type: "string" }] },
    variable: [
      { key: "baseUrl", value: "http://127.0.0.1:8080/v1" },
      { key: "apiKey", value: SANDBOX_KEYS[0].key },
    ],
    item: operations.flatMap((each) => itemsOf(each, document)),
  };
  return `${JSON.stringify(collection, null, 2)}\n`;
}

interface Placed {
  readonly path: string;
  readonly method: string;
  readonly operation: OpenApiOperation;
}

/** A request of the operation; of a change, one for each example in the document. */
function itemsOf({ path, method, operation }: Placed, document: OpenApi): object[] {
  const { operationId: name, parameters = [], responses, requestBody } = operation;
  const content = requestBody?.content["application/json"];
  const isCreate = parameters.some((each) => each.name === "Idempotency-Key");
  const status = Object.keys(responses).find((code) => code.startsWith("2"));
  const script = [`pm.test("the status is ${status}", () => pm.response.to.have.status(${status}));`];
  if (isCreate) script.push(`pm.collectionVariables.set("${parameterFor(path, document)}", ${ID});`);
  const segments = path.slice(1).replace(/\{(\w+)\}/g, "{{$1}}");
  // A sample would be sent as it is, so each is there to be switched on.
  const query = parameters
    .filter((each) => each.in === "query")
    .map(({ name: key }) => ({ key, value: "", disabled: true }));
  const item = (title: string, body?: string) => ({
    name: title,
    request: {
      method,
      header: [
        ...(body ? [{ key: "Content-Type", value: "application/json" }] : []),
        ...(isCreate ? [{ key: "Idempotency-Key", value: "{{$guid}}" }] : []),
      ],
      url: { raw: `{{baseUrl}}/${segments}`, host: ["{{baseUrl}}"], path: segments.split("/"), query },
      ...(body && { body: { mode: "raw", raw: body, options: { raw: { language: "json" } } } }),
    },
    event: [{ listen: "test", script: { type: "text/javascript", exec: script } }],
  });
  if (!content) return [item(name)];
  if (method !== "PATCH") return [item(name, bodyText(exampleOf(content.schema, document), document))];
  return Object.entries(content.examples ?? {}).map(([example, { value }]) =>
    item(`${name} to ${example}`, bodyText(value, document)),
  );
}
