import { UnreadableFile } from "./format.ts";

const [QUOTE, BACKSLASH, COMMA, LF, TAB, SPACE] = [0x22, 0x5c, 0x2c, 0x0a, 0x09, 0x20];
const [ARRAY_BEGIN, ARRAY_END, OBJECT_BEGIN, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/**
 * Puts each element of a JSON array (RFC 8259) on a line of its own as its bytes arrive, in constant memory. It does not
 * check the elements: an element that is not JSON becomes a line that is not JSON.
 *
 * @throws UnreadableFile if the bytes are not an array, or end within one
 */
export async function* elementsAsLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const splitter = new Splitter();
  for await (const chunk of bytes) yield splitter.split(chunk);
  splitter.end();
}

class Splitter {
  #place: "before" | "inside" | "after" = "before";
  #position = 0;
  #inString = false;
  #escaped = false;
  /** The depth of objects and arrays within the element. */
  #depth = 0;
  #elements = 0;
  /** Whether the element has begun. */
  #begun = false;

  split(chunk: Uint8Array): Uint8Array {
    // The line feed after each element replaces the comma or the end of the array.
    const lines = new Uint8Array(chunk.length);
    let length = 0;
    for (const byte of chunk) {
      const put = this.#next(byte);
      if (put !== undefined) lines[length++] = put;
    }
    return lines.subarray(0, length);
  }

  end(): void {
    if (this.#place === "before") throw notAnArray();
    if (this.#place === "inside") {
      throw new UnreadableFile(`ends inside its array, after element ${this.#elements}: it is incomplete`);
    }
  }

  /** The byte to write for the byte read, if any. */
  #next(byte: number): number | undefined {
    if (this.#place === "inside") return this.#inString ? this.#nextOfString(byte) : this.#nextOfArray(byte);
    const isMark = this.#position < BYTE_ORDER_MARK.length && byte === BYTE_ORDER_MARK[this.#position];
    this.#position++;
    if (isWhiteSpace(byte) || (isMark && this.#place === "before")) return undefined;
    if (this.#place === "after") {
      throw new UnreadableFile(
        "continues after the end of its array; it must contain one array and nothing else",
      );
    }
    if (byte !== ARRAY_BEGIN) throw notAnArray();
    this.#place = "inside";
    return undefined;
  }

  #nextOfString(byte: number): number {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#inString = false;
    // JSON allows neither in a string; as a tab the mistake stays in one line.
    return byte === LF ? TAB : byte;
  }

  #nextOfArray(byte: number): number | undefined {
    if (this.#depth === 0 && (byte === COMMA || byte === ARRAY_END)) return this.#endElement(byte);
    if (isWhiteSpace(byte)) return this.#begun ? SPACE : undefined;
    this.#begun = true;
    if (byte === QUOTE) this.#inString = true;
    else if (byte === OBJECT_BEGIN || byte === ARRAY_BEGIN) this.#depth++;
    else if ((byte === OBJECT_END || byte === ARRAY_END) && this.#depth > 0) this.#depth--;
    return byte;
  }

  #endElement(byte: number): number | undefined {
    const isEmpty = byte === ARRAY_END && this.#elements === 0 && !this.#begun;
    if (!this.#begun && !isEmpty) {
      throw new UnreadableFile(`has a comma after element ${this.#elements} and no element after it`);
    }
    if (byte === ARRAY_END) this.#place = "after";
    if (isEmpty) return undefined;
    this.#elements++;
    this.#begun = false;
    return LF;
  }
}

function isWhiteSpace(byte: number): boolean {
  return byte === SPACE || byte === LF || byte === TAB || byte === 0x0d;
}

function notAnArray(): UnreadableFile {
  return new UnreadableFile("is not a JSON array; it must be one, like the response of `GET /v1/pets`");
}
