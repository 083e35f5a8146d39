import type { Failure } from "../../domain/failure.ts";
import type { Operation } from "../../operations/operation.ts";
import { addDeprecation } from "./deprecation.ts";
import { describe } from "./failure-table.ts";
import type { Rendered } from "./rendered.ts";

/**
 * Renders a failure as the contract's Error: exactly `code`, `message`, `status`.
 *
 * @param operation the one that was asked for, as far as the request leads to one
 */
export function failureResponse(failure: Failure, operation?: Operation): Rendered {
  const { code, message, status, headers: own } = describe(failure);
  // RFC 9111 lets caches keep a 404 or a 410 that says nothing: the next one may be answered.
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-store", ...own };
  if (operation) addDeprecation(headers, operation);
  return { status, headers, body: JSON.stringify({ code, message, status }), failure };
}
