import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Notice } from "../../../relay/notice.ts";

const NAME = "animal_store_relay";

/** The metrics of a relay, in the text format of Prometheus. */
export class RelayMetrics {
  readonly #registry = new Registry();
  readonly #attempts = new Counter({
    name: `${NAME}_attempts_total`,
    help: "Attempts to deliver an event, by how they ended: delivered or failed.",
    labelNames: ["outcome"],
    registers: [this.#registry],
  });
  readonly #seconds = new Histogram({
    name: `${NAME}_attempt_seconds`,
    help: "How long the target took to answer, in seconds.",
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 5, 15],
    registers: [this.#registry],
  });
  readonly #event = new Gauge({
    name: `${NAME}_event`,
    help: "The id of the last event that was delivered or passed over.",
    registers: [this.#registry],
  });
  readonly #lag = new Gauge({
    name: `${NAME}_lag_seconds`,
    help: "How old the last delivered event was on its delivery, or how old an event is whose delivery fails, in seconds.",
    registers: [this.#registry],
  });
  readonly #failures = new Gauge({
    name: `${NAME}_failures_in_a_row`,
    help: "Failed attempts since the last delivery. An alert on it finds a receiver that is away.",
    registers: [this.#registry],
  });

  constructor() {
    for (const outcome of ["delivered", "failed"]) this.#attempts.inc({ outcome }, 0);
  }

  count(notice: Notice): void {
    if (notice.notice === "passed_over") this.#event.set(Number(notice.id));
    if (notice.notice !== "delivered" && notice.notice !== "attempt_failed") return;
    const { message, attempts, milliseconds } = notice;
    const isDelivered = notice.notice === "delivered";
    this.#attempts.inc({ outcome: isDelivered ? "delivered" : "failed" });
    this.#seconds.observe(milliseconds / 1000);
    this.#lag.set(Math.max(0, (Date.now() - Date.parse(message.event.at)) / 1000));
    this.#failures.set(isDelivered ? 0 : attempts);
    if (isDelivered) this.#event.set(Number(message.event.id));
  }

  /**
   * Serves them at `/metrics`, on a port of their own.
   *
   * @returns the server, whose address is in its `url`
   * @throws the runtime's error, with a `code` such as EADDRINUSE, when it cannot listen
   */
  serve(hostname: string, port: number): { readonly url: URL; stop(force: boolean): Promise<void> } {
    return Bun.serve({
      hostname,
      port,
      reusePort: false,
      development: false,
      fetch: async ({ url }) => {
        if (new URL(url).pathname !== "/metrics") return new Response(null, { status: 404 });
        const headers = { "Cache-Control": "no-store", "Content-Type": this.#registry.contentType };
        return new Response(await this.#registry.metrics(), { headers });
      },
      error: () => new Response(null, { status: 500 }),
    });
  }
}
