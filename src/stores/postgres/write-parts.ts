import { INT64_MAX } from "../../domain/int64.ts";
import { holdsUnder, type Revision } from "../../domain/revision.ts";
import { isRefusal } from "./errors.ts";

/** A write that may depend on the API keys. */
export interface KeyedWrite {
  /** The revision that the keys must not have passed, if that matters. */
  readonly ifKeysAt: Revision | undefined;
}

/** How a kind of write is done. */
interface Writing<Write, Outcome> {
  /**
   * Does some writes in one transaction.
   *
   * @param ifKeysAt nothing is written where the keys have passed this revision
   * @returns an outcome for each, in order
   */
  write(writes: readonly Write[], ifKeysAt: Revision | undefined): Promise<readonly Outcome[]>;
  /** The outcome of a write that was let in under an earlier revision of the keys than others. */
  readonly keysChanged: Outcome;
  /** The outcome of a write that the database refuses. */
  refused(reason: string): Outcome;
}

/** Does a batch in as few transactions as it takes: in one, nearly always. Returns an outcome for each write. */
export async function writeParts<Write extends KeyedWrite, Outcome>(
  writes: readonly Write[],
  writing: Writing<Write, Outcome>,
): Promise<Outcome[]> {
  // Nearly always all were let in under one revision of the keys. Of several, only the latest can still hold.
  const latest = latestOf(writes);
  const outcomes = writes.map(() => writing.keysChanged);
  for (const ifKeysAt of latest ? [undefined, latest] : [undefined]) {
    const positions = [...writes.keys()].filter((at) => isSame(writes[at]?.ifKeysAt, ifKeysAt));
    const part = positions.map((at) => writes[at] as Write);
    const each = await writeHalves(part, ifKeysAt, writing);
    for (const [n, at] of positions.entries()) outcomes[at] = each[n] as Outcome;
  }
  return outcomes;
}

/** Where a row is refused, each half is tried by itself: of many, the others cost few transactions more. */
async function writeHalves<Write, Outcome>(
  writes: readonly Write[],
  ifKeysAt: Revision | undefined,
  writing: Writing<Write, Outcome>,
): Promise<readonly Outcome[]> {
  if (writes.length === 0) return [];
  try {
    return await writing.write(writes, ifKeysAt);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    if (writes.length === 1) return [writing.refused(String(error))];
    const half = Math.ceil(writes.length / 2);
    const first = await writeHalves(writes.slice(0, half), ifKeysAt, writing);
    return [...first, ...(await writeHalves(writes.slice(half), ifKeysAt, writing))];
  }
}

/** The revision that the keys in the database must not have passed; of another server's, none will do. */
export function keysLimit(ifKeysAt: Revision | undefined, epoch: number): bigint {
  if (!ifKeysAt) return INT64_MAX;
  return ifKeysAt.epoch === epoch ? BigInt(ifKeysAt.keys) : -1n;
}

function latestOf(writes: readonly KeyedWrite[]): Revision | undefined {
  let latest: Revision | undefined;
  for (const { ifKeysAt } of writes) {
    if (ifKeysAt && (!latest || holdsUnder(ifKeysAt, latest, "keys"))) latest = ifKeysAt;
  }
  return latest;
}

function isSame(one: Revision | undefined, other: Revision | undefined): boolean {
  return one?.keys === other?.keys && one?.epoch === other?.epoch;
}
