import type { FailureCode } from "../../domain/failure.ts";
import { failuresOf, type Operation } from "../../operations/operation.ts";
import { FAILURE_TABLE } from "../response/failure-table.ts";

/** The failures that belong to no operation. */
const OUTSIDE_OPERATIONS: readonly FailureCode[] = ["path_not_found", "method_not_allowed", "not_ready"];

/** The codes that a service with these operations may return, in the order of the failure table. */
export function failureCodesOf(operations: readonly Operation[]): FailureCode[] {
  const codes = new Set([...operations.flatMap(failuresOf), ...OUTSIDE_OPERATIONS]);
  return (Object.keys(FAILURE_TABLE) as FailureCode[]).filter((code) => codes.has(code));
}
