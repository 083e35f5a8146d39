import { expect, test } from "bun:test";
import { knownResponses } from "../../src/http/response/known-responses.ts";
import { ExitedWorkers } from "../../src/telemetry/metrics/exited-workers.ts";
import { createMetrics, type MetricsSnapshot } from "../../src/telemetry/metrics/metrics.ts";

/** What a process has counted in which so many sweeps failed. */
async function countsOf(sweeps: number): Promise<MetricsSnapshot> {
  const metrics = createMetrics({
    environment: "production",
    engine: "sqlite",
    responses: knownResponses([]),
    clock: Date.now,
  });
  for (let n = 0; n < sweeps; n++) metrics.count({ event: "cleanup_failed", error: undefined });
  return metrics.snapshot();
}

test("processes that end in one turn of the event loop all stay counted", async () => {
  const exited = new ExitedWorkers();
  const counts = await Promise.all([1, 10, 100].map(countsOf));
  for (const each of counts) exited.add(each);
  const errors = (await exited.snapshot()).find(({ name }) => name === "animal_store_error_events_total");
  const swept = errors?.values.find(({ labels }) => labels.event === "cleanup_failed");
  expect(swept?.value).toBe(111);
});
