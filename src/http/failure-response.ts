import type { Failure } from "../domain/failure.ts";
import { describe } from "./failure-table.ts";
import type { Rendered } from "./rendered.ts";

/** Renders a failure as the contract's Error: exactly `code`, `message`, `status`. */
export function failureResponse(failure: Failure): Rendered {
  const { code, message, status, headers } = describe(failure);
  return {
    status,
    // RFC 9111 lets caches keep a 404 or a 410 that says nothing: the next one may be answered.
    headers: { "Content-Type": "application/json", "Cache-Control": "no-store", ...headers },
    body: JSON.stringify({ code, message, status }),
    failure,
  };
}
