import { Counter, Gauge, type Registry } from "prom-client";
import type { MaybePromise } from "../../domain/maybe-promise.ts";

/** How the values of several processes become one. */
type Aggregator = "sum" | "min" | "max";

/** Adds metrics that each scrape reads. */
export function scraped(registry: Registry) {
  const registers = [registry];
  return {
    counter(name: string, help: string, read: () => number): void {
      new Counter({
        name,
        help,
        registers,
        collect() {
          this.reset();
          this.inc(read());
        },
      });
    },
    /** @param read returns `undefined` if nothing is known now: then the last value stays */
    gauge(
      name: string,
      help: string,
      aggregator: Aggregator,
      read: () => MaybePromise<number | undefined>,
    ): void {
      new Gauge({
        name,
        help,
        registers,
        aggregator,
        async collect() {
          const value = await read();
          if (value !== undefined) this.set(value);
        },
      });
    },
  };
}
