import type { Schema } from "./schema.ts";

/** A parameter of an operation. */
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

/** An operation of an OpenAPI 3.1 document, with its references resolved. */
export interface Declared {
  readonly id: string;
  readonly method: string;
  /** Below the address of the document's server, with its parameters in braces. */
  readonly path: string;
  readonly title: string;
  readonly description: string;
  /** What a key must be allowed to do. */
  readonly scopes: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
  /** Of the body of a success; undefined where there is none. */
  readonly result: Schema | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** Schemas may contain others up to this depth. */
const DEPTH_MAX = 20;

/** The operations of a document. @throws Error if it is no OpenAPI document, or refers to what it does not have */
export function operationsOf(document: unknown): Declared[] {
  const { paths, security } = document as { readonly paths?: Json; readonly security?: readonly Json[] };
  if (typeof paths !== "object") throw new Error("it is no OpenAPI document");
  const found: Declared[] = [];
  for (const [path, item] of Object.entries(paths) as [string, Json][]) {
    const { parameters: shared = [], ...methods } = item;
    for (const [method, value] of Object.entries(methods)) {
      const operation = resolve(value, document) as {
        readonly operationId: string;
        readonly summary?: string;
        readonly description?: string;
        readonly security?: readonly Json[];
        readonly parameters?: readonly Parameter[];
        readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
        readonly responses: Readonly<
          Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
        >;
      };
      const [requirement = {}] = operation.security ?? security ?? [];
      const success = Object.entries(operation.responses).find(([status]) => status.startsWith("2"))?.[1];
      found.push({
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        title: operation.summary ?? operation.operationId,
        description: operation.description ?? operation.summary ?? "",
        scopes: Object.values(requirement).flat() as string[],
        parameters: [...(resolve(shared, document) as readonly Parameter[]), ...(operation.parameters ?? [])],
        body: operation.requestBody?.content["application/json"]?.schema,
        result: success?.content?.["application/json"]?.schema,
      });
    }
  }
  return found;
}

/** A value of a document in which each reference is replaced by what it refers to. */
function resolve(value: unknown, document: unknown, depth = 0): unknown {
  if (depth > DEPTH_MAX) throw new Error("a schema contains itself");
  if (Array.isArray(value)) return value.map((each) => resolve(each, document, depth));
  if (typeof value !== "object" || value === null) return value;
  const { $ref, ...own } = value as Json;
  const members = Object.entries(own).map(([name, each]) => [name, resolve(each, document, depth + 1)]);
  if (typeof $ref !== "string") return Object.fromEntries(members);
  const target = resolve(referredTo($ref, document), document, depth + 1);
  return { ...(target as Json), ...Object.fromEntries(members) };
}

function referredTo(reference: string, document: unknown): unknown {
  const steps = reference.replace(/^#\//, "").split("/");
  const found = steps.reduce<unknown>((at, step) => (at as Json | undefined)?.[step], document);
  if (reference.startsWith("#/") && found !== undefined) return found;
  throw new Error(`it refers to ${reference}, which it does not have`);
}
