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

/** The least share of cases in which an interval is to hold the true median. */
const CONFIDENCE = 0.95;

/**
 * The median of several values and, as its ends, the interval that holds the true median in 95 of 100 cases: two of the
 * values themselves, by the binomial distribution, so that nothing is assumed of how they lie. Up to 5 values it is
 * all of them, which hold the median in 94 of 100 cases at most.
 */
export function medianInterval(values: readonly number[]): Spread {
  const { median } = spread(values);
  const sorted = values.toSorted((a, b) => a - b);
  const count = sorted.length;
  let outside = 0;
  let cut = 0;
  // How probable it is that no more than `k` values lie on one side of the true median.
  for (let k = 0, probability = 0.5 ** count; 2 * (outside + probability) <= 1 - CONFIDENCE; k++) {
    outside += probability;
    probability *= (count - k) / (k + 1);
    cut = k + 1;
  }
  const ends = sorted.slice(Math.max(0, cut - 1), count - Math.max(0, cut - 1));
  return { median, min: ends[0] as number, max: ends.at(-1) as number };
}

/** The quotients of what belongs together, such as two sides in the same round: what slows the machine slows both. */
export function quotients(dividends: readonly number[], divisors: readonly number[]): Spread {
  return medianInterval(dividends.map((dividend, index) => dividend / (divisors[index] ?? Number.NaN)));
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
