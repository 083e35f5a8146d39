import { JsonError, readJson } from "../domain/json-reader.ts";
import type { RowCheck } from "./animal-row.ts";
import { COLUMNS } from "./format.ts";
import { type Block, decodeUtf8, type RecordReader, type Records } from "./records.ts";

/** Reads animals from JSON objects, one per line. Empty lines are skipped. */
export class NdjsonReader implements RecordReader {
  readonly #check: RowCheck;
  #line = 0;

  constructor(check: RowCheck) {
    this.#check = check;
  }

  read({ text, encoding }: Block, _last: boolean): Records {
    const records: Records = { animals: [], lines: [], bad: [], unread: 0 };
    for (let start = 0, end = 0; start < text.length; start = end) {
      end = text.indexOf("\n", start) + 1 || text.length;
      this.#line++;
      const raw = text.slice(start, end);
      if (raw.trim() === "") continue;
      const line = encoding === "utf8" ? raw : decodeUtf8(raw);
      const outcome = line === undefined ? "is not UTF-8" : readLine(line.trimEnd(), this.#check);
      if (typeof outcome === "string") {
        records.bad.push({ line: this.#line, problem: outcome, raw: Buffer.from(raw, encoding) });
      } else {
        records.animals.push(outcome);
        records.lines.push(this.#line);
      }
    }
    return records;
  }

  /** A file without lines is valid: it has no animals. */
  end(): void {}
}

function readLine(line: string, check: RowCheck) {
  try {
    const value = readJson(line, "line");
    if (typeof value !== "object" || value === null || Array.isArray(value)) return "is not a JSON object";
    for (const member in value) {
      // A request may have unknown members; in a file an unknown member is a typing error that would lose data.
      if (!COLUMNS.some((column) => column === member)) {
        return `has the member ${JSON.stringify(member)}; the members are ${COLUMNS.join(", ")}`;
      }
    }
    return check(value);
  } catch (error) {
    if (error instanceof JsonError) return error.message;
    throw error;
  }
}
