import { capitalized } from "../parts/capitalized.ts";

/** What a person is told of a field that was left empty, by its member. */
const EMPTY: Readonly<Record<string, string>> = {
  name: "Enter a name.",
  categoryId: "Enter a whole number, the category's id.",
};

/** What the service says about each member of a body, by the member's name; the rest under an empty name. */
export function memberFaults(code: string | undefined, message: string): ReadonlyMap<string, string> {
  const matches = message.replace(/\.$/, "").matchAll(/(?:^|; )`(\w+)` (.+?)(?=; `|$)/g);
  const faults = code === "invalid_body" ? [...matches] : [];
  if (faults.length === 0) return new Map([["", message]]);
  return new Map(
    faults.map(([, name = "", fault = ""]) => [
      name,
      fault.startsWith("is required") && EMPTY[name] ? EMPTY[name] : `${capitalized(fault)}.`,
    ]),
  );
}
