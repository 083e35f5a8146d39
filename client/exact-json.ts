import type { Shape } from "./operation.ts";

// `JSON.parse` rounds integers past 2^53 and `JSON.stringify` refuses bigints. The reviver's access to a number's source
// text would help, but Node 20 lacks it, and a reviver costs several times what parsing does. So long integers are put
// into quotes before the text is parsed, and the declared ones made into bigints after.

/**
 * A quote, an escape, or an integer of 16 digits or more with the character before it. The integer is in a string if an odd
 * number of quotes precedes it.
 */
const QUOTE_OR_LONG_INTEGER = /\\.|"|(^|[:,[\s])(-?[1-9]\d{15,})(?=[\s,\]}]|$)/g;
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
  let isInString = false;
  return text.replace(QUOTE_OR_LONG_INTEGER, (match, before, digits) => {
    if (match === '"') isInString = !isInString;
    return digits && !isInString ? `${before}"${digits}"` : match;
  });
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
  for (const name of Object.keys(value)) {
    const written = writeJson(value[name as keyof typeof value]);
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
