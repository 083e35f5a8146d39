import type { Client } from "../../contract/client.ts";
import { distribution, type SyncTimes } from "./syncs.ts";

/** The result of creates one after the other, no two of which can share a sync. */
export interface CreatesInTurn {
  readonly count: number;
  readonly times: SyncTimes;
  readonly flushes: Flushes | undefined;
}

/** How often the disk flushed during creates, and during pauses of the same length. */
interface Flushes {
  readonly during: number;
  /** The flushes of other users of the disk in the same time. */
  readonly idle: number;
}

const CREATES_MAX = 200;
const CREATES_MIN = 20;
/** A pause follows each batch, so that the disk's other users are measured at about the same time. */
const BATCH = 10;

/**
 * Creates animals one after the other.
 *
 * @param counter how often the disk has flushed
 * @throws BrokenPromise
 */
export async function createInTurn(
  client: Client,
  milliseconds: number,
  counter: (() => number) | undefined,
  progress: (part: number, count: number) => void,
): Promise<CreatesInTurn> {
  const create = async (count: number) => {
    const call = { path: "/pets", body: `{"name":"${count}","categoryId":${count}}` };
    const { from, to } = await client.expect(call, 201);
    return (to - from) * 1000;
  };
  // The first creates are slower: nothing is warm.
  for (let count = 0; count < CREATES_MIN; count++) await create(count);
  const times: number[] = [];
  let [during, idle] = [0, 0];
  const count = () => counter?.() ?? 0;
  const until = performance.now() + milliseconds;
  while (times.length < CREATES_MIN || (times.length < CREATES_MAX && performance.now() < until)) {
    const [began, before] = [performance.now(), count()];
    for (let left = BATCH; left > 0; left--) times.push(await create(times.length));
    const [ended, after] = [performance.now(), count()];
    during += after - before;
    if (counter) await Bun.sleep(ended - began);
    idle += (count() - after) * ((ended - began) / Math.max(1, performance.now() - ended));
    progress(times.length / CREATES_MAX, times.length);
  }
  const flushes = counter && { during, idle: Math.round(idle) };
  return { count: times.length, times: distribution(times), flushes };
}

/** Whether the counted flushes must be those of the creates, rather than of other users of the disk. */
export function isEvidence({ count, flushes }: CreatesInTurn): boolean {
  return flushes !== undefined && flushes.idle < count / 2 && flushes.during - flushes.idle > count / 2;
}
