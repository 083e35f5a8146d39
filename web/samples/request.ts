import type { ApiDocument, Operation, Parameter, Schema } from "../model/document.ts";
import { printExact } from "../model/exact-json.ts";

/** A request that shows an operation, from the examples of the document. */
export interface SampleRequest {
  readonly operation: Operation;
  readonly method: string;
  /** The whole address. */
  readonly url: string;
  /** Without `Authorization`. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, laid out. */
  readonly body: string | undefined;
  /** Whether the response is a page of a list that continues at its `Link`. */
  readonly isPaged: boolean;
  /** Whether each page has a `Link`, so that an empty page is the end for now. */
  readonly isFeed: boolean;
  /** The schema of one item of the response, with its name. */
  readonly item: { readonly name: string; readonly schema: Schema };
}

/** What a reader has entered in place of the examples. */
export interface Entered {
  /** Below the base address, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string | undefined;
}

/** @param entered the document's examples if there is none */
export function sampleRequest(api: ApiDocument, operation: Operation, entered?: Entered): SampleRequest {
  const { method, path, parameters, body, responses } = operation;
  const filled = path.replaceAll(/\{(.+?)\}/g, (_, name) => {
    const parameter = parameters.find((each) => each.in === "path" && each.name === name);
    return String(parameter ? exampleOf(parameter, api) : name);
  });
  const query = parameters
    .filter((parameter) => parameter.in === "query")
    .map((parameter) => [parameter.name, exampleOf(parameter, api)])
    .filter(([, example]) => example !== undefined)
    .map(([name, example]) => `${name}=${encodeURIComponent(String(example))}`)
    .join("&");
  const success = responses.find(({ status }) => status.startsWith("2"));
  const schema = success?.content?.schema ?? {};
  const itemSchema = schema.items ?? schema;
  return {
    operation,
    method,
    url: api.base + (entered?.path ?? filled + (query && `?${query}`)),
    headers: entered?.headers ?? (body ? { "Content-Type": body.mediaTypes[0] } : {}),
    body: entered ? entered.body : body?.examples[0] && printExact(body.examples[0].value),
    isFeed: parameters.some(({ name }) => name === "Last-Event-ID"),
    isPaged: method === "GET" && schema.items !== undefined && success?.headers.includes("Link") === true,
    item: { name: itemSchema.$ref?.split("/").at(-1) ?? "Item", schema: withMembers(api, itemSchema) },
  };
}

/** An object schema with the schema of each member in place of its reference. */
function withMembers(api: ApiDocument, schema: Schema): Schema {
  const { properties = {}, ...own } = api.schema(schema);
  const members = Object.entries(properties).map(([name, member]) => [name, api.schema(member)] as const);
  return { ...own, properties: Object.fromEntries(members) };
}

/** Whether an operation may be repeated safely with a key of the client's own. */
export function takesIdempotencyKey({ parameters }: Operation): boolean {
  return parameters.some(({ name }) => name === "Idempotency-Key");
}

function exampleOf({ example, schema }: Parameter, api: ApiDocument): unknown {
  return example ?? api.schema(schema).enum?.[0];
}
