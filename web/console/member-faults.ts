import { capitalized } from "../parts/capitalized.ts";
import { FIELDS, type MemberName } from "./members.ts";

/** What the service says about each member of a body, by the member's name; the rest under an empty name. */
export function memberFaults(code: string | undefined, message: string): ReadonlyMap<string, string> {
  const matches = message.replace(/\.$/, "").matchAll(/(?:^|; )`(\w+)` (.+?)(?=; `|$)/g);
  const faults = code === "invalid_body" ? [...matches] : [];
  if (faults.length === 0) return new Map([["", message]]);
  return new Map(
    faults.map(([, name = "", fault = ""]) => {
      const whenEmpty = fault.startsWith("is required") ? FIELDS[name as MemberName]?.whenEmpty : undefined;
      return [name, whenEmpty ?? `${capitalized(fault)}.`];
    }),
  );
}
