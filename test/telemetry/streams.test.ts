import { expect, test } from "bun:test";
import { EventReader } from "../support/event-reader.ts";
import { temporaryFolder } from "../support/folder.ts";
import { Metrics } from "../support/metrics.ts";
import { serve } from "../support/program.ts";
import { until } from "../support/until.ts";

test("streams and the events that they got are counted, and the log says why each ended", async () => {
  using folder = temporaryFolder();
  const env = { METRICS_PORT: "0", STABILITY: "experimental", LOG_REQUESTS: "true", WORKERS: "1" };
  await using service = await serve({ cwd: folder.path, env });
  const { address, key } = service;
  const at = /"metrics":"([^"]+)"/.exec(service.output())?.[1] ?? "";
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const create = () =>
    fetch(`${address}/v1/pets`, { method: "POST", headers, body: '{"name":"Rex","categoryId":1}' });
  const ended = (metrics: Metrics) =>
    metrics.sum("animal_store_event_stream_duration_seconds_count", { end: "client_left" });

  const before = await Metrics.at(at);
  expect([before.sum("animal_store_event_streams"), ended(before)]).toEqual([0, 0]);
  const first = await EventReader.open(address, key, "/v1/events?from=latest", { "x-request-id": "first" });
  await using second = await EventReader.open(address, key, "/v1/events?from=latest");
  for (let n = 0; n < 3; n++) await create();
  const received = await first.take(3);
  await second.take(3);
  const open = await Metrics.at(at);
  expect(open.sum("animal_store_event_streams")).toBe(2);
  expect(open.sum("animal_store_events_sent_total")).toBe(6);
  expect(open.sum("animal_store_feed_newest_id")).toBe(Number(received.at(-1)?.id));

  await first[Symbol.asyncDispose]();
  await until(async () => ended(await Metrics.at(at)) === 1);
  const after = await Metrics.at(at);
  expect(after.sum("animal_store_event_streams")).toBe(1);
  expect(after.sum("animal_store_events_sent_total")).toBe(6);
  await service.says('"end":"client_left"');
  const line = service
    .output()
    .split("\n")
    .find((line) => line.includes('"end":"client_left"'));
  expect(JSON.parse(line ?? "")).toMatchObject({
    level: "info",
    requestId: "first",
    keyId: 1,
    eventsSent: 3,
  });
  expect(line).toMatch(
    /"seconds":\d+\.?\d*,"msg":"stream of events ended after [\d.]+ s and 3 events: client_left"/,
  );
});
