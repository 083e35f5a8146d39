/** The median of several values, and an interval around it. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** @throws when there is no value, or a value is not finite: a missing figure must not look like a figure */
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

/** The confidence of an interval. */
const CONFIDENCE = 0.95;

/**
 * The median of several values, with the interval that holds the true median with 95 % confidence. Its ends are two of the
 * values, chosen by the binomial distribution (the sign test), so it assumes nothing about how the values are spread. With
 * 5 values or fewer it is the least and the greatest, which give at most 94 %.
 */
export function medianInterval(values: readonly number[]): Spread {
  const { median } = spread(values);
  const sorted = values.toSorted((a, b) => a - b);
  const count = sorted.length;
  let outside = 0;
  let cut = 0;
  // `probability` is that of exactly `k` values below the true median; `outside` sums it for fewer than `k`.
  for (let k = 0, probability = 0.5 ** count; 2 * (outside + probability) <= 1 - CONFIDENCE; k++) {
    outside += probability;
    probability *= (count - k) / (k + 1);
    cut = k + 1;
  }
  const ends = sorted.slice(Math.max(0, cut - 1), count - Math.max(0, cut - 1));
  return { median, min: ends[0] as number, max: ends.at(-1) as number };
}

/** The quotients of pairs, such as two sides in the same round: whatever slows the machine slows both. */
export function quotients(dividends: readonly number[], divisors: readonly number[]): Spread {
  return medianInterval(dividends.map((dividend, index) => dividend / (divisors[index] ?? Number.NaN)));
}

/**
 * The least value that a share of all values does not exceed (nearest rank). It is always one of the values: of 1000,
 * the 99.9th percentile is the second greatest.
 *
 * @param sorted ascending, at least one value
 */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  const rank = Math.ceil(sorted.length * share);
  return sorted[Math.min(Math.max(rank, 1), sorted.length) - 1] as number;
}
