/** One of several parts of the tests that are many: together the parts are all of them. */
interface Share {
  /** From 1 to `of`. */
  readonly part: number;
  readonly of: number;
}

/** `.ci/run` sets `TEST_SHARE=3/7`, say, by the date; else a suite runs whole. */
const SHARE = parse(process.env.TEST_SHARE);

/**
 * What of a list is to be tested now: everything, or at least one item of the share.
 *
 * @param what the items are; left out, the share is not printed
 */
export function shareOf<Item>(items: readonly Item[], what?: string): readonly Item[] {
  if (!SHARE) return items;
  const { part, of } = SHARE;
  const parts = Math.min(of, items.length);
  const chosen = items.filter((_, at) => at % parts === (part - 1) % parts);
  if (what) console.log(`share ${part} of ${of}: ${chosen.length} of ${items.length} ${what}`);
  return chosen;
}

/** Whether everything is to be tested now. */
export const isWhole = SHARE === undefined;

/** How many of something that chance chooses are to be tested now, and prints it. */
export function shareOfCount(count: number, what: string): number {
  if (!SHARE) return count;
  const chosen = Math.ceil(count / SHARE.of);
  console.log(`share ${SHARE.part} of ${SHARE.of}: ${chosen} of ${count} ${what}`);
  return chosen;
}

function parse(share: string | undefined): Share | undefined {
  if (!share) return undefined;
  const [, part = 0, of = 0] = (/^(\d+)\/(\d+)$/.exec(share) ?? []).map(Number);
  if (part < 1 || part > of)
    throw new Error(`TEST_SHARE is ${share}, and would be right as 3/7, for example`);
  return { part, of };
}
