import type { Config } from "../config/settings.ts";
import type { Store } from "../domain/store.ts";
import { startServer } from "../http/server.ts";
import type { ObservationSink } from "../observations/observation.ts";
import { stopSignal } from "../process/stop-signal.ts";
import { identityOf } from "../stores/backups.ts";
import { openStore } from "../stores/open.ts";
import type { OpenedStore } from "../stores/opened-store.ts";
import { startBackgroundJobs } from "./background-jobs.ts";
import { regularBackups } from "./backups.ts";
import { closeStore } from "./close-store.ts";
import { findUnusableKeys, issueFirstKey } from "./first-key.ts";
import { listenError } from "./listen-error.ts";
import { serveMetrics } from "./metrics.ts";
import { keepRecording } from "./recording.ts";
import { serverOptions } from "./server-options.ts";
import { exitWithin, secondsForRequests } from "./stop-deadline.ts";
import { startTelemetry, type Telemetry } from "./telemetry.ts";
import { readTls, replaceTlsOnHangup, tlsError } from "./tls.ts";
import { workerCount } from "./worker-count.ts";
import type { Serving } from "./workers.ts";

/**
 * Runs the service until a signal says stop.
 *
 * @param warnings about the configuration, for the log
 */
export async function runService(config: Config, warnings: readonly string[]): Promise<void> {
  const telemetry = await startTelemetry(config);
  const { emit, metrics } = telemetry;
  for (const warning of warnings) emit({ event: "setting_warning", warning });
  const stop = stopSignal(process, performance.now.bind(performance), () => process.exit(1));
  const count = workerCount(config);
  const opened = await openStore(config.DATABASE_URL, Date.now, {
    commits: telemetry.commits,
    // Workers answer the requests themselves.
    readStandbys: config.READ_STANDBYS && count === 1,
    standbyReads: metrics?.standbyReads,
    emit,
  });
  const store = telemetry.observe(opened);
  try {
    await store.check();
    const storeIdentity = await identityOf(config.DATABASE_URL);
    const backups = await regularBackups(config);
    let serving: Serving | undefined;
    await using _ = await serveMetrics(config, emit, async () => [
      ...(metrics ? [await metrics.snapshot()] : []),
      ...((await serving?.snapshots()) ?? []),
    ]);
    const writerStarted = opened.startWriter?.();
    // It is awaited below, unless the service fails to listen first.
    writerStarted?.catch(() => {});
    const starting =
      count === 1 ? serveHere(config, store, storeIdentity, telemetry) : serveInWorkers(config, opened, emit);
    serving = await starting.catch(async (error) => {
      throw tlsError(error) ?? (await listenError(error, ["HOST", config.HOST], ["PORT", config.PORT]));
    });
    const { server } = serving;
    metrics?.watchReadiness(() => server.isReady());
    if (opened.writeAheadLog) metrics?.watchWriteAheadLog(opened.writeAheadLog);
    try {
      await writerStarted;
      const recording = config.STABILITY === "experimental" ? await keepRecording(store, emit) : undefined;
      const firstKey = await issueFirstKey(store, config, server.address);
      // Without a certificate SIGHUP keeps its usual effect: closing the terminal ends the program.
      if (config.TLS_CERT) replaceTlsOnHangup(server, config, emit);
      const workers = count === 1 ? undefined : count;
      const { address } = server;
      emit({ event: "listening", address, environment: config.ENVIRONMENT, store: storeIdentity, workers });
      if (firstKey) emit(firstKey);
      const unusable = firstKey ? undefined : await findUnusableKeys(store, config);
      if (unusable) emit(unusable);
      const jobs = startBackgroundJobs(store, config, backups, emit);
      const signal = await stop;
      exitWithin(config.SHUTDOWN_SECONDS, emit);
      emit({ event: "stopping", signal });
      jobs.stop();
      recording?.stop();
    } finally {
      await server.stop(secondsForRequests(config.SHUTDOWN_SECONDS));
    }
  } finally {
    await closeStore(opened, store, telemetry);
  }
  emit({ event: "stopped" });
  // A log whose reader hangs would keep the process running for ever.
  if (!(await telemetry.close())) process.exit(0);
}

async function serveInWorkers(config: Config, store: OpenedStore, emit: ObservationSink): Promise<Serving> {
  const { serveWithWorkers } = await import("./workers.ts");
  return serveWithWorkers(config, store, emit);
}

/** Serves in this process. */
async function serveHere(
  config: Config,
  store: Store,
  storeIdentity: string | undefined,
  telemetry: Telemetry,
): Promise<Serving> {
  const options = { ...serverOptions(config, store, telemetry), storeIdentity };
  const server = await startServer({ ...options, tls: readTls(config) });
  telemetry.metrics?.watchStreams(server.streams);
  telemetry.metrics?.watchFeed(() => store.newestEventId());
  return { server, snapshots: async () => [] };
}
