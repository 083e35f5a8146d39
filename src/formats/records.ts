import { isUtf8 } from "node:buffer";
import type { IncomingAnimal } from "../domain/transfer.ts";
import { UnreadableFile } from "./format.ts";

/** The longest record that is looked at as a whole: some names of a million characters fit in. */
export const RECORD_MAX_BYTES = 16 * 1024 * 1024;

/** A record that is no animal. */
export interface BadRecord {
  /** The line at which it begins, from 1. */
  readonly line: number;
  /** What is wrong, and what would be right; completes "the row …". */
  readonly problem: string;
  /** As it was, with its line end. */
  readonly raw: Uint8Array;
}

/** What a piece of a file holds. */
export interface Records {
  readonly animals: IncomingAnimal[];
  /** The line at which each begins. */
  readonly lines: number[];
  readonly bad: BadRecord[];
  /** How many characters at the end belong to a record that is not whole yet. */
  readonly unread: number;
}

/** Whole lines of a file. Where they are not UTF-8, each character stands for a byte. */
export interface Block {
  readonly text: string;
  readonly encoding: "utf8" | "latin1";
}

/** Reads one format, block by block. */
export interface RecordReader {
  /** @param last whether nothing follows */
  read(block: Block, last: boolean): Records;
  /**
   * To be called when everything was read.
   *
   * @throws UnreadableFile
   */
  end(): void;
}

const BYTE_ORDER_MARK = Buffer.from("\ufeff");
const LINE_FEED = 0x0a;

/**
 * Reads a file's records as its bytes arrive, with flat memory. A byte order mark at its start is passed over.
 *
 * @throws UnreadableFile
 */
export async function* readRecords(
  bytes: AsyncIterable<Uint8Array>,
  reader: RecordReader,
): AsyncGenerator<Records> {
  let rest: Buffer = Buffer.alloc(0);
  let begun = false;
  for await (const chunk of bytes) {
    let whole: Buffer = Buffer.concat([rest, chunk]);
    const end = whole.lastIndexOf(LINE_FEED) + 1;
    rest = whole;
    if (end === 0 && whole.length <= RECORD_MAX_BYTES) continue;
    if (end === 0) throw new UnreadableFile(`has a line of more than ${RECORD_MAX_BYTES} bytes`);
    if (!begun) whole = withoutMark(whole);
    begun = true;
    const cut = whole.lastIndexOf(LINE_FEED) + 1;
    const block = decode(whole.subarray(0, cut));
    const records = reader.read(block, false);
    const unread = Buffer.from(block.text.slice(block.text.length - records.unread), block.encoding);
    rest = Buffer.concat([unread, whole.subarray(cut)]);
    yield records;
  }
  yield reader.read(decode(begun ? rest : withoutMark(rest)), true);
  reader.end();
}

/** A field of a block that is not UTF-8 as a whole; `undefined` where it is not either. */
export function strictly(field: string): string | undefined {
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
