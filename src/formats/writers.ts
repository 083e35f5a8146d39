import type { Animal } from "../domain/animal.ts";
import { COLUMNS, type Format } from "./format.ts";

/** What a file begins with. */
export function headOf(format: Format): string {
  return format === "csv" ? `${COLUMNS.join(",")}\r\n` : "";
}

/** Writes animals as a part of a file: integers to their last digit. */
export function writeAnimals(animals: readonly Animal[], format: Format): string {
  let text = "";
  for (const { id, name, categoryId, status } of animals) {
    text +=
      format === "csv"
        ? `${id},${quoted(name)},${categoryId},${status}\r\n`
        : `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}\n`;
  }
  return text;
}

/** As RFC 4180 has it: in quotes only where it must be. */
function quoted(field: string): string {
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
