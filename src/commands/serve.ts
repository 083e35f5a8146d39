import { configOf } from "../cli/options.ts";
import { stopSignal } from "../cli/stop-signal.ts";
import type { Config } from "../config/settings.ts";
import type { Store } from "../domain/store.ts";
import { startServer } from "../http/server.ts";
import { keepHouse } from "../service/background-jobs.ts";
import { findUnusableKeys, issueFirstKey } from "../service/first-key.ts";
import { cannotListen } from "../service/listen-error.ts";
import { serveMetrics } from "../service/metrics.ts";
import { serverOptions } from "../service/server-options.ts";
import { endWithin, secondsForRequests } from "../service/stop-deadline.ts";
import { startTelemetry, type Telemetry } from "../service/telemetry.ts";
import { readTls, replaceTlsOnHangup, unusableTls } from "../service/tls.ts";
import { type Serving, startWorkers, workerCount } from "../service/workers.ts";
import { openStore } from "../stores/open.ts";

/** `animal-store serve`: serves until a signal says stop. */
export async function serve(options: Record<string, unknown>): Promise<void> {
  const { config, warnings } = configOf(options);
  const telemetry = await startTelemetry(config);
  const { emit, metrics } = telemetry;
  for (const warning of warnings) emit({ event: "setting_warning", warning });
  const stop = stopSignal(process, performance.now.bind(performance), () => process.exit(1));
  const opened = await openStore(config.DATABASE_URL, Date.now, { commits: telemetry.commits, emit });
  const store = telemetry.observe(opened);
  try {
    await store.check();
    let serving: Serving | undefined;
    await using _ = await serveMetrics(config, emit, async () => [
      ...(metrics ? [await metrics.snapshot()] : []),
      ...((await serving?.snapshots()) ?? []),
    ]);
    const writerStarted = opened.startWriter?.();
    // It is awaited below, unless the service fails to listen first.
    writerStarted?.catch(() => {});
    const count = workerCount(config);
    const starting = count === 1 ? serveHere(config, store, telemetry) : startWorkers(config, opened, emit);
    serving = await starting.catch((error) => {
      if ((error as NodeJS.ErrnoException).code?.startsWith("ERR_OSSL")) throw unusableTls(error);
      throw cannotListen(error, ["HOST", config.HOST], ["PORT", config.PORT]);
    });
    const { server } = serving;
    await writerStarted;
    metrics?.watchReadiness(() => server.isReady());
    if (opened.writeAheadLog) metrics?.watchWriteAheadLog(opened.writeAheadLog);
    try {
      const firstKey = await issueFirstKey(store, config, server.address);
      // Without a certificate a hangup does what it does to every program: a closed terminal ends it.
      if (config.TLS_CERT) replaceTlsOnHangup(server, config, emit);
      const workers = count === 1 ? undefined : count;
      emit({ event: "listening", address: server.address, environment: config.ENVIRONMENT, workers });
      if (firstKey) emit(firstKey);
      const keyless = firstKey ? undefined : await findUnusableKeys(store, config);
      if (keyless) emit(keyless);
      const housekeeping = keepHouse(store, config, emit);
      const signal = await stop;
      endWithin(config.SHUTDOWN_SECONDS, emit);
      emit({ event: "stopping", signal });
      housekeeping.stop();
    } finally {
      await server.stop(secondsForRequests(config.SHUTDOWN_SECONDS));
    }
  } finally {
    await store.close();
  }
  emit({ event: "stopped" });
  // One who does not read the log would keep the program for ever.
  if (!(await telemetry.close())) process.exit(0);
}

/** Serves in this process. */
async function serveHere(config: Config, store: Store, telemetry: Telemetry): Promise<Serving> {
  const server = await startServer({ ...serverOptions(config, store, telemetry), tls: readTls(config) });
  return { server, snapshots: async () => [] };
}
