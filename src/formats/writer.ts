import type { Animal } from "../domain/animal.ts";
import { COLUMNS, type Format } from "./format.ts";

/** Writes the text of a file of animals piece by piece, with integers exact to the last digit. */
export class AnimalWriter {
  readonly #format: Format;
  #count = 0;

  constructor(format: Format) {
    this.#format = format;
  }

  /** The beginning of the file. */
  begin(): string {
    if (this.#format === "csv") return `${COLUMNS.join(",")}\r\n`;
    return this.#format === "json" ? "[" : "";
  }

  write(animals: readonly Animal[]): string {
    let text = "";
    for (const animal of animals) {
      if (this.#format === "csv") text += `${csvRow(animal)}\r\n`;
      else if (this.#format === "ndjson") text += `${jsonObject(animal)}\n`;
      else text += `${this.#count++ === 0 ? "" : ","}\n${jsonObject(animal)}`;
    }
    return text;
  }

  /** The end of the file. */
  end(): string {
    return this.#format === "json" ? "\n]\n" : "";
  }
}

function jsonObject({ id, name, categoryId, status }: Animal): string {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
}

/** A record of RFC 4180, with quotes only around a field that needs them. */
function csvRow({ id, name, categoryId, status }: Animal): string {
  const field = /[",\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
  return `${id},${field},${categoryId},${status}`;
}
