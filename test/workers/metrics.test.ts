import { expect, test } from "bun:test";
import { temporaryFolder } from "../support/folder.ts";
import { Metrics } from "../support/metrics.ts";
import { serve } from "../support/program.ts";

const REQUESTS = 40;

test("metrics are the sum over all workers, and do not fall when a worker is replaced", async () => {
  using folder = temporaryFolder();
  await using service = await serve({ cwd: folder.path, env: { WORKERS: "2", METRICS_PORT: "0" } });
  const place = /"metrics":"([^"]+)"/.exec(service.output())?.[1] ?? "";
  const headers = { authorization: `Bearer ${service.key}`, "content-type": "application/json" };
  const asked = async () => {
    const metrics = await Metrics.at(place);
    return {
      lists: metrics.sum("http_server_request_duration_seconds_count", { operation: "listPets" }),
      creates: metrics.sum("http_server_request_duration_seconds_count", { operation: "createPet" }),
      committed: metrics.sum("animal_store_commit_batch_size_sum"),
      ready: metrics.sum("animal_store_ready"),
    };
  };
  const ask = async () => {
    for (let count = 0; count < REQUESTS; count++) {
      const init = { headers, keepalive: false } as const;
      await fetch(`${service.address}/v1/pets`, init);
      await fetch(`${service.address}/v1/pets`, {
        ...init,
        method: "POST",
        body: '{"name":"Rex","categoryId":1}',
      });
    }
  };
  await ask();
  const once = { lists: REQUESTS, creates: REQUESTS, committed: REQUESTS, ready: 1 };
  expect(await asked()).toEqual(once);
  for (const [at, worker] of service.workers().entries()) {
    process.kill(worker, "SIGKILL");
    while (service.output().split("is replaced").length < at + 2) await Bun.sleep(5);
    expect(await asked()).toEqual(once);
  }
  await ask();
  expect(await asked()).toEqual({
    lists: 2 * REQUESTS,
    creates: 2 * REQUESTS,
    committed: 2 * REQUESTS,
    ready: 1,
  });
});
