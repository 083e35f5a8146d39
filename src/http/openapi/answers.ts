import { Failure, type FailureCode, type FailureDetails } from "../../domain/failure.ts";
import { type AnswerDeclaration, failuresOf, type Operation } from "../../operations/operation.ts";
import { describe, FAILURE_TABLE } from "../response/failure-table.ts";
import { BASE_PATH, notAllowed } from "../routes.ts";
import type { HeaderName } from "./headers.ts";
import { ERROR_REFERENCE, type Json, schemaOf } from "./schemas.ts";

const HEADERS = "#/components/headers/";

/**
 * The responses of an operation, by status.
 *
 * @param neighbours the operations on the same path, itself included
 */
export function describeAnswers(
  operation: Operation,
  neighbours: readonly Operation[],
): Record<string, Json> {
  const everyAnswer: HeaderName[] = [
    "X-Request-Id",
    "X-Content-Type-Options",
    "RateLimit-Policy",
    "RateLimit",
    "Access-Control-Allow-Origin",
    "Access-Control-Expose-Headers",
  ];
  if (operation.deprecation) everyAnswer.push("Deprecation", "Sunset", "Link");
  const answers: Record<string, Json> = {};
  for (const [status, answer] of Object.entries(operation.answers)) {
    const headers = [...everyAnswer, ...answer.headers];
    if (operation.method === "GET") {
      headers.push("ETag", "Cache-Control", "Vary");
      answers[304] = { description: NOT_MODIFIED, headers: headerReferences(headers) };
    }
    answers[status] = describeAnswer(answer, headers, operation.streams === true);
  }
  // Loaded here, since loading it takes longer than loading the rest of the document's code.
  const { STATUS_CODES }: typeof import("node:http") = require("node:http");
  const failures = Map.groupBy(failuresOf(operation), (code) => FAILURE_TABLE[code].status);
  for (const [status, codes] of failures) {
    const shown = codes.map((code) => new Failure(code, exampleOf(code, operation)));
    // Client generators use this as the message of an exception, so its first line makes sense by itself.
    const description = `${STATUS_CODES[status]}.\n\n${codes.map((code) => `- \`${code}\`: ${FAILURE_TABLE[code].when}`).join("\n")}`;
    answers[status] = describeFailures(description, shown, everyAnswer);
  }
  answers.default = describeFailures(DEFAULT, unlisted(operation, neighbours), everyAnswer);
  return answers;
}

const DEFAULT =
  "Any other error.\n\nThe path or the method is not in this document, or the service is newer than the document. The " +
  "body is an `Error` in any case: treat an unknown `code` like its `status`.";

/** The errors of a request with a wrong path or method, which belong to no operation. */
function unlisted({ path }: Operation, neighbours: readonly Operation[]): Failure[] {
  const served = neighbours.map(({ method }) => method);
  return [new Failure("path_not_found", { path: `${BASE_PATH}${path}/` }), notAllowed("DELETE", served)];
}

function describeAnswer(answer: AnswerDeclaration, headers: readonly HeaderName[], streams: boolean): Json {
  return {
    description: answer.description,
    headers: headerReferences(headers),
    content: {
      "application/json": { schema: schemaOf(answer.schema), example: answer.example },
      ...(streams && { "text/event-stream": { schema: { type: "string" } } }),
    },
  };
}

function describeFailures(
  description: string,
  failures: readonly Failure[],
  everyAnswer: readonly HeaderName[],
): Json {
  const shown = failures.map(describe);
  const headers = shown.flatMap(({ headers }) => Object.keys(headers) as HeaderName[]);
  return {
    description,
    headers: headerReferences([...everyAnswer, "Cache-Control", ...headers]),
    content: {
      "application/json": {
        schema: ERROR_REFERENCE,
        examples: Object.fromEntries(
          shown.map(({ code, message, status }) => [
            code,
            { description: FAILURE_TABLE[code].help, value: { code, message, status } },
          ]),
        ),
      },
    },
  };
}

/** An example of a failure as this operation would answer it. */
function exampleOf(code: FailureCode, { scope }: Operation): FailureDetails[FailureCode] {
  return code === "insufficient_scope" ? { scope } : FAILURE_TABLE[code].example;
}

function headerReferences(names: readonly HeaderName[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: HEADERS + name }]));
}

const NOT_MODIFIED =
  "Not Modified. The version that the client named in `If-None-Match` is still current. There is no body.";
