import { expect, test } from "bun:test";
import { Departed } from "../../src/telemetry/metrics/exited-workers.ts";
import { createMetrics, type MetricsSnapshot } from "../../src/telemetry/metrics/metrics.ts";

/** What a process has counted in which so many sweeps failed. */
async function countsOf(sweeps: number): Promise<MetricsSnapshot> {
  const metrics = createMetrics({ environment: "production", engine: "sqlite", clock: Date.now });
  for (let n = 0; n < sweeps; n++) metrics.count({ event: "sweep_failed", error: undefined });
  return metrics.snapshot();
}

test("processes that end in one turn of the event loop all stay counted", async () => {
  const departed = new Departed();
  const counts = await Promise.all([1, 10, 100].map(countsOf));
  for (const each of counts) departed.add(each);
  const troubles = (await departed.snapshot()).find(({ name }) => name === "animal_store_troubles_total");
  const swept = troubles?.values.find(({ labels }) => labels.event === "sweep_failed");
  expect(swept?.value).toBe(111);
});
