import { availableParallelism } from "node:os";
import type { Config } from "../config/settings.ts";
import { CommandFailure } from "../process/errors.ts";

/** The most workers that `auto` starts: beyond them the process that writes for all is the limit. */
const AUTO_MAX = 8;

/** How many processes should serve. */
export function workerCount({ WORKERS }: Config): number {
  // Elsewhere the kernel gives all connections of a shared port to one process.
  const canShare = process.platform === "linux";
  if (WORKERS === "auto") return canShare ? Math.min(availableParallelism(), AUTO_MAX) : 1;
  if (WORKERS === 1 || canShare) return WORKERS;
  throw new CommandFailure(
    `WORKERS is ${WORKERS}; on this system it must be 1: only Linux can share a port.`,
    2,
  );
}
