import { expect, test } from "bun:test";
import { AnimalStore } from "../../client/animal-store.ts";
import { startRelayProcess } from "../../test/relay/relay-process.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { residentMb } from "../../test/support/processes.ts";
import { startService } from "../../test/support/service.ts";
import { until } from "../../test/support/until.ts";
import { shareOfCount } from "../share.ts";

const EVENTS = shareOfCount(5_000, "events to deliver");
const AT_ONCE = 100;

test(`${EVENTS} events reach a fast receiver; how many a second, next to the feed itself`, async () => {
  await using service = await startService({});
  await service.store.recordEvents(true);
  for (let created = 0; created < EVENTS; created += AT_ONCE) {
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, EVENTS - created) }, () =>
        service.create('{"name":"Rex","categoryId":1}'),
      ),
    );
  }
  const store = new AnimalStore({ baseUrl: `${service.address}/v1`, apiKey: service.key, cacheSize: 0 });
  const readFrom = performance.now();
  let read = 0;
  for await (const _ of store.events.list()) read++;
  const readSeconds = (performance.now() - readFrom) / 1000;
  expect(read).toBe(EVENTS);

  let delivered = 0;
  let [firstAt, lastAt] = [0, 0];
  await using receiver = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => {
      lastAt = performance.now();
      firstAt ||= lastAt;
      delivered++;
      return new Response(null, { status: 204 });
    },
  });
  using folder = temporaryFolder();
  const start = { cwd: folder.path, address: service.address, key: service.key, to: receiver.url.href };
  await using relay = startRelayProcess(start);
  await until(() => delivered >= EVENTS);
  const megabytes = residentMb(relay.pid);
  process.kill(relay.pid, "SIGTERM");
  await relay.exited;
  const rate = (count: number, seconds: number) => Math.round(count / seconds);
  console.table({
    "events a second, read as pages": rate(read, readSeconds),
    "deliveries a second, one at a time": rate(delivered, (lastAt - firstAt) / 1000),
    "CPU of the relay for a delivery, microseconds": Math.round(relay.cpuMicroseconds / delivered),
    "memory of the relay, MB": Math.round(megabytes),
  });
});
