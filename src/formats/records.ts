import { isUtf8 } from "node:buffer";
import { UnreadableFile } from "./format.ts";

/** The longest record to read, which has room for several names of a million characters. */
export const RECORD_MAX_BYTES = 16 * 1024 * 1024;

/** The most records to hand over at once. After a quote that is never closed, a block of 16 MB may have millions. */
const RECORDS_MAX = 10_000;

/** A record that is not valid. */
export interface BadRecord {
  /** The line at which it begins, from 1. */
  readonly line: number;
  /** What is wrong, and what would be right; completes "the row …". */
  readonly problem: string;
  /** Its bytes, with the line end. */
  readonly raw: Uint8Array;
}

/** Some of the records of a block. */
export class Records<Item> {
  readonly items: Item[] = [];
  readonly bad: BadRecord[] = [];
  /** How many characters at the end of the block belong to an incomplete record, if these are its last records. */
  unread = 0;
  readonly #block: Block;
  /** Of each item: the line at which its record begins, and where the record is in the block. */
  readonly #places: (readonly [line: number, start: number, end: number])[] = [];

  constructor(block: Block) {
    this.#block = block;
  }

  /** @param outcome of reading the record: an item, or what is wrong with it */
  add(outcome: Item | string, line: number, start: number, end: number): void {
    if (typeof outcome === "string") {
      this.bad.push({ line, problem: outcome, raw: this.#bytes(start, end) });
    } else {
      this.items.push(outcome);
      this.#places.push([line, start, end]);
    }
  }

  get isFull(): boolean {
    return this.items.length + this.bad.length >= RECORDS_MAX;
  }

  /** The record of an item that turned out to be bad. */
  badRecordOf(index: number, problem: string): BadRecord {
    const [line, start, end] = this.#places[index] as [number, number, number];
    return { line, problem, raw: this.#bytes(start, end) };
  }

  #bytes(start: number, end: number): Uint8Array {
    return Buffer.from(this.#block.text.slice(start, end), this.#block.encoding);
  }
}

/** Whole lines of a file. If they are not UTF-8, they are decoded as Latin-1: each character stands for a byte. */
export interface Block {
  readonly text: string;
  readonly encoding: "utf8" | "latin1";
}

/** Reads a file of one format, block by block. */
export interface RecordReader<Item> {
  /** @param last whether nothing follows */
  read(block: Block, last: boolean): Iterable<Records<Item>>;
  /**
   * Call it after the last block.
   *
   * @throws UnreadableFile
   */
  end(): void;
}

const BYTE_ORDER_MARK = Buffer.from("\ufeff");
const LINE_FEED = 0x0a;

/**
 * Reads a file's records as its bytes arrive, in constant memory. A leading byte order mark is skipped.
 *
 * @throws UnreadableFile
 */
export async function* readRecords<Item>(
  bytes: AsyncIterable<Uint8Array>,
  reader: RecordReader<Item>,
): AsyncGenerator<Records<Item>> {
  /** What has not been read, in pieces: joining them at each chunk would copy a long line again and again. */
  let rest: Uint8Array[] = [];
  let length = 0;
  let hasLine = false;
  let begun = false;
  /** An incomplete record is read again, from its beginning, once it has twice as many bytes, or too many. */
  let enough = 0;
  for await (const chunk of bytes) {
    rest.push(chunk);
    length += chunk.length;
    hasLine ||= chunk.includes(LINE_FEED);
    if (length < enough) continue;
    if (!hasLine && length <= RECORD_MAX_BYTES) continue;
    if (!hasLine) throw new UnreadableFile(`has a line of more than ${RECORD_MAX_BYTES} bytes`);
    let whole: Buffer = Buffer.concat(rest);
    if (!begun) whole = withoutMark(whole);
    begun = true;
    const cut = whole.lastIndexOf(LINE_FEED) + 1;
    const block = decode(whole.subarray(0, cut));
    let unread = 0;
    for (const records of reader.read(block, false)) {
      unread = records.unread;
      yield records;
    }
    const incomplete = Buffer.from(block.text.slice(block.text.length - unread), block.encoding);
    enough = Math.min(2 * incomplete.length, RECORD_MAX_BYTES);
    rest = [incomplete, whole.subarray(cut)];
    length = incomplete.length + whole.length - cut;
    hasLine = incomplete.length > 0;
  }
  const last = Buffer.concat(rest);
  yield* reader.read(decode(begun ? last : withoutMark(last)), true);
  reader.end();
}

/** Decodes a field of a Latin-1 block as UTF-8; `undefined` if its own bytes are not UTF-8. */
export function decodeUtf8(field: string): string | undefined {
  const bytes = Buffer.from(field, "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}

function decode(bytes: Buffer): Block {
  const encoding = isUtf8(bytes) ? "utf8" : "latin1";
  return { text: bytes.toString(encoding), encoding };
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? bytes.subarray(3) : bytes;
}
