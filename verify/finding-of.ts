import { NoResponse } from "../contract/client.ts";
import {
  BrokenPromise,
  ContractViolation,
  type Failure,
  Inconclusive,
} from "../contract/contract-violation.ts";
import type { Finding, Outcome } from "./check.ts";
import { ProgramFailed } from "./program.ts";

/**
 * Runs a check to its end.
 *
 * @throws an error that says nothing about the service
 */
export async function outcomeOf(
  { name, promise }: { readonly name: string; readonly promise: string },
  find: () => Promise<Finding>,
): Promise<Outcome> {
  const began = performance.now();
  const finding = await find().catch((error) => {
    const found = findingOf(error);
    if (!found) throw error;
    return found;
  });
  return { name, promise, ...finding, seconds: (performance.now() - began) / 1000 };
}

/** The finding of a check that ended with an error; `undefined` if the error is not the service's. */
export function findingOf(error: unknown): Finding | undefined {
  if (error instanceof Inconclusive)
    return { verdict: "inconclusive", details: [`${error.message}.`, error.advice] };
  const failure = failureOf(error);
  return failure && { verdict: "failed", details: [], failure };
}

/** How a promise was broken. */
function failureOf(error: unknown): Failure | undefined {
  if (error instanceof BrokenPromise) return error.failure;
  if (error instanceof ContractViolation)
    return { expected: "what the contract says", actual: error.message };
  if (error instanceof NoResponse) {
    return { expected: "a response", actual: `none: ${error.message}`, request: error.request };
  }
  if (error instanceof ProgramFailed)
    return { expected: "a program that starts, and commands that succeed", actual: error.message };
  return undefined;
}
