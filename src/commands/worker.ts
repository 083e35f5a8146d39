import { CommandFailure } from "../cli/errors.ts";
import type { Config } from "../config/settings.ts";
import type { RateMemory } from "../http/rate-memory.ts";
import { startServer } from "../http/server.ts";
import { mapShared, SharedRateMemory } from "../http/shared-rate-memory.ts";
import { serverOptions } from "../service/server-options.ts";
import { startTelemetry, type Telemetry } from "../service/telemetry.ts";
import { workerCount } from "../service/workers.ts";
import { openStore } from "../stores/open.ts";
import { hasSupervisor, type Prepared, takeOrders } from "../workers/worker-main.ts";
import { SHARED_DESCRIPTOR, WRITER_DESCRIPTOR } from "../workers/worker-process.ts";

/** `animal-store worker`: one of the processes that `serve` starts where there are to be several. */
export async function work(): Promise<void> {
  if (!hasSupervisor()) {
    throw new CommandFailure("a worker is started by `serve`, with WORKERS or --workers.", 2);
  }
  // A terminal's Ctrl+C, and a service manager's signal, reach all; the supervisor says what is to be done.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
  let telemetry: Telemetry | undefined;
  await takeOrders(async (worker, settings) => {
    const config = settings as Config;
    telemetry = await startTelemetry(config, worker);
    const rateMemory = config.RATE_LIMIT && new SharedRateMemory(mapShared(SHARED_DESCRIPTOR), worker);
    return prepare(config, telemetry, rateMemory);
  });
  // One who does not read the log would keep the process for ever.
  if (!((await telemetry?.close()) ?? true)) process.exit(0);
}

async function prepare(
  config: Config,
  telemetry: Telemetry,
  rateMemory: RateMemory | undefined,
): Promise<Prepared> {
  const opened = await openStore(config.DATABASE_URL, Date.now, {
    commits: telemetry.commits,
    emit: telemetry.emit,
    writer: {
      descriptor: WRITER_DESCRIPTOR,
      sharers: workerCount(config),
      // One who cannot store anything makes room for another.
      lost: () => process.exit(1),
    },
  });
  const store = telemetry.observe(opened);
  return {
    async listen(listening) {
      const server = await startServer({
        ...serverOptions(config, store, telemetry),
        rateMemory,
        ...listening,
      });
      telemetry.metrics?.watchReadiness(() => server.isReady());
      return server;
    },
    count: async () => telemetry.metrics?.snapshot(),
    close: () => store.close(),
  };
}
