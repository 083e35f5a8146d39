import type { FailureCode } from "../../domain/failure.ts";
import type { KnownResponses, RequestOutcome } from "../../observations/request-observer.ts";
import { failuresOf, type Operation } from "../../operations/operation.ts";
import { BASE_PATH } from "../request/routes.ts";
import { FAILURE_TABLE } from "./failure-table.ts";

/** What a service with these operations is known to answer, before the first request. */
export function knownResponses(operations: readonly Operation[]): KnownResponses {
  return {
    failures: Object.keys(FAILURE_TABLE) as FailureCode[],
    outcomes: operations.flatMap((operation): RequestOutcome[] => {
      const { id, method, path, responses } = operation;
      const request = { method, route: BASE_PATH + path, operation: id, abandoned: false };
      return [
        ...Object.keys(responses).map((status) => ({
          ...request,
          status: Number(status),
          failure: undefined,
        })),
        ...failuresOf(operation)
          .map((failure) => ({ ...request, status: FAILURE_TABLE[failure].status, failure }))
          .filter(({ status }) => status >= 500),
      ];
    }),
  };
}
