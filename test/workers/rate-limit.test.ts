import { expect, test } from "bun:test";
import { join } from "node:path";
import { RateLimiter } from "../../src/http/rate-limit/rate-limit.ts";
import {
  createSharedFile,
  mapShared,
  SharedRateLimitStore,
} from "../../src/http/rate-limit/shared-rate-limit-store.ts";
import { temporaryFolder } from "../support/folder.ts";
import { serve } from "../support/program.ts";

test.skipIf(process.platform !== "linux")(
  "a key has one quota for the whole service, whichever workers answer it",
  async () => {
    using folder = temporaryFolder();
    await using service = await serve({ cwd: folder.path, env: { WORKERS: "2", RATE_LIMIT: "20/h" } });
    const headers = { authorization: `Bearer ${service.key}` };
    const statuses: number[] = [];
    const ask = async () => {
      // On a connection of its own, which any worker may get.
      const { status } = await fetch(`${service.address}/v1/pets`, { headers, keepalive: false });
      statuses.push(status);
    };
    for (let burst = 0; burst < 4; burst++) await Promise.all(Array.from({ length: 15 }, ask));
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(40);

    // What was used stays used when the workers that counted it are gone.
    for (const worker of service.workers()) process.kill(worker, "SIGKILL");
    while (service.output().split("is replaced").length < 3) await Bun.sleep(5);
    statuses.length = 0;
    await Promise.all(Array.from({ length: 10 }, ask));
    expect(statuses).toEqual(Array(10).fill(429));
  },
);

test("several processes count at once and lose nothing", async () => {
  const file = createSharedFile();
  const script = join(import.meta.dir, "./count-requests.ts");
  const [processes, requests, callers] = [3, 400_000, 4];
  const counting = Array.from({ length: processes }, async (_, index) => {
    await using child = Bun.spawn([process.execPath, script, `${index + 1}`, `${requests}`, `${callers}`], {
      stdio: ["ignore", "inherit", "inherit", file],
    });
    expect(await child.exited).toBe(0);
  });
  await Promise.all(counting);
  const memory = new SharedRateLimitStore(mapShared(file), processes + 1);
  for (let caller = 1; caller <= callers; caller++) {
    memory.update(caller, 0, (used) => {
      expect(used.units).toBe((processes * requests) / callers);
      return used;
    });
  }
});

test("callers are distinguished, up to their maximum number", () => {
  const memory = new SharedRateLimitStore(mapShared(createSharedFile()), 1);
  const limiter = new RateLimiter({ quota: 1, windowSeconds: 60 }, memory);
  const callers = Array.from({ length: 40_000 }, (_, index) => index + 1);
  expect(callers.every((caller) => limiter.take(caller, 1000).retryAfterSeconds === 0)).toBe(true);
  expect(callers.every((caller) => limiter.take(caller, 1000).retryAfterSeconds === 60)).toBe(true);
});

test("a lock whose holder has ended is freed", () => {
  const bytes = mapShared(createSharedFile());
  const [one, two] = [new SharedRateLimitStore(bytes, 1), new SharedRateLimitStore(bytes, 2)];
  expect(() =>
    one.update(7, 0, () => {
      throw new Error("killed");
    }),
  ).toThrow("killed");
  two.unlock(1);
  let units = -1;
  two.update(7, 0, (used) => {
    ({ units } = used);
    return used;
  });
  expect(units).toBe(0);
});

test("the clocks of two processes, a moment apart, refill a quota once", () => {
  const memory = new SharedRateLimitStore(mapShared(createSharedFile()), 1);
  const limiter = new RateLimiter({ quota: 1000, windowSeconds: 1 }, memory);
  let granted = 0;
  // Two processes whose clocks are read on either side of a tick: a thousand times, but no time passes.
  for (let count = 0; count < 4000; count++) {
    if (limiter.take(1, 5000 + (count % 2)).retryAfterSeconds === 0) granted++;
  }
  expect(granted).toBeLessThanOrEqual(1001);
});
