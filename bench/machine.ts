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

/** Linux's number for file systems in memory: `TMPFS_MAGIC`. */
const IN_MEMORY = 0x01021994;

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGigabytes: number;
  readonly system: string;
  readonly kernel: string;
  /** For the file system that holds the stores. */
  readonly syncMilliseconds: Spread;
  readonly inMemory: boolean;
  readonly bun: string;
  readonly node: string;
  /** The load average of the minute before the bench: the number of processes ready to run. */
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

/** Measures how long it takes to append 4 KiB to a file durably, as a transaction does. */
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
