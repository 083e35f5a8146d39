import { Client } from "../../contract/client.ts";
import { assert } from "../../contract/contract-violation.ts";
import type { Check, Context } from "../check.ts";
import { type CreatesInTurn, createInTurn, isEvidence } from "../disk/creates-in-turn.ts";
import { fileSystemOf, flushCounterOf } from "../disk/file-system.ts";
import { measureSyncs, type SyncTimes, showTime } from "../disk/syncs.ts";
import { Instance } from "../program.ts";

/**
 * No device syncs with a median below this, in microseconds: the way to the fastest durable device and back takes longer.
 */
const IMPOSSIBLE_US = 8;

export const syncCheck: Check = {
  name: "sync",
  promise: "A create is on disk before its 201: this disk really syncs, and each create waited for a sync.",
  unit: "creates",
  share: 4,
  async run(context) {
    const { doubts, details } = await context.testbed.durability();
    const disk = context.testbed.kind === "sqlite" ? examineDisk(context) : undefined;
    const creates = await createOnOwn(context, disk?.counter);
    if (disk) holdFlushes(creates, disk);
    const doubtful = [...doubts, ...(disk?.doubts ?? [])];
    return {
      verdict: doubtful.length > 0 ? "inconclusive" : "passed",
      ...(doubtful.length === 0 && promiseShown(creates, disk)),
      details: [
        ...doubtful.map((doubt) => `${doubt}: a power failure may lose acknowledged creates`),
        ...details,
        ...(disk?.details ?? []),
        describeCreates(creates),
      ],
      figures: {
        ...(disk && { fileSystem: disk.type, syncMicroseconds: disk.times }),
        createMicroseconds: creates.times,
        ...(creates.flushes && { flushes: creates.flushes }),
      },
    };
  },
};

/** The promise that was really verified, if it is less than the whole. */
function promiseShown(creates: CreatesInTurn, disk: Disk | undefined): { readonly promise?: string } {
  if (!disk)
    return {
      promise: "A create is committed before its 201, and PostgreSQL is configured to sync each commit.",
    };
  if (isEvidence(creates)) return {};
  return {
    promise:
      "This disk syncs, and no create was answered sooner than a sync takes. The kernel did not show what it flushed.",
  };
}

async function createOnOwn(
  { program, testbed, budgetMs, progress }: Context,
  counter: (() => number) | undefined,
) {
  const store = await testbed.fresh();
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
  readonly details: readonly string[];
  /** Present if the device's count of flushes follows our syncs. */
  readonly counter: (() => number) | undefined;
}

function examineDisk({ testbed, budgetMs }: Context): Disk {
  const fileSystem = fileSystemOf(testbed.folder);
  const counter = flushCounterOf(testbed.folder);
  const before = counter?.() ?? 0;
  const times = measureSyncs(testbed.folder, budgetMs / 3);
  const isCounted = counter !== undefined && counter() - before >= times.count;
  const where = fileSystem ? `${fileSystem.type} on ${fileSystem.source}` : testbed.folder;
  return {
    type: where,
    times,
    doubts: doubtsOf(times, fileSystem?.volatile),
    details: [
      `${where} takes ${showTime(times.p50)} to sync (p99 ${showTime(times.p99)})` +
        (isCounted ? ", and every sync made the device flush" : ""),
    ],
    counter: isCounted ? counter : undefined,
  };
}

function doubtsOf({ p50 }: SyncTimes, volatile: string | undefined): string[] {
  if (volatile !== undefined) return [`this disk does not sync: ${volatile}`];
  if (p50 < IMPOSSIBLE_US) return [`this disk does not sync: no disk can do so within ${showTime(p50)}`];
  // fsync(2) of macOS leaves the bytes in the drive's cache.
  return process.platform === "darwin" ? ["on macOS, a sync leaves the bytes in the drive's cache"] : [];
}

/** No two creates in turn can share a flush, and others on the disk only add to them. */
function holdFlushes({ count, flushes, times }: CreatesInTurn, disk: Disk): void {
  assert(
    flushes === undefined || flushes.during >= count,
    `at least one flush of the disk for each of ${count} sequential creates`,
    `${flushes?.during}`,
  );
  assert(
    disk.doubts.length > 0 || times.p50 >= disk.times.least,
    `creates that take as long as a sync, which takes at least ${showTime(disk.times.least)}`,
    `responses after ${showTime(times.p50)} (p50)`,
  );
}

function describeCreates(creates: CreatesInTurn): string {
  const { count, times, flushes } = creates;
  const took = `${count} sequential creates took ${showTime(times.p50)} each (p99 ${showTime(times.p99)})`;
  if (flushes === undefined) return took;
  const busy = isEvidence(creates)
    ? ""
    : `, and ${flushes.idle} times in an equally long pause: other programs use the disk`;
  return `${took}; the disk flushed ${flushes.during} times meanwhile${busy}`;
}
