/** What the generators of `client/` read of an OpenAPI document. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses?: Readonly<Record<string, Response>>;
    readonly examples?: Examples;
  };
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
}

interface Response {
  readonly $ref?: string;
  readonly content?: Content;
}

interface Parameter {
  readonly name?: string;
  readonly in?: string;
  readonly description?: string;
  readonly schema?: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema; readonly examples?: Examples }>>;
type Examples = Readonly<Record<string, { readonly description?: string; readonly value?: unknown }>>;

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly maximum?: number;
  readonly examples?: readonly unknown[];
  readonly description?: string;
  readonly "x-extensible-enum"?: readonly string[];
}

/** Every operation, with its place, and with the components of the document in place of references to responses. */
export function operationsOf({
  paths,
  components,
}: OpenApi): { readonly path: string; readonly method: string; readonly operation: OpenApiOperation }[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses, ...operation }]) => ({
      path,
      method: method.toUpperCase(),
      operation: { ...operation, responses: withComponents(responses, components.responses) },
    })),
  );
}

function withComponents(
  responses: OpenApiOperation["responses"],
  components: OpenApi["components"]["responses"] = {},
): OpenApiOperation["responses"] {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      response.$ref ? (components[nameOfRef(response.$ref)] ?? {}) : response,
    ]),
  );
}

/** `Animal` of `#/components/schemas/Animal`. */
export function nameOfRef(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}
