import type { Finding } from "./check.ts";
import { NoAnswer } from "./client.ts";
import { Broke, type Fault, Inconclusive, Wrong } from "./contract-violation.ts";
import { ProgramFailed } from "./program.ts";

/** What is found where a check was ended by an error; undefined where the error is not the service's. */
export function findingOf(error: unknown): Finding | undefined {
  if (error instanceof Inconclusive) {
    return { verdict: "inconclusive", told: [`${error.message}.`, error.advice] };
  }
  const fault = faultOf(error);
  return fault && { verdict: "failed", told: [], fault };
}

/** What broke a promise. */
function faultOf(error: unknown): Fault | undefined {
  if (error instanceof Broke) return error.fault;
  if (error instanceof Wrong) return { expected: "what the contract says", came: error.message };
  if (error instanceof NoAnswer) {
    return { expected: "an answer", came: `none: ${error.message}`, request: error.request };
  }
  if (error instanceof ProgramFailed)
    return { expected: "a program that starts, and does as it is told", came: error.message };
  return undefined;
}
