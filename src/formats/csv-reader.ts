import { int64FromJsonNumber } from "../domain/int64.ts";
import { UnreadableFile } from "./format.ts";
import type { Column, RowCheck } from "./layout.ts";
import { type Block, decodeUtf8, RECORD_MAX_BYTES, type RecordReader, Records } from "./records.ts";

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;
const COMMA = 0x2c;

/** Most numbers match this, and need no closer look. */
const PLAIN_INTEGER = /^(?:0|-?[1-9][0-9]{0,17})$/;
const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

const STRAY_QUOTE = "has a quote in an unquoted field; put the field in quotes and double each quote in it";
const AFTER_QUOTE =
  "has something other than a comma after a closing quote; double each quote inside a field";
const NOT_CLOSED = "opens a quote and never closes it";
const STRAY_RETURN = "has a carriage return outside quotes, which does not end a line by itself";

/**
 * Reads CSV (RFC 4180). The first line names the columns in any order. Lines end with CRLF or LF. After a
 * record with misplaced quotes, reading continues with the next line: one stray quote must not swallow the records
 * after it.
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

  read(block: Block, last: boolean): Records<Item> {
    const { text, encoding } = block;
    const records = new Records<Item>(block);
    let at = 0;
    while (at < text.length) {
      const start = at;
      const record = splitRecord(text, start);
      if (record === "open" && !last && text.length - start < RECORD_MAX_BYTES) break;
      const end = text.indexOf("\n", start) + 1 || text.length;
      at = typeof record === "object" ? record.end : end;
      const line = this.#line;
      this.#line += typeof record === "object" ? record.lines : 1;
      const outcome = typeof record === "object" ? this.#take(record.fields, encoding) : problemOf(record);
      if (outcome !== undefined) records.add(outcome, line, start, at);
    }
    records.unread = text.length - at;
    return records;
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
  if (PLAIN_INTEGER.test(field)) return BigInt(field);
  return (JSON_NUMBER.test(field) ? int64FromJsonNumber(field) : undefined) ?? field;
}

interface Split {
  readonly fields: readonly string[];
  /** Where the next record begins. */
  readonly end: number;
  /** How many lines it takes. */
  readonly lines: number;
}

type Mistake = "open" | "stray quote" | "after quote" | "stray return";

function problemOf(mistake: Mistake): string {
  switch (mistake) {
    case "open":
      return NOT_CLOSED;
    case "stray quote":
      return STRAY_QUOTE;
    case "after quote":
      return AFTER_QUOTE;
    case "stray return":
      return STRAY_RETURN;
  }
}

/** Splits the record that begins at `start`. Most records have no quotes, and a plain split is enough. */
function splitRecord(text: string, start: number): Split | Mistake {
  const feed = text.indexOf("\n", start);
  const end = feed < 0 ? text.length : feed;
  const line = text.slice(
    start,
    feed > start && text.charCodeAt(feed - 1) === CARRIAGE_RETURN ? feed - 1 : end,
  );
  if (line.includes('"')) return splitQuoted(text, start);
  if (line.includes("\r")) return "stray return";
  return { fields: line.split(","), end: feed < 0 ? end : feed + 1, lines: 1 };
}

function splitQuoted(text: string, start: number): Split | Mistake {
  const fields: string[] = [];
  let lines = 1;
  for (let at = start; ; at++) {
    if (text.charCodeAt(at) === QUOTE) {
      const close = closingQuote(text, at);
      if (close < 0) return "open";
      const field = text.slice(at + 1, close);
      lines += countLines(field);
      fields.push(field.replaceAll('""', '"'));
      at = close + 1;
    } else {
      const end = endOfPlain(text, at);
      if (text.charCodeAt(end) === QUOTE) return "stray quote";
      fields.push(text.slice(at, end));
      at = end;
    }
    const unit = text.charCodeAt(at);
    if (at >= text.length || unit === LINE_FEED) return { fields, end: Math.min(at + 1, text.length), lines };
    if (unit === CARRIAGE_RETURN) {
      return text.charCodeAt(at + 1) === LINE_FEED ? { fields, end: at + 2, lines } : "stray return";
    }
    if (unit !== COMMA) return "after quote";
  }
}

/** The position of the quote that closes the one at `open`; two quotes in a row stand for one quote. */
function closingQuote(text: string, open: number): number {
  for (let at = open + 1; ; at += 2) {
    at = text.indexOf('"', at);
    if (at < 0 || text.charCodeAt(at + 1) !== QUOTE) return at;
  }
}

function endOfPlain(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === COMMA || unit === LINE_FEED || unit === CARRIAGE_RETURN || unit === QUOTE) return at;
  }
  return text.length;
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
