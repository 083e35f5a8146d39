import type { Config } from "../config.ts";
import { startServer } from "../http/server.ts";
import { openStore } from "../stores/open.ts";
import { hasSupervisor, type Prepared, takeOrders } from "../workers/take-orders.ts";
import { CommandFailure } from "./failure.ts";
import { serverOptions } from "./server-options.ts";
import { startTelemetry } from "./telemetry.ts";

/** `animal-store worker`: one of the processes that `serve` starts where there are to be several. */
export async function work(): Promise<void> {
  if (!hasSupervisor()) {
    throw new CommandFailure("a worker is started by `serve`, with WORKERS or --workers.", 2);
  }
  // A terminal's Ctrl+C, and a service manager's signal, reach all; the supervisor says what is to be done.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
  await takeOrders(prepare);
}

/** @param settings the supervisor's configuration */
async function prepare(worker: number, settings: unknown): Promise<Prepared> {
  const config = settings as Config;
  const telemetry = await startTelemetry(config, worker);
  const store = telemetry.observe(await openStore(config.DATABASE_URL, Date.now, telemetry.commits));
  return {
    listen: (listening) => startServer({ ...serverOptions(config, store, telemetry), ...listening }),
    close: () => store.close(),
  };
}
