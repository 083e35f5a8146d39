import { quote } from "../src/domain/quote.ts";
import { meantBy } from "../src/system/meant.ts";

/** More names than this hide what was meant. */
const LISTED_MAX = 30;

/** The rule that a name or a value breaks which does not exist, with the name that was probably meant. */
export function noneOf(names: readonly string[], given: string): string {
  const meant = meantBy(given, names);
  // Where nothing is near, only the whole list helps.
  const isListed = meant === undefined || names.length <= LISTED_MAX;
  const listed = isListed ? ` of ${names.map(quote).join(", ")}` : " that exist";
  return `is none${listed}${meant === undefined ? "" : `; the nearest to ${quote(given)} is ${quote(meant)}`}`;
}
