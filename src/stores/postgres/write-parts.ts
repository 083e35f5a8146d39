import { INT64_MAX } from "../../domain/int64.ts";
import { isValidAt, type Revision } from "../../domain/revision.ts";
import { isRefusal } from "./errors.ts";

/** A write that may depend on the API keys. */
export interface KeyedWrite {
  /** If given, the write fails if the API keys have changed since this revision. */
  readonly ifKeysAt: Revision | undefined;
}

/** How to carry out one kind of write. */
interface Writing<Write, Outcome> {
  /**
   * Carries out writes in one transaction.
   *
   * @param ifKeysAt if given, nothing is written if the API keys have changed since this revision
   * @returns an outcome for each, in order
   */
  write(writes: readonly Write[], ifKeysAt: Revision | undefined): Promise<readonly Outcome[]>;
  /** The outcome of a write that was admitted under an outdated revision of the keys. */
  readonly keysChanged: Outcome;
  /** The outcome of a write that the database refuses. */
  refused(reason: string): Outcome;
}

/** Carries out a batch in as few transactions as possible, nearly always in one. Returns an outcome for each write. */
export async function writeParts<Write extends KeyedWrite, Outcome>(
  writes: readonly Write[],
  writing: Writing<Write, Outcome>,
): Promise<Outcome[]> {
  // Nearly always all writes have the same revision of the keys. Of several, only the latest can still be current.
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

/** If a row is refused, tries each half by itself, so that one bad row among many costs only few more transactions. */
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

/** The greatest revision of the keys at which to write. No revision of another epoch qualifies. */
export function keysLimit(ifKeysAt: Revision | undefined, epoch: number): bigint {
  if (!ifKeysAt) return INT64_MAX;
  return ifKeysAt.epoch === epoch ? BigInt(ifKeysAt.keys) : -1n;
}

function latestOf(writes: readonly KeyedWrite[]): Revision | undefined {
  let latest: Revision | undefined;
  for (const { ifKeysAt } of writes) {
    if (ifKeysAt && (!latest || isValidAt(ifKeysAt, latest, "keys"))) latest = ifKeysAt;
  }
  return latest;
}

function isSame(one: Revision | undefined, other: Revision | undefined): boolean {
  return one?.keys === other?.keys && one?.epoch === other?.epoch;
}
