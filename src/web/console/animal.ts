import type { Status } from "../../../client/contract.ts";

export const STATUSES: readonly Status[] = ["available", "pending", "sold"];

/** What the service says of each member of a body, by the member's name; the rest under an empty name. */
export function faultsOf(code: string | undefined, message: string): ReadonlyMap<string, string> {
  if (code !== "invalid_body") return new Map([["", message]]);
  const faults = [...message.replace(/\.$/, "").matchAll(/(?:^|; )`(\w+)` (.+?)(?=; `|$)/g)];
  return faults.length === 0
    ? new Map([["", message]])
    : new Map(faults.map(([, name = "", fault = ""]) => [name, `${capitalized(fault)}.`]));
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
