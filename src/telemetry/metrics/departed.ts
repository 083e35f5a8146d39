import { AggregatorRegistry } from "prom-client";
import type { MetricsSnapshot } from "./metrics.ts";

/** What processes of the service have counted that are no more: its counters must not fall with them. */
export class Departed {
  #counts: MetricsSnapshot = [];

  /** @param last the last snapshot of a process */
  async add(last: MetricsSnapshot): Promise<void> {
    // What it measured, its memory say, went with it.
    const counts = last.filter(({ type }) => ["counter", "histogram"].includes(String(type)));
    this.#counts = await AggregatorRegistry.aggregate([[...this.#counts], counts]).getMetricsAsJSON();
  }

  snapshot(): MetricsSnapshot {
    return this.#counts;
  }
}
