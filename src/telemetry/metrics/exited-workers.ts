import { AggregatorRegistry } from "prom-client";
import type { MetricsSnapshot } from "./metrics.ts";

/** The counts of worker processes that have exited: the service's counters must not fall when a worker ends. */
export class ExitedWorkers {
  /** The additions form a chain, because two workers may exit in one turn of the event loop. */
  #counts: Promise<MetricsSnapshot> = Promise.resolve([]);

  /** @param last the last snapshot of a worker */
  add(last: MetricsSnapshot): void {
    // A gauge, for example of memory, ended with its worker.
    const counts = last.filter(({ type }) => ["counter", "histogram"].includes(String(type)));
    this.#counts = this.#counts.then((before) =>
      AggregatorRegistry.aggregate([[...before], counts]).getMetricsAsJSON(),
    );
  }

  snapshot(): Promise<MetricsSnapshot> {
    return this.#counts;
  }
}
