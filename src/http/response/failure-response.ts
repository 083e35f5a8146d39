import { Failure } from "../../domain/failure.ts";
import type { Operation } from "../../operations/operation.ts";
import { addDeprecation } from "./deprecation.ts";
import { describe } from "./failure-table.ts";
import type { Rendered } from "./rendered.ts";

/** The refusal of requests and responses for which there is no room. */
export const overloaded = new Failure("overloaded", {});

/**
 * Renders a failure as the contract's Error: exactly `code`, `message`, `status`.
 *
 * @param operation the operation that the request names, if any: a deprecated one adds its headers
 */
export function failureResponse(failure: Failure, operation?: Operation): Rendered {
  const { code, message, status, headers: own } = describe(failure);
  // RFC 9111 lets caches store a 404 or 410 by default, though the next request may succeed.
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-store", ...own };
  if (operation) addDeprecation(headers, operation);
  return { status, headers, body: JSON.stringify({ code, message, status }), failure };
}
