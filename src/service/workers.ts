import { availableParallelism } from "node:os";
import { CommandFailure } from "../cli/errors.ts";
import type { Config } from "../config/settings.ts";
import type { EventSink } from "../domain/event.ts";
import type { RunningServer } from "../http/server.ts";
import { createSharedFile, mapShared, SharedRateMemory } from "../http/shared-rate-memory.ts";
import type { OpenedStore } from "../stores/opened-store.ts";
import type { ExitedWorkers } from "../telemetry/metrics/exited-workers.ts";
import type { MetricsSnapshot } from "../telemetry/metrics/metrics.ts";
import { startCrew } from "../workers/supervisor.ts";
import { WorkerFailure } from "../workers/worker-process.ts";
import { readTls } from "./tls.ts";

/** All that `auto` makes: past it the one who writes for all is what limits. */
const AUTO_MAX = 8;

/** How many processes are to serve. */
export function workerCount({ WORKERS }: Config): number {
  // Elsewhere the kernel gives all connections of a shared port to one process.
  const canShare = process.platform === "linux";
  if (WORKERS === "auto") return canShare ? Math.min(availableParallelism(), AUTO_MAX) : 1;
  if (WORKERS === 1 || canShare) return WORKERS;
  throw new CommandFailure(
    `WORKERS is ${WORKERS}; on this system it must be 1: only Linux shares a port.`,
    2,
  );
}

/** This process's number where those of its workers count from 1; it locks nothing. */
const SUPERVISOR = 0;

/** Worker processes that serve together. */
export interface Serving {
  readonly server: RunningServer;
  /** What they have counted, those too that are no more. */
  snapshots(): Promise<MetricsSnapshot[]>;
}

/**
 * Has worker processes serve, as this same program, each told its configuration by this one.
 *
 * @param store writes for all of them, where each does not by itself
 */
export async function startWorkers(config: Config, store: OpenedStore, emit: EventSink): Promise<Serving> {
  const departed = config.METRICS_PORT === undefined ? undefined : await createDeparted();
  const rates = config.RATE_LIMIT && createSharedFile();
  const memory = rates === undefined ? undefined : new SharedRateMemory(mapShared(rates), SUPERVISOR);
  try {
    const server = await startCrew({
      workers: workerCount(config),
      command: [process.execPath, ...process.execArgv, Bun.main, "worker"],
      settings: config,
      host: config.HOST,
      port: config.PORT,
      tls: readTls(config),
      connect: store.writeFor,
      emit,
      shared: rates,
      departed(worker, counts) {
        memory?.unlock(worker);
        if (counts !== undefined) departed?.add(counts as MetricsSnapshot);
      },
    });
    return {
      server,
      async snapshots() {
        // Both in one turn: a worker that ends meanwhile is among the living or the departed, not both or neither.
        const [gone, living] = await Promise.all([departed?.snapshot(), server.counts()]);
        return [...(living as MetricsSnapshot[]), ...(gone ? [gone] : [])];
      },
    };
  } catch (error) {
    if (error instanceof WorkerFailure && error.code === undefined) {
      throw new CommandFailure(`a worker could not start: ${error.message}`, 1, { cause: error });
    }
    throw error;
  }
}

async function createDeparted(): Promise<ExitedWorkers> {
  const { ExitedWorkers } = await import("../telemetry/metrics/exited-workers.ts");
  return new ExitedWorkers();
}
