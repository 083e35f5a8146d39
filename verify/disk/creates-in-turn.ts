import type { Client } from "../client.ts";
import { assertThat } from "../contract-violation.ts";
import { distribution, type SyncTimes } from "./syncs.ts";

/** What came of creates one after the other, of which no two can share a sync. */
export interface CreatesInTurn {
  readonly count: number;
  readonly times: SyncTimes;
  readonly flushes: Flushes | undefined;
}

/** How often the disk flushed while animals were created, and as long again while nothing was. */
interface Flushes {
  readonly during: number;
  /** What the others who use the disk do in such a time. */
  readonly idle: number;
}

const CREATES_MAX = 200;
const CREATES_MIN = 20;
/** Between so many there is a pause, so that the disk's other users are seen at about the same time. */
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
    const { status, from, to } = await client.send(call);
    assertThat(status === 201, "201", `${status}`, client.curl(call));
    return (to - from) * 1000;
  };
  // The first ones are slower: everything is new.
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

/** Whether the flushes that were counted must be those of the creates, and not of others who use the disk. */
export function isEvidence({ count, flushes }: CreatesInTurn): boolean {
  return flushes !== undefined && flushes.idle < count / 2 && flushes.during - flushes.idle > count / 2;
}
