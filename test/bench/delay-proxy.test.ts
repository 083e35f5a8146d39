import { expect, test } from "bun:test";
import { startDelayProxy } from "../../bench/load/delay-proxy.ts";

const DELAY_MS = 20;
/** More than the buffers of sockets take at once. */
const LARGE = "Лайка".repeat(400_000);

test("the delaying proxy keeps every byte, and a response no less than its delay", async () => {
  await using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    reusePort: false,
    fetch: async (request) => new Response(await request.text()),
  });
  const proxy = await startDelayProxy(server.url.origin, DELAY_MS);
  await using _ = proxy.process;
  const begin = performance.now();
  const responses = await Promise.all(
    ["a", LARGE, "c"].map((body) =>
      fetch(proxy.address, { method: "POST", body }).then((each) => each.text()),
    ),
  );
  expect(performance.now() - begin).toBeGreaterThanOrEqual(DELAY_MS);
  expect(responses[0]).toBe("a");
  expect(responses[1] === LARGE).toBe(true);
  expect(responses[2]).toBe("c");
});
