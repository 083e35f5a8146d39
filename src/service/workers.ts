import type { Config } from "../config/settings.ts";
import {
  createSharedFile,
  mapShared,
  SharedRateLimitStore,
} from "../http/rate-limit/shared-rate-limit-store.ts";
import type { RunningServer } from "../http/server.ts";
import type { ObservationSink } from "../observations/observation.ts";
import { CommandFailure } from "../process/errors.ts";
import { ownCommand } from "../process/own-command.ts";
import type { OpenedStore } from "../stores/opened-store.ts";
import type { ExitedWorkers } from "../telemetry/metrics/exited-workers.ts";
import type { MetricsSnapshot } from "../telemetry/metrics/metrics.ts";
import { startWorkers } from "../workers/supervisor.ts";
import { WorkerFailure } from "../workers/worker-process.ts";
import { readTls } from "./tls.ts";
import { workerCount } from "./worker-count.ts";

/** The supervisor's number in the shared rate limits, where workers count from 1; it locks nothing. */
const SUPERVISOR = 0;

/** A server, with the metrics of its worker processes, if any. */
export interface Serving {
  readonly server: Omit<RunningServer, "streams">;
  /** The metrics of all workers, including those that have exited. */
  snapshots(): Promise<MetricsSnapshot[]>;
}

/**
 * Starts workers, which are this same program, and sends each its configuration.
 *
 * @param store writes for all workers, if its engine allows one writing process only
 */
export async function serveWithWorkers(
  config: Config,
  store: OpenedStore,
  emit: ObservationSink,
): Promise<Serving> {
  const exited = config.METRICS_PORT === undefined ? undefined : await createExitedWorkers();
  const rates = config.RATE_LIMIT && createSharedFile();
  const memory = rates === undefined ? undefined : new SharedRateLimitStore(mapShared(rates), SUPERVISOR);
  try {
    const server = await startWorkers({
      workers: workerCount(config),
      command: ownCommand("worker"),
      settings: config,
      host: config.HOST,
      port: config.PORT,
      tls: readTls(config),
      connect: store.writeFor,
      emit,
      shared: rates,
      onExit(worker, counts) {
        memory?.unlock(worker);
        if (counts !== undefined) exited?.add(counts as MetricsSnapshot);
      },
    });
    return {
      server,
      async snapshots() {
        // Both in one turn: a worker that exits meanwhile counts as running or as exited, never as both or neither.
        const [gone, running] = await Promise.all([exited?.snapshot(), server.counts()]);
        return [...(running as MetricsSnapshot[]), ...(gone ? [gone] : [])];
      },
    };
  } catch (error) {
    if (error instanceof WorkerFailure && error.code === undefined) {
      throw new CommandFailure(`a worker could not start: ${error.message}`, 1, { cause: error });
    }
    throw error;
  }
}

async function createExitedWorkers(): Promise<ExitedWorkers> {
  const { ExitedWorkers } = await import("../telemetry/metrics/exited-workers.ts");
  return new ExitedWorkers();
}
