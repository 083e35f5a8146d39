/** Writes a value as JSON, with bigints as numbers to their last digit. */
export function writeJson(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(writeJson).join(",")}]`;
  let members = "";
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    members += `${members && ","}${JSON.stringify(name)}:${writeJson(member)}`;
  }
  return `{${members}}`;
}
