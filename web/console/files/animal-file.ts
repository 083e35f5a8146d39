import { splitRecord } from "../../../csv/record.ts";
import { FIELDS, MEMBER_NAMES, type MemberName } from "../members.ts";
import { numberOrText } from "../number-or-text.ts";
import { faultOfField } from "./field-faults.ts";

/** A row of a file: an animal as the body of a request, or what is wrong. */
export interface AnimalRow {
  /** The line at which it begins. */
  readonly line: number;
  /** The row as it stands in the file, without its line end. */
  readonly text: string;
  /** One for each column, unless the row cannot be split. */
  readonly fields: readonly string[];
  readonly body: string | undefined;
  readonly fault: string;
}

/** A file of which no row can be read; the message says why. */
export class UnreadableFile extends Error {}

export type Column = "id" | MemberName;
const COLUMNS: readonly Column[] = ["id", ...MEMBER_NAMES];

/** What a file of rejects says before each row. A name that begins so is an animal where it stands in quotes. */
const REMARK = /# line \d+: [^\n]*\n?/y;

/** What a spreadsheet's own files begin with: they are ZIP archives. */
const ARCHIVE = "PK\u0003\u0004";

/**
 * Reads CSV as `animal-store import` does: UTF-8, with or without a byte order mark; the first line names the columns. It
 * finds what the service would surely refuse. A file of rejects, in which the rows were corrected, can be read as it is.
 *
 * @throws UnreadableFile if it is not UTF-8, or its first line does not name the columns
 */
export function readAnimalFile(bytes: ArrayBuffer): {
  readonly header: string;
  readonly columns: readonly Column[];
  readonly rows: readonly AnimalRow[];
  /** How many lines only say what was wrong. */
  readonly remarks: number;
} {
  const text = decode(bytes);
  let columns: readonly Column[] | undefined;
  let header = "";
  const rows: AnimalRow[] = [];
  let line = 1;
  let remarks = 0;
  for (let at = 0; at < text.length; ) {
    REMARK.lastIndex = at;
    if (REMARK.test(text)) {
      at = REMARK.lastIndex;
      line++;
      remarks++;
      continue;
    }
    const record = splitRecord(text, at);
    const isSplit = typeof record === "object";
    // One stray quote must not swallow the records after it.
    const end = isSplit ? record.end : text.indexOf("\n", at) + 1 || text.length;
    const written = text.slice(at, end).replace(/\r?\n$/, "");
    const fields = isSplit ? record.fields : [];
    const isEmpty = fields.length === 1 && fields[0] === "";
    if (!isEmpty && columns === undefined) {
      if (!isSplit) throw new UnreadableFile(`The first line does not name the columns: it ${record}.`);
      columns = readHeader(fields);
      header = written;
    } else if (!isEmpty && columns) {
      const fault = isSplit ? faultOf(fields, columns) : record;
      rows.push({ line, text: written, fields, fault, body: fault ? undefined : bodyOf(fields, columns) });
    }
    line += isSplit ? record.lines : 1;
    at = end;
  }
  if (columns === undefined)
    throw new UnreadableFile(
      "The file is empty. Its first line must name the columns, for example name,categoryId,status.",
    );
  return { header, columns, rows, remarks };
}

function decode(bytes: ArrayBuffer): string {
  if (new TextDecoder().decode(bytes.slice(0, ARCHIVE.length)) === ARCHIVE)
    throw new UnreadableFile("The file is a spreadsheet or an archive. Save it as “CSV UTF-8”.");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableFile("The file is not UTF-8. Save it as “CSV UTF-8”.");
  }
}

function readHeader(fields: readonly string[]): readonly Column[] {
  const [only = ""] = fields;
  const separator = only.includes(";") ? "semicolons" : only.includes("\t") ? "tabs" : "";
  if (fields.length === 1 && separator)
    throw new UnreadableFile(
      `The columns are separated by ${separator}. Save the file as CSV with commas; a spreadsheet asks for the separator when it saves.`,
    );
  const known = `The columns are ${COLUMNS.join(", ")}, in any order.`;
  for (const field of fields) {
    if (!(COLUMNS as readonly string[]).includes(field))
      throw new UnreadableFile(
        `The first line names the column ${JSON.stringify(field.slice(0, 60))}. ${known}`,
      );
    if (fields.indexOf(field) !== fields.lastIndexOf(field))
      throw new UnreadableFile(`The first line names the column ${field} twice.`);
  }
  for (const needed of MEMBER_NAMES)
    if (FIELDS[needed].whenEmpty && !fields.includes(needed))
      throw new UnreadableFile(`The first line does not name the column ${needed}. ${known}`);
  return fields as readonly Column[];
}

function faultOf(fields: readonly string[], columns: readonly Column[]): string {
  if (fields.length === columns.length) {
    const faults = columns.map((column, at) =>
      column === "id" ? "" : faultOfField(column, fields[at] ?? ""),
    );
    return faults.filter(Boolean).join("; ");
  }
  const count = fields.length === 1 ? "1 field" : `${fields.length} fields`;
  return `has ${count}, but the first line names ${columns.length} columns`;
}

/** An animal as JSON. Its id is left out: the service gives one. */
function bodyOf(fields: readonly string[], columns: readonly Column[]): string {
  const members = columns.flatMap((column, at) => {
    const field = fields[at] ?? "";
    // An empty field means none, except for a name, of which it would hide a mistake.
    if (column === "id" || (field === "" && column !== "name")) return [];
    return [`"${column}":${FIELDS[column].isInteger ? numberOrText(field) : JSON.stringify(field)}`];
  });
  return `{${members.join(",")}}`;
}
