/** The middle of several values, and how far they lie apart. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** @throws where there is no value, or one is no number: a figure that is missing must not look like one */
export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const [min] = sorted;
  const max = sorted.at(-1);
  if (min === undefined || max === undefined || !sorted.every(Number.isFinite)) {
    throw new Error(`no spread of [${values.join(", ")}]`);
  }
  const middle = (sorted.length - 1) / 2;
  const median = ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2;
  return { median, min, max };
}

/** The quotients of what belongs together, such as two sides in the same round: what slows the machine slows both. */
export function quotients(dividends: readonly number[], divisors: readonly number[]): Spread {
  return spread(dividends.map((dividend, index) => dividend / (divisors[index] ?? Number.NaN)));
}

/**
 * The value that a share of all values does not exceed (nearest rank): of 1000 values the 0.999th is the
 * second greatest, and never one in between that did not occur.
 *
 * @param sorted ascending, at least one
 */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  const rank = Math.ceil(sorted.length * share);
  return sorted[Math.min(Math.max(rank, 1), sorted.length) - 1] as number;
}
