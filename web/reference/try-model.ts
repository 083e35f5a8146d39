import type { ApiDocument, Operation } from "../model/document.ts";
import { printExact } from "../model/exact-json.ts";

/** What the form for calling an operation needs: it goes into the page as JSON. */
export interface TryModel {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly TryParameter[];
  readonly body:
    | { readonly mediaType: string; readonly text: string; readonly members: readonly TryMember[] }
    | undefined;
  readonly isDeprecated: boolean;
}

/** A member of a body. */
export interface TryMember {
  readonly name: string;
  /** The values that it may have, if the document lists them. */
  readonly values: readonly string[] | undefined;
  /** Whether it is a string: what is typed is then no number. */
  readonly isText: boolean;
}

export interface TryParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  /** The values that it may have, if the document lists them. */
  readonly values: readonly string[] | undefined;
  readonly example: string;
}

export function tryModel(
  { id, method, path, parameters, body, isDeprecated }: Operation,
  api: ApiDocument,
): TryModel {
  return {
    id,
    method,
    path,
    isDeprecated,
    parameters: parameters.map((parameter) => ({
      name: parameter.name,
      in: parameter.in,
      required: parameter.required,
      values: api.schema(parameter.schema).enum?.map(String),
      example: parameter.example === undefined ? "" : String(parameter.example),
    })),
    body: body && {
      mediaType: body.mediaTypes[0],
      text: body.examples[0] ? printExact(body.examples[0].value) : "{}",
      members: Object.entries(api.schema(body.schema).properties ?? {}).map(([name, member]) => {
        const { type, enum: values } = api.schema(member);
        return { name, values: values?.map(String), isText: type === "string" };
      }),
    },
  };
}
