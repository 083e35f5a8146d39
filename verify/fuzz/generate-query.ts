import type { Random } from "../random.ts";
import type { Positions } from "./positions.ts";

/** Texts after a percent sign that are no escape, or no UTF-8. */
export const BROKEN_ESCAPES = "% %2 %zz %ff %c0%80 %ed%a0%80 %f5%80%80%80 %e4%b8 %%32".split(" ");
const LIMITS =
  " 1 2 20 99 100 %31 0 101 -1 +1 01 1.0 1e1 %201 1%20 ten 0x1 9999999999999999999 %D9%A1 1,2".split(" ");
const CURSORS = ["", "AAAA", "A".repeat(32), "%", "x+y", "0"];
/** Parameters that have no meaning. */
const IGNORED = ["x=1", "x", "=", "", "Limit=7", "offset=3", "a=%E4%B8%AD"];

/** How a list is filtered by one parameter. */
interface FilterValues {
  readonly valid: () => string;
  readonly wrong: readonly string[];
}

/**
 * The query of a page, mostly valid.
 *
 * @param others further parameters with values, one of which it may have
 */
export function pageQuery<Name extends string>(
  random: Random,
  positions: Positions<Name>,
  filters: Readonly<Record<Name, FilterValues>>,
  others: readonly string[] = [],
): string {
  const { between, chance, pick } = random;
  const pairs: string[] = [];
  if (chance(0.7)) pairs.push(`limit=${chance(0.85) ? between(1, 100) : pick(LIMITS)}`);
  const position = chance(0.5) ? positions.any(random) : undefined;
  for (const [name, { valid, wrong }] of Object.entries<FilterValues>(filters)) {
    const right = position ? position.filters[name as Name] : chance(0.4) ? valid() : undefined;
    const value = chance(0.05) ? pick(wrong) : right && encodeURIComponent(right);
    if (value !== undefined) pairs.push(`${name}=${value}`);
  }
  if (position) pairs.push(`cursor=${chance(0.7) ? position.cursor : altered(position.cursor, random)}`);
  else if (chance(0.05)) pairs.push(`cursor=${pick(CURSORS)}`);
  if (others.length > 0 && chance(0.2)) pairs.push(pick(others));
  // Ignored, given twice, or written in another way.
  if (chance(0.1)) pairs.push(pick([...IGNORED, "%6Cimit=5", ...pairs]));
  if (chance(0.02)) pairs.push(`x=${pick(BROKEN_ESCAPES)}`);
  if (pairs.length === 0) return pick(["", "?"]);
  return `?${pairs.sort(() => random.below(3) - 1).join("&")}`;
}

/** A cursor that was issued, with a change. */
function altered(cursor: string, { below, chance, pick }: Random): string {
  const at = below(cursor.length);
  const other = pick([..."ABCXYZabcxyz019-_"]);
  return pick([
    () => cursor.slice(0, at) + (cursor[at] === other ? "Q" : other) + cursor.slice(at + 1),
    () => cursor.slice(0, at),
    () => `${cursor}${pick(["A", "=", "%3D", "%00", "AAAA"])}`,
    () => cursor.slice(0, at) + other + cursor.slice(at),
    () => (chance(0.5) ? cursor.toLowerCase() : cursor.toUpperCase()),
    () => [...cursor].reverse().join(""),
  ])();
}
