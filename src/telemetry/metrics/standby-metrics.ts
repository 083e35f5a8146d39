import { Counter, Gauge, type Registry } from "prom-client";
import { FALLBACK_REASONS, type StandbyObserver } from "../../observations/standby-observer.ts";

/** The server that answers what no standby can. */
const PRIMARY = "primary";

/** Metrics of the reads that standbys may answer. */
export function standbyMetrics(registry: Registry): StandbyObserver {
  const registers = [registry];
  const reads = new Counter({
    name: "animal_store_standby_reads_total",
    help: "Reads of the store that standbys may answer, by the server that did: a standby, or the primary.",
    labelNames: ["server"] as const,
    registers,
  });
  const fallbacks = new Counter({
    name: "animal_store_standby_fallbacks_total",
    help: "Reads of the store that standbys might have answered and the primary did, by reason.",
    labelNames: ["reason"] as const,
    registers,
  });
  const lag = new Gauge({
    name: "animal_store_standby_lag_revisions",
    help: "Commits of changes that a standby lacked when it was last measured; 0 for the primary.",
    labelNames: ["server"] as const,
    aggregator: "max",
    registers,
  });
  const serves = (server: string) => {
    reads.inc({ server }, 0);
    lag.set({ server }, 0);
  };
  // Each counter starts at 0: Prometheus sees no increase from a series that did not exist before.
  serves(PRIMARY);
  for (const reason of FALLBACK_REASONS) fallbacks.inc({ reason }, 0);
  return {
    serves: (servers) => servers.forEach(serves),
    answered: (server, count) => reads.inc({ server }, count),
    fellBack(reason, count) {
      fallbacks.inc({ reason }, count);
      reads.inc({ server: PRIMARY }, count);
    },
    lags: (server, revisions) => lag.set({ server }, revisions),
  };
}
