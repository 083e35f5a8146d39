import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import { STALLED_MS, Stalled } from "../../../domain/transfer.ts";
import { UnusableStore } from "../../errors.ts";
import { connect } from "../connection.ts";
import { assertComplete } from "../incomplete-copy.ts";
import { assertStore } from "../migrate.ts";
import { scalar } from "../scalar.ts";
import type { BackupContents } from "./backup-file.ts";
import type { BackupReport, BackupTask } from "./thread-main.ts";

const LOOK_EVERY_MS = 100;

/** Receives the progress of a copy: its size so far and its expected size, in bytes. */
export type OnCopyProgress = (bytes: number, of: number) => void;

/**
 * Copies a store, which may be in use, into an empty file, and verifies the copy.
 *
 * @throws UnusableStore
 */
export async function backUp(
  store: string,
  copy: string,
  onProgress: OnCopyProgress,
): Promise<BackupContents> {
  assertStore(store);
  const bytes = bytesInUse(store);
  const { promise: stalled, reject } = Promise.withResolvers<never>();
  let written = 0;
  let grownAt = performance.now();
  const looking = setInterval(() => {
    // Without the copy its thread fails soon.
    const size = statSync(copy, { throwIfNoEntry: false })?.size ?? written;
    if (size !== written) grownAt = performance.now();
    written = size;
    if (performance.now() - grownAt >= STALLED_MS) reject(new Stalled(stalledMessage(copy)));
    else onProgress(Math.min(size, bytes), bytes);
  }, LOOK_EVERY_MS);
  const copying = runThread({ store, copy, name: "the copy" }, () => {
    clearInterval(looking);
    onProgress(bytes, bytes);
  });
  // Once the copy has been given up, its outcome does not matter.
  copying.catch(() => {});
  try {
    return await Promise.race([copying, stalled]);
  } catch (error) {
    if (existsSync(copy)) throw error;
    throw new UnusableStore(`${copy}, the unfinished copy, was deleted. Back up again.`);
  } finally {
    clearInterval(looking);
  }
}

function stalledMessage(copy: string): string {
  return (
    `the disk of ${dirname(copy)} has accepted no data for ${STALLED_MS / 1000} s, and meanwhile the log of the store ` +
    "cannot shrink. Back up to a disk that works."
  );
}

/**
 * Reads every page and every index of a backup.
 *
 * @param name the name of the backup in messages
 * @throws UnusableStore
 */
export function checkInThread(copy: string, name: string): Promise<BackupContents> {
  return runThread({ store: undefined, copy, name }, () => {});
}

async function runThread(task: BackupTask, onCopied: () => void): Promise<BackupContents> {
  const thread = new Worker(new URL("./thread-main.ts", import.meta.url), { workerData: task });
  try {
    return await new Promise<BackupContents>((resolve, reject) => {
      thread.on("error", reject);
      thread.on("message", (report: BackupReport) => {
        if (report.stage === "copied") onCopied();
        else if (report.stage === "checked") resolve(report.contents);
        else reject(new UnusableStore(report.problem));
      });
    });
  } finally {
    await thread.terminate();
  }
}

/** The size of the pages that a store uses, in bytes. */
function bytesInUse(store: string): number {
  using database = connect(store);
  assertComplete(database, store);
  const bytes = scalar<bigint>(
    database,
    `SELECT (page_count - freelist_count) * page_size
       FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
  );
  return Number(bytes);
}
