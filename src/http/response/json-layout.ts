import { writeJson } from "../../domain/json-writer.ts";

/** Writes JSON for people, indented by two spaces, with bigints as numbers to their last digit. */
export function layOutJson(value: unknown, margin = ""): string {
  const inner = `${margin}  `;
  if (Array.isArray(value) && value.length > 0) {
    return `[\n${value.map((each) => inner + layOutJson(each, inner)).join(",\n")}\n${margin}]`;
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    if (members.length > 0) {
      const lines = members.map(
        ([name, member]) => `${inner}${JSON.stringify(name)}: ${layOutJson(member, inner)}`,
      );
      return `{\n${lines.join(",\n")}\n${margin}}`;
    }
  }
  return writeJson(value);
}
