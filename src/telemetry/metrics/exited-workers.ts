import { AggregatorRegistry } from "prom-client";
import type { MetricsSnapshot } from "./metrics.ts";

/** What processes of the service have counted that are no more: its counters must not fall with them. */
export class Departed {
  /** Of all that were added before: two processes may end in one turn of the event loop. */
  #counts: Promise<MetricsSnapshot> = Promise.resolve([]);

  /** @param last the last snapshot of a process */
  add(last: MetricsSnapshot): void {
    // What it measured, its memory say, went with it.
    const counts = last.filter(({ type }) => ["counter", "histogram"].includes(String(type)));
    this.#counts = this.#counts.then((before) =>
      AggregatorRegistry.aggregate([[...before], counts]).getMetricsAsJSON(),
    );
  }

  snapshot(): Promise<MetricsSnapshot> {
    return this.#counts;
  }
}
