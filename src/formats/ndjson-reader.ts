import { JsonError, readJson } from "../domain/json-reader.ts";
import type { Column, Row, RowCheck } from "./layout.ts";
import { type Block, decodeUtf8, type RecordReader, Records } from "./records.ts";

/** Reads JSON objects, one per line. Empty lines are skipped. */
export class NdjsonReader<Item> implements RecordReader<Item> {
  readonly #members: readonly string[];
  readonly #check: RowCheck<Item>;
  #line = 0;

  constructor(columns: readonly Column[], check: RowCheck<Item>) {
    this.#members = columns.map(({ name }) => name);
    this.#check = check;
  }

  *read(block: Block, _last: boolean): Generator<Records<Item>> {
    const { text, encoding } = block;
    let records = new Records<Item>(block);
    for (let start = 0, end = 0; start < text.length; start = end) {
      end = text.indexOf("\n", start) + 1 || text.length;
      this.#line++;
      const raw = text.slice(start, end);
      if (raw.trim() === "") continue;
      const line = encoding === "utf8" ? raw : decodeUtf8(raw);
      const outcome = line === undefined ? "is not UTF-8" : this.#readLine(line.trimEnd());
      records.add(outcome, this.#line, start, end);
      if (records.isFull) {
        yield records;
        records = new Records(block);
      }
    }
    yield records;
  }

  /** A file without lines is valid and has no items. */
  end(): void {}

  #readLine(line: string): Item | string {
    try {
      const value = readJson(line, "line");
      if (typeof value !== "object" || value === null || Array.isArray(value)) return "is not a JSON object";
      for (const member in value) {
        // A request may have unknown members; in a file an unknown member is a typing error that would lose data.
        if (!this.#members.includes(member)) {
          return `has the member ${JSON.stringify(member)}; the members are ${this.#members.join(", ")}`;
        }
      }
      return this.#check(value as Row);
    } catch (error) {
      if (error instanceof JsonError) return error.message;
      throw error;
    }
  }
}
