import { Failure, type FailureCode, type FailureDetails } from "../../domain/failure.ts";
import { failuresOf, type Operation } from "../../operations/operation.ts";
import { describe, FAILURE_TABLE } from "../response/failure-table.ts";
import { commonHeaders, type HeaderName, headerReferences, VALIDATION_HEADERS } from "./headers.ts";
import { ERROR_REFERENCE, type Json } from "./schemas.ts";

const NOT_MODIFIED = "304";
/** The failures that belong to no operation: of a path or method that the document does not have. */
const UNLISTED: readonly FailureCode[] = ["path_not_found", "method_not_allowed"];
const DEFAULT =
  "Any other error.\n\nThe path or the method is not in this document, or the service is newer than the document. The " +
  "body is an `Error` in any case: treat an unknown `code` like its `status`.";
const OR = new Intl.ListFormat("en-GB", { type: "disjunction" });

/** The responses that say nothing of their operation, each declared once: 304, and every refusal. */
export class SharedResponses {
  /** By status and codes. */
  readonly #names = new Map<string, string>();
  readonly #responses: Record<string, Json> = {};
  readonly #examples: Record<string, Json> = {};

  /** @param operations all operations of the document */
  constructor(operations: readonly Operation[]) {
    // A deprecated operation comes first, since its responses carry headers that others may lack.
    for (const operation of operations.toSorted((a, b) => Number(!a.deprecation) - Number(!b.deprecation))) {
      for (const response of sharedBy(operation)) this.#declare(operation, response);
    }
  }

  /** Those of one operation, by status, as references to components. */
  of(operation: Operation): Json {
    return Object.fromEntries(
      sharedBy(operation).map((response) => [
        response.status,
        { $ref: `#/components/responses/${this.#names.get(keyOf(response))}` },
      ]),
    );
  }

  /** The components that the references lead to. */
  get components(): { readonly responses: Json; readonly examples: Json } {
    return { responses: this.#responses, examples: this.#examples };
  }

  /** If a response of other failures has taken the name, this one is named after its operation too. */
  #declare(operation: Operation, response: SharedResponse): void {
    if (this.#names.has(keyOf(response))) return;
    const taken = nameOf(response);
    const name = taken in this.#responses ? `${taken}Of${pascalCase(operation.id)}` : taken;
    this.#names.set(keyOf(response), name);
    this.#responses[name] =
      response.status === NOT_MODIFIED
        ? describeNotModified(commonHeaders(operation))
        : describeRefusal(response, commonHeaders(operation));
    for (const code of response.codes) this.#examples[code] = exampleOf(code);
  }
}

interface SharedResponse {
  readonly status: string;
  /** The failures that it reports. */
  readonly codes: readonly FailureCode[];
}

function sharedBy(operation: Operation): SharedResponse[] {
  const refusals = Map.groupBy(failuresOf(operation), (code) => `${FAILURE_TABLE[code].status}`);
  return [
    ...(operation.method === "GET" ? [{ status: NOT_MODIFIED, codes: [] }] : []),
    ...Array.from(refusals, ([status, codes]) => ({ status, codes })),
    { status: "default", codes: UNLISTED },
  ];
}

function keyOf({ status, codes }: SharedResponse): string {
  return `${status} ${codes}`;
}

function nameOf({ status, codes }: SharedResponse): string {
  if (status === "default") return "AnyOtherError";
  return pascalCase(codes.length === 1 ? (codes[0] as string) : reasonOf(status));
}

function describeNotModified(common: readonly HeaderName[]): Json {
  return {
    description:
      "Not Modified. The version that the client named in `If-None-Match` is still current. There is no body.",
    headers: headerReferences([...common, "Link", ...VALIDATION_HEADERS]),
  };
}

function describeRefusal({ status, codes }: SharedResponse, common: readonly HeaderName[]): Json {
  const own = codes.flatMap((code) => Object.keys(describe(failureOf(code)).headers) as HeaderName[]);
  return {
    // Client generators use this as the message of an exception, so its first line makes sense by itself.
    description:
      status === "default"
        ? DEFAULT
        : `${reasonOf(status)}.\n\nThe code is ${OR.format(codes.map((code) => `\`${code}\``))}.`,
    headers: headerReferences([...common, "Cache-Control", ...own]),
    content: {
      "application/json": {
        schema: ERROR_REFERENCE,
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

function exampleOf(code: FailureCode): Json {
  const { when, help } = FAILURE_TABLE[code];
  const { message, status } = describe(failureOf(code));
  return { summary: when, description: help, value: { code, message, status } };
}

function failureOf(code: FailureCode): Failure {
  return new Failure(code, FAILURE_TABLE[code].example as FailureDetails[FailureCode]);
}

/** `Bad Request` for 400. */
function reasonOf(status: string): string {
  // Loaded here, since loading it takes longer than loading the rest of the document's code.
  const { STATUS_CODES }: typeof import("node:http") = require("node:http");
  return STATUS_CODES[status] as string;
}

/** `AnimalNotFound` for `animal_not_found`, `BadRequest` for `Bad Request`. */
function pascalCase(words: string): string {
  return words.replace(/(?:^|[ _])([a-z])/gi, (_, letter: string) => letter.toUpperCase());
}
