import { Caller } from "./caller.ts";
import type { ServiceProcess } from "./program.ts";

/** Sends a create, and tells whether its answer has come. */
export function startCreate(service: ServiceProcess, name: string) {
  let answered = false;
  const answer = new Caller(service).create(name).finally(() => {
    answered = true;
  });
  return { answer, answered: () => answered };
}
