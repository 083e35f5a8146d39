import type { Config } from "../config/settings.ts";
import type { RateLimitStore } from "../http/rate-limit/rate-limit-store.ts";
import { mapShared, SharedRateLimitStore } from "../http/rate-limit/shared-rate-limit-store.ts";
import { startServer } from "../http/server.ts";
import { CommandFailure } from "../process/errors.ts";
import { identityOf } from "../stores/backups.ts";
import { openStore } from "../stores/open.ts";
import { hasSupervisor, type Prepared, runWorker } from "../workers/worker-main.ts";
import { SHARED_DESCRIPTOR, WRITER_DESCRIPTOR } from "../workers/worker-process.ts";
import { closeStore } from "./close-store.ts";
import { serverOptions } from "./server-options.ts";
import { startTelemetry, type Telemetry } from "./telemetry.ts";
import { workerCount } from "./worker-count.ts";

/** Serves as one of several workers, as the supervisor commands. */
export async function serveAsWorker(): Promise<void> {
  if (!hasSupervisor()) {
    throw new CommandFailure("a worker is started by `serve`, with WORKERS or --workers.", 2);
  }
  // Ctrl+C in a terminal, or a service manager's signal, reaches all processes; only the supervisor acts on it.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
  let telemetry: Telemetry | undefined;
  await runWorker(async (worker, settings) => {
    const config = settings as Config;
    telemetry = await startTelemetry(config, worker);
    const rateLimitStore =
      config.RATE_LIMIT && new SharedRateLimitStore(mapShared(SHARED_DESCRIPTOR), worker);
    return prepare(config, telemetry, rateLimitStore);
  });
  // A log whose reader hangs would keep the process running for ever.
  if (!((await telemetry?.close()) ?? true)) process.exit(0);
}

async function prepare(
  config: Config,
  telemetry: Telemetry,
  rateLimitStore: RateLimitStore | undefined,
): Promise<Prepared> {
  const opened = await openStore(config.DATABASE_URL, Date.now, {
    commits: telemetry.commits,
    readStandbys: config.READ_STANDBYS,
    standbyReads: telemetry.metrics?.standbyReads,
    emit: telemetry.emit,
    writer: {
      descriptor: WRITER_DESCRIPTOR,
      sharers: workerCount(config),
      // A worker that cannot store anything makes room for its replacement.
      lost: () => process.exit(1),
    },
  });
  const store = telemetry.observe(opened);
  const storeIdentity = await identityOf(config.DATABASE_URL);
  return {
    async listen(listening) {
      const server = await startServer({
        ...serverOptions(config, store, telemetry),
        storeIdentity,
        rateLimitStore,
        ...listening,
      });
      telemetry.metrics?.watchReadiness(() => server.isReady());
      telemetry.metrics?.watchStreams(server.streams);
      telemetry.metrics?.watchFeed(() => store.newestEventId());
      return server;
    },
    count: async () => telemetry.metrics?.snapshot(),
    close: () => closeStore(opened, store, telemetry),
  };
}
