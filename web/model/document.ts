import { parseExact } from "./exact-json.ts";
import { UNKNOWN_BASE } from "./unknown-base.ts";

/** A JSON Schema, as far as the document uses it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly examples?: readonly unknown[];
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

interface Example {
  readonly summary?: string;
  readonly description?: string;
  readonly value: unknown;
}

interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Example>>;
}

export interface HeaderText {
  readonly name: string;
  readonly description: string;
}

export interface Response {
  /** Three digits, or `default`. */
  readonly status: string;
  readonly description: string;
  readonly headers: readonly string[];
  readonly content: Content | undefined;
}

interface Body {
  /** The first is the default. */
  readonly mediaTypes: readonly [string, ...string[]];
  readonly description: string;
  readonly schema: Schema;
  readonly examples: readonly Example[];
}

type Stability = "stable" | "beta" | "experimental";

export interface Operation {
  readonly id: string;
  readonly method: string;
  /** Below the base address, with parameters in braces. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly stability: Stability;
  readonly scopes: readonly string[];
  /** The day on which a deprecated operation will be removed, for example `2030-12-05`. */
  readonly sunset: string | undefined;
  readonly isDeprecated: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
  readonly responses: readonly Response[];
}

interface Server {
  readonly url: string;
  /** The name of its environment. */
  readonly description: string;
}

/** The OpenAPI document with its references resolved, as far as pages show it. */
export interface ApiDocument {
  readonly title: string;
  readonly version: string;
  readonly summary: string;
  /** Markdown. */
  readonly description: string;
  readonly servers: readonly Server[];
  /** The base address that samples call, without a slash at its end. */
  readonly base: string;
  readonly operations: readonly Operation[];
  /** The objects that requests and responses hold, by name. */
  readonly objects: readonly { readonly name: string; readonly schema: Schema }[];
  /** Every header of a response, by its name. */
  readonly headers: readonly HeaderText[];
  /** The headers that every response of every operation may carry. */
  readonly sharedHeaders: ReadonlySet<string>;
  schema(schema: Schema): Schema;
}

// biome-ignore lint/suspicious/noExplicitAny: the document was made by this program, and its shape is tested there.
type Json = any;

/** Reads the OpenAPI document that this service serves, in the environment that it runs in. */
export function readDocument(text: string, environment: string): ApiDocument {
  const json = parseExact(text) as Json;
  const resolve = (value: Json): Json => {
    if (value?.$ref === undefined) return value;
    const { $ref, ...own } = value;
    const found = ($ref as string)
      .split("/")
      .slice(1)
      .reduce((at, name) => at[name], json);
    return { ...found, ...own };
  };
  const operations = Object.entries(json.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Json).map(([method, operation]) =>
      readOperation(path, method.toUpperCase(), operation, resolve),
    ),
  );
  const everyResponse = operations.flatMap(({ responses }) =>
    responses.map(({ headers }) => new Set(headers)),
  );
  const { info, servers, components } = json;
  return {
    title: info.title,
    version: info.version,
    summary: info.summary,
    description: info.description,
    servers,
    base: baseOf(servers, environment),
    operations,
    objects: Object.entries(components.schemas as Record<string, Schema>)
      .filter(([name, { type }]) => type === "object" && !/(Input|Update)$/.test(name))
      .map(([name, schema]) => ({ name, schema })),
    headers: Object.entries(components.headers).map(([name, header]) => ({
      name,
      description: (header as Json).description,
    })),
    sharedHeaders: everyResponse.reduce((shared, headers) => shared.intersection(headers)),
    schema: resolve,
  };
}

/**
 * The base address of this environment. A service that listens on every address does not know it, and the document names
 * a path then: samples show an address in its place, which the page's script replaces with the page's own.
 */
function baseOf(servers: readonly Server[], environment: string): string {
  const own = servers.find(({ description }) => description.toLowerCase() === environment) ?? servers[0];
  const url = own?.url.replace(/\/$/, "") ?? "";
  return URL.canParse(url) ? url : UNKNOWN_BASE;
}

/** Headers of deprecated operations only: other operations share the responses that declare them. */
const OF_DEPRECATION = ["Deprecation", "Sunset"];

function readOperation(path: string, method: string, json: Json, resolve: (value: Json) => Json): Operation {
  const [content] = Object.values((json.requestBody?.content ?? {}) as Json);
  return {
    id: json.operationId,
    method,
    path,
    tag: json.tags[0],
    summary: json.summary,
    description: json.description,
    stability: json["x-stability"],
    scopes: json.security.flatMap((requirement: Json) => Object.values(requirement).flat()),
    sunset: json["x-deprecated-sunset"],
    isDeprecated: json.deprecated === true,
    parameters: json.parameters.map(resolve),
    body: content
      ? {
          mediaTypes: Object.keys(json.requestBody.content) as [string, ...string[]],
          description: json.requestBody.description,
          schema: (content as Content).schema,
          examples: Object.values((content as Content).examples ?? {}),
        }
      : undefined,
    responses: Object.entries(json.responses as Json).map(([status, reference]) => {
      const response = resolve(reference);
      return {
        status,
        description: response.description,
        headers: Object.keys(response.headers ?? {}).filter(
          (name) => json.deprecated || !OF_DEPRECATION.includes(name),
        ),
        content: withExamples(response.content?.["application/json"], resolve),
      };
    }),
  };
}

function withExamples(content: Content | undefined, resolve: (value: Json) => Json): Content | undefined {
  if (!content?.examples) return content;
  const examples = Object.entries(content.examples).map(([name, example]) => [name, resolve(example)]);
  return { ...content, examples: Object.fromEntries(examples) };
}

/** The codes of Errors that a response may carry. */
export function codesOf({ status, content }: Response): readonly string[] {
  return status.startsWith("2") || !content?.examples ? [] : Object.keys(content.examples);
}
