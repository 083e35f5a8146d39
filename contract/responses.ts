import { parseExact } from "./animal.ts";
import { ContractViolation } from "./contract-violation.ts";
import { ALL_OPERATIONS, type OperationId } from "./operations.ts";

/** What a response must fit, apart from its status. */
interface Asked {
  readonly method: string | undefined;
  /** The `X-Request-Id` that was sent. */
  readonly requestId: string | null | undefined;
  readonly operation: OperationId | undefined;
}

/**
 * Checks what every response must have, whatever the request.
 *
 * @param body of the response, decoded
 * @returns the Error of a refusal with a body; `undefined` for any other response
 * @throws ContractViolation
 */
export function checkResponse(
  { method, requestId, operation }: Asked,
  { status, headers }: { readonly status: number; readonly headers: Headers },
  body: Buffer,
): ContractError | undefined {
  const isHead = method === "HEAD";
  const id = headers.get("x-request-id") ?? "";
  const isValid = /^[\x21-\x7e]{1,128}$/;
  const isKept = requestId != null && isValid.test(requestId);
  if (!isValid.test(id) || (id === requestId) !== isKept)
    throw new ContractViolation(
      `the X-Request-Id is ${JSON.stringify(id)}, and ${requestId ?? "none"} was sent`,
    );
  if (headers.get("x-content-type-options") !== "nosniff")
    throw new ContractViolation("X-Content-Type-Options is missing");
  if (headers.get("date") === null) throw new ContractViolation("Date is missing");
  if ((isHead || status === 304) && body.length > 0)
    throw new ContractViolation("there is a body where none may be");
  for (const [condition, name, value] of required(operation, status)) {
    const found = headers.get(name);
    if (condition && (found === null || !value.test(found)))
      throw new ContractViolation(`${name} is ${found === null ? "missing" : JSON.stringify(found)}`);
  }
  return status >= 400 && !isHead ? errorOf(status, headers, body) : undefined;
}

function required(
  operation: OperationId | undefined,
  status: number,
): readonly (readonly [boolean, string, RegExp])[] {
  const { method, creates, isDeprecated } = ALL_OPERATIONS.find(({ id }) => id === operation) ?? {};
  const hasEntity = method === "GET" && (status === 200 || status === 304);
  const deprecated = isDeprecated === true;
  return [
    [status === 401, "WWW-Authenticate", /^Bearer$/],
    [status === 403, "WWW-Authenticate", /^Bearer error="insufficient_scope", scope="[a-z:]+"$/],
    [status === 405, "Allow", /\S/],
    [status === 429 || status === 503, "Retry-After", /^[1-9][0-9]*$/],
    [hasEntity, "ETag", /^(?:W\/)?"[\x21\x23-\x7e]+"$/],
    [hasEntity, "Cache-Control", /^private, no-cache$/],
    ...(creates ? [[status === 201, "Location", creates] as const] : []),
    [status === 200 && operation !== undefined, "Content-Type", /^application\/json$/],
    // RFC 9745, RFC 8594: on every response of the deprecated operation.
    [deprecated, "Deprecation", /^@1764892800$/],
    [deprecated, "Sunset", /^Thu, 05 Dec 2030 00:00:00 GMT$/],
    [deprecated, "Link", /<[^>]*\/pets>; rel="successor-version"/],
  ];
}

interface ContractError {
  readonly code: string;
  readonly message: string;
}

/**
 * The code of an Error: an object of exactly three members.
 *
 * @throws ContractViolation
 */
export function errorOf(status: number, headers: Headers, body: Buffer): ContractError {
  if (headers.get("content-type") !== "application/json") throw new ContractViolation("an Error is not JSON");
  const error = parseExact(body) as Record<string, unknown>;
  const members = Object.keys(error).sort().join(", ");
  if (members !== "code, message, status") throw new ContractViolation(`an Error has the members ${members}`);
  const { code, message } = error;
  if (error.status !== BigInt(status))
    throw new ContractViolation(`an Error of ${status} says ${error.status}`);
  if (typeof message !== "string" || message === "") throw new ContractViolation("an Error has no message");
  if (typeof code !== "string" || !/^[a-z]+(?:_[a-z]+)*$/.test(code))
    throw new ContractViolation(`an Error has the code ${code}`);
  return { code, message };
}
