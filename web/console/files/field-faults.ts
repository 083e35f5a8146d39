import { FIELDS, type MemberName } from "../members.ts";
import { isJsonNumber } from "../number-or-text.ts";

/** The least and greatest values of a signed 64-bit integer. */
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/** A longer text is shown in part. */
const SHOWN_MAX = 40;

/** What the service would surely say of a member's text in a file; empty if nothing is known to be wrong. */
export function faultOfField(name: MemberName, text: string): string {
  const { whenEmpty, isInteger, values, longest = Number.POSITIVE_INFINITY } = FIELDS[name];
  if (text === "") return whenEmpty ? `\`${name}\` is empty` : "";
  if (isInteger) return faultOfInteger(name, text);
  if (values)
    return values.includes(text)
      ? ""
      : `\`${name}\` is ${shown(text)}, and may be ${new Intl.ListFormat("en-GB", { type: "disjunction" }).format(values)}`;
  if (whenEmpty && !/\P{White_Space}/u.test(text)) return `\`${name}\` is only white space`;
  // No text has more characters than units, so only long ones need counting.
  const length = text.length > longest ? [...text].length : 0;
  return length > longest ? `\`${name}\` has ${length} characters, and may have ${longest}` : "";
}

/** Other forms of a whole number, such as `1e3`, are left to the service. */
function faultOfInteger(name: MemberName, text: string): string {
  if (!isJsonNumber(text)) return `\`${name}\` is ${shown(text)}, which is no whole number`;
  const isPlain = /^-?\d+$/.test(text);
  const value = isPlain ? BigInt(text) : 0n;
  return value < INT64_MIN || value > INT64_MAX
    ? `\`${name}\` is outside of ${INT64_MIN} to ${INT64_MAX}`
    : "";
}

function shown(text: string): string {
  return `“${text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text}”`;
}
