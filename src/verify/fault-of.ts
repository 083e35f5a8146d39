import { NoAnswer } from "./client.ts";
import { ProgramFailed } from "./program.ts";
import { Broke, type Fault, Wrong } from "./wrong.ts";

/** What broke a promise; undefined where the fault is not the service's. */
export function faultOf(error: unknown): Fault | undefined {
  if (error instanceof Broke) return error.fault;
  if (error instanceof Wrong) return { expected: "what the contract says", came: error.message };
  if (error instanceof NoAnswer) {
    return { expected: "an answer", came: `none: ${error.message}`, request: error.request };
  }
  if (error instanceof ProgramFailed)
    return { expected: "a program that starts, and does as it is told", came: error.message };
  return undefined;
}
