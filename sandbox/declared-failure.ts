import { Failure, type FailureCode } from "../src/domain/failure.ts";
import { FAILURE_TABLE } from "../src/http/response/failure-table.ts";
import { failuresOf, type Operation } from "../src/operations/operation.ts";
import type { DeclaredStatus } from "./faults.ts";

/** Of the failures with one status, those that clients meet most come first. */
const USUAL: ReadonlySet<FailureCode> = new Set([
  "invalid_body",
  "invalid_parameter",
  "unsupported_media_type",
]);
/** A number in a path is the id of what the request names. */
const ID = /\/(\d+)(?:\?|$)/;

/** The failure with this status that an operation declares, as the service would report it; `undefined` if it declares none. */
export function declaredFailure(
  status: DeclaredStatus,
  operation: Operation,
  target: string,
): Failure | undefined {
  const declared = failuresOf(operation).filter((code) => FAILURE_TABLE[code].status === Number(status));
  const code = declared.find((each) => USUAL.has(each)) ?? declared[0];
  if (code === undefined) return undefined;
  const detail = { ...FAILURE_TABLE[code].example, ...detailsOf(code, operation, target) };
  return new Failure(code, detail as (typeof FAILURE_TABLE)[typeof code]["example"]);
}

/** What the failure says of this request, in place of the documents' example. */
function detailsOf(code: FailureCode, { scope, deprecation }: Operation, target: string): object {
  const id = ID.exec(target)?.[1];
  switch (code) {
    case "insufficient_scope":
      return { scope };
    case "operation_removed":
      return deprecation ? { removedOn: deprecation.sunset, instead: deprecation.instead } : {};
    case "animal_not_found":
    case "order_not_found":
      return id === undefined ? {} : { id };
    default:
      return {};
  }
}
