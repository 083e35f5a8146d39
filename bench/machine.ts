import {
  closeSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeSync,
} from "node:fs";
import { availableParallelism, cpus, release, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { type Spread, spread } from "./spread.ts";

/** Linux's number for file systems in memory (`TMPFS_MAGIC`). */
const IN_MEMORY = 0x01021994;

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGigabytes: number;
  readonly system: string;
  readonly kernel: string;
  /** Of the file system that the stores lie on. */
  readonly syncMilliseconds: Spread;
  readonly inMemory: boolean;
  readonly bun: string;
  readonly node: string;
  /** How busy it was before the bench began: processes that wanted to run, over the last minute. */
  readonly load: number;
}

export function describeMachine(): Machine {
  return {
    processor: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    memoryGigabytes: Math.round(totalmem() / 1e9),
    system: /^PRETTY_NAME="?([^"\n]*)/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? "Linux",
    kernel: release(),
    syncMilliseconds: measureSync(),
    inMemory: statfsSync(tmpdir()).type === IN_MEMORY,
    bun: Bun.version,
    node: Bun.spawnSync(["node", "--version"]).stdout.toString().trim().replace(/^v/, ""),
    load: Number(readFileSync("/proc/loadavg", "utf8").split(" ")[0]),
  };
}

const SYNCS = 200;

/** What it takes to have 4 KiB more of a file on the disk, as a transaction must. */
function measureSync(): Spread {
  const folder = mkdtempSync(join(tmpdir(), "animal-store-bench-sync-"));
  const file = openSync(join(folder, "file"), "w");
  try {
    const page = Buffer.alloc(4096, 1);
    const took = Array.from({ length: SYNCS }, () => {
      writeSync(file, page);
      const begin = performance.now();
      fsyncSync(file);
      return performance.now() - begin;
    });
    return spread(took);
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true });
  }
}
