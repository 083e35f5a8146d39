import type { Check, Context } from "../check.ts";
import { Client } from "../client.ts";
import { fileSystemOf, flushCounterOf } from "../disk/file-system.ts";
import { distribution, measureSyncs, type SyncTimes, showTime } from "../disk/syncs.ts";
import { Instance } from "../program.ts";
import { hold } from "../wrong.ts";

/**
 * A median below this, in microseconds, is no device's: the way to the fastest that keep what they are given, and
 * back, takes longer.
 */
const IMPOSSIBLE_US = 8;

const CREATES_MAX = 200;
const CREATES_MIN = 20;

export const syncCheck: Check = {
  name: "sync",
  promise: "A create is answered after a sync that followed it, and this disk does sync.",
  unit: "creates",
  share: 4,
  async run(context) {
    const { doubts, told } = await context.place.durability();
    const disk = context.place.kind === "sqlite" ? examineDisk(context) : undefined;
    const creates = await createInTurn(context, disk?.flushes);
    if (disk) holdFlushes(creates, disk);
    const doubtful = [...doubts, ...(disk?.doubts ?? [])];
    return {
      verdict: doubtful.length > 0 ? "not proved" : "held",
      ...(!disk && {
        promise: "A create is answered after its commit, and PostgreSQL is set to sync each one.",
      }),
      told: [
        ...doubtful.map((doubt) => `${doubt}: what is acknowledged may be lost with the power`),
        ...told,
        ...(disk?.told ?? []),
        tellCreates(creates),
      ],
      figures: {
        ...(disk && { fileSystem: disk.type, syncMicroseconds: disk.times }),
        createMicroseconds: creates.times,
      },
    };
  },
};

interface Disk {
  readonly type: string;
  readonly times: SyncTimes;
  readonly doubts: readonly string[];
  readonly told: readonly string[];
  /** Present where the device's own count of flushes was seen to follow our syncs. */
  readonly flushes: (() => number) | undefined;
}

function examineDisk({ place, budgetMs }: Context): Disk {
  const fileSystem = fileSystemOf(place.folder);
  const counter = flushCounterOf(place.folder);
  const before = counter?.() ?? 0;
  const times = measureSyncs(place.folder, budgetMs / 3);
  const isWitness = counter !== undefined && counter() - before >= times.count;
  const where = fileSystem ? `${fileSystem.type} on ${fileSystem.source}` : place.folder;
  return {
    type: where,
    times,
    doubts: doubtsOf(times, fileSystem?.volatile),
    told: [
      `${where} takes ${showTime(times.p50)} to sync (p99 ${showTime(times.p99)})` +
        (isWitness ? ", and each sync made its device flush" : ""),
    ],
    flushes: isWitness ? counter : undefined,
  };
}

function doubtsOf({ p50 }: SyncTimes, volatile: string | undefined): string[] {
  if (volatile !== undefined) return [`this disk does not sync, for ${volatile}`];
  if (p50 < IMPOSSIBLE_US)
    return [`this disk does not sync: it claims to within ${showTime(p50)}, and none can`];
  // fsync(2) of macOS leaves the bytes in the drive's cache.
  return process.platform === "darwin" ? ["on macOS a sync leaves the bytes in the drive's cache"] : [];
}

interface Creates {
  readonly count: number;
  readonly times: SyncTimes;
  readonly flushes: number | undefined;
}

/** Creates animals one after the other, so that none can share its sync with another. */
async function createInTurn(
  { program, place, budgetMs, progress }: Context,
  flushes?: () => number,
): Promise<Creates> {
  const store = await place.fresh();
  await using instance = await Instance.start(program, store);
  const client = new Client(instance.base, instance.key);
  const create = async (count: number) => {
    const call = { path: "/pets", body: `{"name":"${count}","categoryId":${count}}` };
    const { status, from, to } = await client.send(call);
    hold(status === 201, "201", `${status}`, client.curl(call));
    return (to - from) * 1000;
  };
  // The first ones are slower: everything is new.
  for (let count = 0; count < CREATES_MIN; count++) await create(count);
  const before = flushes?.() ?? 0;
  const times: number[] = [];
  const until = performance.now() + budgetMs / 3;
  while (times.length < CREATES_MIN || (times.length < CREATES_MAX && performance.now() < until)) {
    times.push(await create(times.length));
    progress(times.length / CREATES_MAX, times.length);
  }
  const flushed = flushes && flushes() - before;
  return { count: times.length, times: distribution(times), flushes: flushed };
}

/** No two creates in turn can share a flush, and others on the disk only add to them. */
function holdFlushes({ count, flushes, times }: Creates, disk: Disk): void {
  hold(
    flushes === undefined || flushes >= count,
    `at least one flush of the disk for each of ${count} creates in turn`,
    `${flushes}`,
  );
  hold(
    disk.doubts.length > 0 || times.p50 >= disk.times.least,
    `creates that take as long as a sync, which is ${showTime(disk.times.least)} at the least`,
    `answers after ${showTime(times.p50)} (p50)`,
  );
}

function tellCreates({ count, times, flushes }: Creates): string {
  const witness = flushes === undefined ? "" : `, in which the disk flushed ${flushes} times`;
  return `${count} creates in turn took ${showTime(times.p50)} each (p99 ${showTime(times.p99)})${witness}`;
}
