import type { Format } from "./format.ts";
import type { Layout } from "./layout.ts";

/** Writes the text of a file piece by piece, with integers exact to the last digit. */
export class RecordWriter<Item> {
  readonly #layout: Layout<Item>;
  readonly #format: Format;
  #count = 0;

  constructor(layout: Layout<Item>, format: Format) {
    this.#layout = layout;
    this.#format = format;
  }

  /** The beginning of the file. */
  begin(): string {
    if (this.#format === "csv") return `${this.#layout.columns.map(({ name }) => name).join(",")}\r\n`;
    return this.#format === "json" ? "[" : "";
  }

  write(items: readonly Item[]): string {
    let text = "";
    for (const item of items) {
      if (this.#format === "csv") text += `${this.#layout.toCsv(item)}\r\n`;
      else if (this.#format === "ndjson") text += `${this.#layout.toJson(item)}\n`;
      else text += `${this.#count++ === 0 ? "" : ","}\n${this.#layout.toJson(item)}`;
    }
    return text;
  }

  /** The end of the file. */
  end(): string {
    return this.#format === "json" ? "\n]\n" : "";
  }
}
