import { int64FromJsonNumber } from "../domain/int64.ts";

/**
 * What `readJson` gives: integers that int64 can hold are bigints, every other number is a number, and
 * objects have no prototype, so that a member may have any name.
 */
export type JsonValue =
  | string
  | bigint
  | number
  | boolean
  | null
  | JsonValue[]
  | { [name: string]: JsonValue };

/** Text that is not JSON (RFC 8259), or is JSON that we refuse; the message says where and why. */
export class JsonError extends Error {}

const DEPTH_MAX = 64;

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

/**
 * Reads a JSON text exactly: numbers past 2^53 keep every digit, a member name that stands twice in an
 * object is refused at any depth (as RFC 7493 asks), and so is nesting deeper than 64. `JSON.parse`
 * does none of the three.
 *
 * @throws JsonError
 */
export function readJson(text: string): JsonValue {
  return new Reader(text).read();
}

class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): JsonValue {
    const value = this.#value();
    if (this.#skipSpace() !== "") throw this.#expected("the end of the body");
    return value;
  }

  #value(): JsonValue {
    switch (this.#skipSpace()) {
      case '"':
        return this.#string();
      case "{":
        return this.#nested(() => this.#object());
      case "[":
        return this.#nested(() => this.#array());
      case "t":
        return this.#word("true", true);
      case "f":
        return this.#word("false", false);
      case "n":
        return this.#word("null", null);
      default:
        return this.#number();
    }
  }

  /** Reads what stands between brackets, one level deeper. */
  #nested<Value>(read: () => Value): Value {
    if (++this.#depth > DEPTH_MAX) throw this.#error(`is nested deeper than ${DEPTH_MAX} levels`);
    this.#at++;
    const value = read();
    this.#depth--;
    return value;
  }

  #object(): JsonValue {
    const object: { [name: string]: JsonValue } = Object.create(null);
    if (this.#skip("}")) return object;
    do {
      if (this.#skipSpace() !== '"') throw this.#expected("a member name in double quotes");
      const start = this.#at;
      const name = this.#string();
      if (name in object) {
        this.#at = start;
        throw this.#error(`holds the member ${JSON.stringify(name)} twice in one object`);
      }
      if (!this.#skip(":")) throw this.#expected("a colon");
      object[name] = this.#value();
    } while (this.#skip(","));
    if (!this.#skip("}")) throw this.#expected('a comma or "}"');
    return object;
  }

  #array(): JsonValue[] {
    const array: JsonValue[] = [];
    if (this.#skip("]")) return array;
    do array.push(this.#value());
    while (this.#skip(","));
    if (!this.#skip("]")) throw this.#expected('a comma or "]"');
    return array;
  }

  #string(): string {
    const start = this.#at;
    let escaped = false;
    for (let at = start + 1; at < this.#text.length; at++) {
      const unit = this.#text.charCodeAt(at);
      if (unit === QUOTE) {
        this.#at = at + 1;
        return escaped ? this.#unescape(start) : this.#text.slice(start + 1, at);
      }
      if (unit === BACKSLASH) {
        escaped = true;
        at++;
      } else if (unit < SPACE) {
        this.#at = at;
        throw this.#error("holds a control character in a string, which must be escaped");
      }
    }
    throw this.#error("holds a string with no closing quote");
  }

  /** Reads the escapes of the string that begins at `start` and ends before the current place. */
  #unescape(start: number): string {
    try {
      return JSON.parse(this.#text.slice(start, this.#at)) as string;
    } catch {
      this.#at = start;
      throw this.#error("holds a string with a wrong escape");
    }
  }

  #number(): bigint | number {
    NUMBER.lastIndex = this.#at;
    const [source] = NUMBER.exec(this.#text) ?? [];
    if (source === undefined) throw this.#expected("a value");
    this.#at += source.length;
    return int64FromJsonNumber(source) ?? Number(source);
  }

  #word<Value>(word: string, value: Value): Value {
    if (!this.#text.startsWith(word, this.#at)) throw this.#expected("a value");
    this.#at += word.length;
    return value;
  }

  /** Skips white space, then `character` if it stands there, and says whether it did. */
  #skip(character: string): boolean {
    if (this.#skipSpace() !== character) return false;
    this.#at++;
    return true;
  }

  /** Skips white space and returns the character after it; "" at the end. */
  #skipSpace(): string {
    for (;;) {
      const character = this.#text.charAt(this.#at);
      if (character !== " " && character !== "\n" && character !== "\r" && character !== "\t")
        return character;
      this.#at++;
    }
  }

  #expected(what: string): JsonError {
    const found = this.#at < this.#text.length ? "" : " before the body ended";
    return this.#error(`is not valid JSON: ${what} was expected${found}`);
  }

  #error(problem: string): JsonError {
    return new JsonError(`${problem} (character ${this.#at + 1})`);
  }
}
