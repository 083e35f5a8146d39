import { NOT_CLOSED, splitRecord } from "../../csv/record.ts";
import { int64FromJsonNumber } from "../domain/int64.ts";
import { UnreadableFile } from "./format.ts";
import type { Column, RowCheck } from "./layout.ts";
import { type Block, decodeUtf8, RECORD_MAX_BYTES, type RecordReader, Records } from "./records.ts";

const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/**
 * Reads CSV (RFC 4180). The first line names the columns in any order. Lines end with CRLF or LF. After a record with
 * misplaced quotes, reading continues with the next line: one stray quote must not swallow the records after it.
 */
export class CsvReader<Item> implements RecordReader<Item> {
  readonly #known: readonly Column[];
  readonly #check: RowCheck<Item>;
  /** The columns that the first line names. */
  #columns: readonly Column[] | undefined;
  /** The number of the line at which the next record begins. */
  #line = 1;

  /** @param columns that a file may have */
  constructor(columns: readonly Column[], check: RowCheck<Item>) {
    this.#known = columns;
    this.#check = check;
  }

  *read(block: Block, last: boolean): Generator<Records<Item>> {
    const { text, encoding } = block;
    let records = new Records<Item>(block);
    let at = 0;
    while (at < text.length) {
      const start = at;
      const record = splitRecord(text, start);
      // A record that is not the first of its block is read again as the first of the next block.
      if (record === NOT_CLOSED && !last && (start > 0 || isShort(block))) break;
      const line = this.#line;
      const isSplit = typeof record === "object";
      if (!isSplit && this.#columns === undefined) {
        throw new UnreadableFile(`does not name its columns, since its first line ${record}`);
      }
      at = isSplit ? record.end : text.indexOf("\n", start) + 1 || text.length;
      this.#line += isSplit ? record.lines : 1;
      const outcome = isSplit ? this.#take(record.fields, encoding) : record;
      if (outcome !== undefined) records.add(outcome, line, start, at);
      if (records.isFull) {
        yield records;
        records = new Records(block);
      }
    }
    records.unread = text.length - at;
    yield records;
  }

  end(): void {
    if (this.#columns === undefined) {
      const example = this.#known.filter(({ name }) => name !== "id").map(({ name }) => name);
      throw new UnreadableFile(
        `is empty; its first line must name the columns, for example ${example.join(",")}`,
      );
    }
  }

  /** Returns an item, a text that says what is wrong, or nothing for the header and for empty lines. */
  #take(written: readonly string[], encoding: Block["encoding"]) {
    if (written.length === 1 && written[0] === "") return undefined;
    const fields = encoding === "utf8" ? written : written.map(decodeUtf8);
    if (this.#columns === undefined) {
      this.#columns = readHeader(fields, this.#known);
      return undefined;
    }
    if (fields.length !== this.#columns.length) {
      return `has ${fields.length === 1 ? "1 field" : `${fields.length} fields`}, but the first line names ${this.#columns.length} columns`;
    }
    const row: Record<string, unknown> = {};
    for (const [index, { name, type, emptyIsValue }] of this.#columns.entries()) {
      const field = fields[index];
      if (field === undefined) return "is not UTF-8";
      // CSV cannot leave a field out, so an empty field means none, except where that would hide a mistake.
      if (field !== "") row[name] = type === "text" ? field : readInteger(field);
      else if (emptyIsValue) row[name] = field;
    }
    return this.#check(row);
  }
}

function isShort({ text, encoding }: Block): boolean {
  return Buffer.byteLength(text, encoding) < RECORD_MAX_BYTES;
}

function readHeader(fields: readonly (string | undefined)[], columns: readonly Column[]): Column[] {
  const known = `the columns are ${columns.map(({ name }) => name).join(", ")}, in any order`;
  const found = fields.map((field) => columns.find(({ name }) => name === field));
  const unknown = fields[found.indexOf(undefined)];
  if (fields.includes(undefined)) throw new UnreadableFile("is not UTF-8 in its first line");
  if (unknown !== undefined) {
    const shown = JSON.stringify(unknown.length > 60 ? `${unknown.slice(0, 60)}…` : unknown);
    throw new UnreadableFile(`names the column ${shown} in its first line; ${known}`);
  }
  const twice = fields.find((field, index) => fields.indexOf(field) !== index);
  if (twice !== undefined) throw new UnreadableFile(`names the column ${twice} twice in its first line`);
  const missing = columns.find(({ name, required }) => required && !fields.includes(name));
  if (missing !== undefined) {
    throw new UnreadableFile(`does not name the column ${missing.name} in its first line; ${known}`);
  }
  return found as Column[];
}

/** Reads an integer as JSON would, so that the interface's rules apply; any other text is returned unchanged. */
function readInteger(field: string): bigint | string {
  return (JSON_NUMBER.test(field) ? int64FromJsonNumber(field) : undefined) ?? field;
}
