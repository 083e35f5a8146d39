import type { Check, Context } from "../check.ts";
import { Client } from "../client.ts";
import { hold } from "../contract-violation.ts";
import { type CreatesInTurn, createInTurn, isWitness } from "../disk/creates-in-turn.ts";
import { fileSystemOf, flushCounterOf } from "../disk/file-system.ts";
import { measureSyncs, type SyncTimes, showTime } from "../disk/syncs.ts";
import { Instance } from "../program.ts";

/**
 * A median below this, in microseconds, is no device's: the way to the fastest that keep what they are given, and
 * back, takes longer.
 */
const IMPOSSIBLE_US = 8;

export const syncCheck: Check = {
  name: "sync",
  promise: "A create is answered after a sync that followed it, and this disk does sync.",
  unit: "creates",
  share: 4,
  async run(context) {
    const { doubts, told } = await context.place.durability();
    const disk = context.place.kind === "sqlite" ? examineDisk(context) : undefined;
    const creates = await createOnOwn(context, disk?.counter);
    if (disk) holdFlushes(creates, disk);
    const doubtful = [...doubts, ...(disk?.doubts ?? [])];
    return {
      verdict: doubtful.length > 0 ? "inconclusive" : "passed",
      ...(doubtful.length === 0 && promiseShown(creates, disk)),
      told: [
        ...doubtful.map((doubt) => `${doubt}: what is acknowledged may be lost with the power`),
        ...told,
        ...(disk?.told ?? []),
        tellCreates(creates),
      ],
      figures: {
        ...(disk && { fileSystem: disk.type, syncMicroseconds: disk.times }),
        createMicroseconds: creates.times,
        ...(creates.flushes && { flushes: creates.flushes }),
      },
    };
  },
};

/** What was put to the proof, where it is less than all: nobody must read more into it. */
function promiseShown(creates: CreatesInTurn, disk: Disk | undefined): { readonly promise?: string } {
  if (!disk)
    return { promise: "A create is answered after its commit, and PostgreSQL is set to sync each one." };
  if (isWitness(creates)) return {};
  return {
    promise:
      "This disk syncs, and no create is answered sooner than that takes. What it flushed for them was not to be seen.",
  };
}

async function createOnOwn(
  { program, place, budgetMs, progress }: Context,
  counter: (() => number) | undefined,
) {
  const store = await place.fresh();
  await using instance = await Instance.start(program, store);
  const client = new Client(instance.base, instance.key);
  const creates = await createInTurn(client, budgetMs / 2, counter, progress);
  await store.discard();
  return creates;
}

interface Disk {
  readonly type: string;
  readonly times: SyncTimes;
  readonly doubts: readonly string[];
  readonly told: readonly string[];
  /** Present where the device's own count of flushes was seen to follow our syncs. */
  readonly counter: (() => number) | undefined;
}

function examineDisk({ place, budgetMs }: Context): Disk {
  const fileSystem = fileSystemOf(place.folder);
  const counter = flushCounterOf(place.folder);
  const before = counter?.() ?? 0;
  const times = measureSyncs(place.folder, budgetMs / 3);
  const isCounted = counter !== undefined && counter() - before >= times.count;
  const where = fileSystem ? `${fileSystem.type} on ${fileSystem.source}` : place.folder;
  return {
    type: where,
    times,
    doubts: doubtsOf(times, fileSystem?.volatile),
    told: [
      `${where} takes ${showTime(times.p50)} to sync (p99 ${showTime(times.p99)})` +
        (isCounted ? ", and each sync made its device flush" : ""),
    ],
    counter: isCounted ? counter : undefined,
  };
}

function doubtsOf({ p50 }: SyncTimes, volatile: string | undefined): string[] {
  if (volatile !== undefined) return [`this disk does not sync, for ${volatile}`];
  if (p50 < IMPOSSIBLE_US)
    return [`this disk does not sync: it claims to within ${showTime(p50)}, and none can`];
  // fsync(2) of macOS leaves the bytes in the drive's cache.
  return process.platform === "darwin" ? ["on macOS a sync leaves the bytes in the drive's cache"] : [];
}

/** No two creates in turn can share a flush, and others on the disk only add to them. */
function holdFlushes({ count, flushes, times }: CreatesInTurn, disk: Disk): void {
  hold(
    flushes === undefined || flushes.during >= count,
    `at least one flush of the disk for each of ${count} creates in turn`,
    `${flushes?.during}`,
  );
  hold(
    disk.doubts.length > 0 || times.p50 >= disk.times.least,
    `creates that take as long as a sync, which is ${showTime(disk.times.least)} at the least`,
    `answers after ${showTime(times.p50)} (p50)`,
  );
}

function tellCreates(creates: CreatesInTurn): string {
  const { count, times, flushes } = creates;
  const took = `${count} creates in turn took ${showTime(times.p50)} each (p99 ${showTime(times.p99)})`;
  if (flushes === undefined) return took;
  const busy = isWitness(creates)
    ? ""
    : `, and in as long a time without them ${flushes.idle} times: others keep it busy`;
  return `${took}, in which the disk flushed ${flushes.during} times${busy}`;
}
