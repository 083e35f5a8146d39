import type { Shape } from "./operation.ts";

// `JSON.parse` rounds integers past 2^53 and `JSON.stringify` refuses bigints. The reviver's access to a number's source
// text would help, but Node 20 lacks it, and a reviver costs several times what parsing does. So long integers are put
// into quotes before the text is parsed, and the declared ones made into bigints after.

/** An integer of 16 digits or more, with the character before it; it may be in a string. */
const LONG_INTEGER = /(^|[:,[\s])(-?[1-9]\d{15,})(?=[\s,\]}]|$)/g;
/**
 * Such an integer as a member whose name ends in a letter or digit. It is in no string, where a backslash would precede
 * the quote.
 */
const LONG_MEMBER = /(\w":)(-?[1-9]\d{15,})(?=[\s,\]}])/g;
// With `\d` first, JavaScriptCore takes four times as long.
const LONG_DIGITS_ANYWHERE = /[1-9]\d{15,}/g;
const LONG_DIGITS = /^-?[1-9]\d{15,}$/;

/**
 * Reads JSON without rounding an integer: those of 16 digits or more become strings of their digits.
 * @throws SyntaxError if the text is not JSON
 */
export function readJson(text: string): unknown {
  // Most texts have none, and looking takes a twentieth of the search.
  const long = text.match(LONG_DIGITS_ANYWHERE);
  if (!long) return JSON.parse(text);
  const quoted = text.replace(LONG_MEMBER, '$1"$2"');
  // Where others stand has to be found out, which takes several times as long. The service has them in texts at most.
  const isComplete = quoted.length === text.length + 2 * long.length;
  return JSON.parse(isComplete ? quoted : quotedOneByOne(text));
}

/** A JSON text with its long integers in quotes, wherever they stand. */
function quotedOneByOne(text: string): string {
  const strings = new StringTracker(text);
  return text.replace(LONG_INTEGER, (match, before, digits, at) =>
    strings.isInside(at + match.length) ? match : `${before}"${digits}"`,
  );
}

/** Tells whether a position of a JSON text is inside a string. The positions asked for must ascend. */
class StringTracker {
  readonly #text: string;
  /** The first quote that is not counted yet. */
  #quote: number;
  #isInside = false;

  constructor(text: string) {
    this.#text = text;
    this.#quote = text.indexOf('"');
  }

  isInside(position: number): boolean {
    while (this.#quote >= 0 && this.#quote < position) {
      if (!this.#isInside || !this.#isEscaped(this.#quote)) this.#isInside = !this.#isInside;
      this.#quote = this.#text.indexOf('"', this.#quote + 1);
    }
    return this.#isInside;
  }

  /** Whether an odd number of backslashes precedes a quote. */
  #isEscaped(quote: number): boolean {
    let at = quote;
    while (this.#text[at - 1] === "\\") at--;
    return (quote - at) % 2 === 1;
  }
}

/**
 * Makes the int64 numbers of a value that `readJson` returned into bigints. An object has each of them: so another object,
 * such as an error in place of an animal, is not taken for one.
 * @throws TypeError if the value does not have the shape
 */
export function withInt64(value: unknown, shape: Shape): unknown {
  if (shape === "int64") {
    if (Number.isSafeInteger(value) || (typeof value === "string" && LONG_DIGITS.test(value))) {
      return BigInt(value as number | string);
    }
    throw new TypeError("an integer was expected");
  }
  if (isArray(shape)) {
    if (!isArray(value)) throw new TypeError("an array was expected");
    return value.map((item) => withInt64(item, shape[0]));
  }
  if (typeof value !== "object" || value === null || isArray(value)) {
    throw new TypeError("an object was expected");
  }
  const members = value as Record<string, unknown>;
  for (const name in shape) {
    const own = shape[name] as Shape;
    if (own === "int64" || members[name] !== undefined) members[name] = withInt64(members[name], own);
  }
  return members;
}

/**
 * Writes JSON, a bigint as its digits. Members that are undefined are left out.
 * @throws RangeError for a number past 2^53, which the language may have rounded already
 */
export function writeJson(value: unknown): string | undefined {
  if (typeof value === "bigint") return `${value}`;
  if (isArray(value)) return `[${value.map((item) => writeJson(item) ?? "null")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(exactNumber(value));
  let members = "";
  for (const [name, member] of Object.entries(value)) {
    const written = writeJson(member);
    if (written !== undefined) members += `${members && ","}${JSON.stringify(name)}:${written}`;
  }
  return `{${members}}`;
}

/**
 * Returns the value as it is.
 * @throws RangeError for a number past 2^53, which the language may have rounded already
 */
export function exactNumber<Value>(value: Value): Value {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RangeError(`${value} may be rounded: write integers past 2^53 as bigint, such as 42n`);
  }
  return value;
}

const isArray: (value: unknown) => value is readonly unknown[] = Array.isArray;
