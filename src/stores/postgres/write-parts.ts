import { isValidAt, type Revision } from "../../domain/revision.ts";
import { KeysChanged } from "../../domain/store.ts";
import { isRefusal } from "./errors.ts";

/** A write that may depend on the API keys. */
export interface KeyedWrite {
  /** If given, the write fails if the API keys have changed since this revision. */
  readonly ifKeysAt: Revision | undefined;
}

/**
 * Carries out writes in one statement.
 *
 * @param ifKeysAt if given, nothing is written if the API keys have changed since this revision
 * @returns an outcome for each, in order
 */
type Write<Wanted, Outcome> = (
  writes: readonly Wanted[],
  ifKeysAt: Revision | undefined,
) => Promise<readonly (Outcome | Error)[]>;

/**
 * Carries out a batch in as few statements as possible, nearly always in one. Returns for each write its outcome, or the
 * error that it rejects with: `KeysChanged` if it was admitted under an outdated revision of the keys.
 *
 * @param what each of them stores, for the message where PostgreSQL refuses one
 */
export async function writeParts<Wanted extends KeyedWrite, Outcome>(
  writes: readonly Wanted[],
  what: string,
  write: Write<Wanted, Outcome>,
): Promise<(Outcome | Error)[]> {
  // Nearly always all writes have the same revision of the keys. Of several, only the latest can still be current.
  const latest = latestOf(writes);
  const outcomes: (Outcome | Error | undefined)[] = writes.map(() => undefined);
  for (const ifKeysAt of latest ? [undefined, latest] : [undefined]) {
    const positions = [...writes.keys()].filter((at) => isSame(writes[at]?.ifKeysAt, ifKeysAt));
    const part = positions.map((at) => writes[at] as Wanted);
    const each = await writeHalves(part, ifKeysAt, what, write);
    for (const [n, at] of positions.entries()) outcomes[at] = each[n];
  }
  return outcomes.map((outcome) => outcome ?? new KeysChanged());
}

/** If a row is refused, tries each half by itself, so that one bad row among many costs only few more statements. */
async function writeHalves<Wanted, Outcome>(
  writes: readonly Wanted[],
  ifKeysAt: Revision | undefined,
  what: string,
  write: Write<Wanted, Outcome>,
): Promise<readonly (Outcome | Error)[]> {
  if (writes.length === 0) return [];
  try {
    return await write(writes, ifKeysAt);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    if (writes.length === 1) return [new Error(`the store refused ${what}: ${error}`)];
    const half = Math.ceil(writes.length / 2);
    const first = await writeHalves(writes.slice(0, half), ifKeysAt, what, write);
    return [...first, ...(await writeHalves(writes.slice(half), ifKeysAt, what, write))];
  }
}

/**
 * The revision of the keys at which to write; `null` for any. It grows by random steps, so that two servers have the same only
 * where they have the same keys.
 */
export function keysAt(ifKeysAt: Revision | undefined): bigint | null {
  return ifKeysAt ? BigInt(ifKeysAt.keys) : null;
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
