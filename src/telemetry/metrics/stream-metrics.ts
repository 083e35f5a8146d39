import { Histogram, type Registry } from "prom-client";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import { type RequestObserver, STREAM_ENDS, type StreamCounts } from "../../observations/request-observer.ts";
import { scraped } from "./scraped.ts";

/** Seconds: from a client that fails at once to a client that listens for a day. */
const DURATIONS = [1, 10, 60, 600, 3600, 21_600, 86_400];

/** Metrics of event streams that have ended. */
export function streamMetrics(registry: Registry): Required<Pick<RequestObserver, "streamEnded">> {
  const durations = new Histogram({
    name: "animal_store_event_stream_duration_seconds",
    help: "How long event streams were open, by why they ended.",
    labelNames: ["end"] as const,
    buckets: DURATIONS,
    registers: [registry],
  });
  for (const end of STREAM_ENDS) durations.zero({ end });
  return { streamEnded: ({ end, seconds }) => durations.observe({ end }, seconds) };
}

/**
 * Adds a gauge for how far the feed has come, which each scrape reads.
 *
 * @param newest reads the id of the newest event
 */
export function watchFeed(registry: Registry, newest: () => MaybePromise<bigint>): void {
  scraped(registry).gauge(
    "animal_store_feed_newest_id",
    "Id of the newest event in the feed, which all instances write. Ids jump when another database server takes over.",
    "max",
    async () => {
      try {
        return Number(await newest());
      } catch {
        // The store cannot be read now, which readiness reports.
        return undefined;
      }
    },
  );
}

/** Adds the metrics of open event streams, which each scrape reads. */
export function watchStreams(registry: Registry, look: () => StreamCounts): void {
  const { counter, gauge } = scraped(registry);
  gauge("animal_store_event_streams", "Clients that listen to a stream of events.", "sum", () => look().open);
  const sent = "Events sent to streams, one for each stream that got it.";
  counter("animal_store_events_sent_total", sent, () => look().eventsSent);
}
