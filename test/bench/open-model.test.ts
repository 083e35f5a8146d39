import { expect, test } from "bun:test";
import { ClosedModel } from "../../bench/load/closed-model.ts";
import { openModel } from "../../bench/load/open-model.ts";

const REQUEST = Buffer.from("GET / HTTP/1.1\r\nHost: bench\r\n\r\n");
const CONNECTIONS = 4;
const STALL_MS = 300;

test("a stall counts for every request that was due during it, sent or not", async () => {
  using server = stallingServer();
  const stream = { name: "all", requests: [REQUEST], rate: 500, connections: CONNECTIONS };
  const [seen] = await openModel(server.address, [stream], 1);
  expect(seen).toMatchObject({ name: "all", scheduled: 500, refusals: 0, unanswered: 0 });
  // 150 of 500 had their moment in the stall. A generator that waits for answers would have sent 4 of them, and
  // found a stall in less than a hundredth of what it sent.
  expect(seen?.latency.p99).toBeGreaterThan(STALL_MS * 0.7);
  expect(seen?.latency.max).toBeGreaterThan(STALL_MS * 0.9);
  expect(server.served()).toBe(500);
});

test("each stream keeps its own rate, however slow the other is", async () => {
  const never = Promise.withResolvers<Response>();
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => (request.url.endsWith("/stuck") ? never.promise : new Response("fine")),
  });
  const stuck = Buffer.from("GET /stuck HTTP/1.1\r\nHost: bench\r\n\r\n");
  const streams = [
    { name: "fine", requests: [REQUEST], rate: 100, connections: 2 },
    { name: "stuck", requests: [stuck], rate: 10, connections: 2 },
  ];
  const results = await openModel({ hostname: "127.0.0.1", port: server.port as number }, streams, 0.5, 3000);
  expect(results[0]).toMatchObject({ scheduled: 50, unanswered: 0 });
  expect(results[1]).toMatchObject({ scheduled: 5, unanswered: 5 });
  // What had no answer waited until the run was given up.
  expect(results[1]?.latency.p50).toBeGreaterThan(300);
});

test("refusals and broken connections are counted", async () => {
  let number = 0;
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response("", { status: ++number % 2 === 0 ? 503 : 200 }),
  });
  const address = { hostname: "127.0.0.1", port: server.port as number };
  const stream = { name: "all", requests: [REQUEST], rate: 100, connections: 1 };
  expect(await openModel(address, [stream], 0.2)).toMatchObject([{ scheduled: 20, refusals: 10 }]);
  using slammer = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { data: (socket) => void socket.end() },
  });
  const other = { hostname: "127.0.0.1", port: slammer.port };
  expect(await openModel(other, [stream], 0.2)).toMatchObject([
    { scheduled: 20, refusals: 20, unanswered: 0 },
  ]);
});

test("in the closed model a stall costs one request a connection", async () => {
  using server = stallingServer();
  using model = new ClosedModel(server.address, [REQUEST], CONNECTIONS);
  const seen = await model.run(0.5);
  expect(seen).toMatchObject({ creates: 0, refusals: 0 });
  expect(seen.requests).toBe(server.served());
});

test("the closed model continues where it stopped, over the same connections", async () => {
  const paths: string[] = [];
  const clients = new Set<number>();
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request, server) {
      paths.push(new URL(request.url).pathname);
      clients.add(server.requestIP(request)?.port ?? 0);
      return new Response("fine");
    },
  });
  const requests = ["/1", "/2", "/3"].map((path) =>
    Buffer.from(`GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`),
  );
  using model = new ClosedModel({ hostname: "127.0.0.1", port: server.port as number }, requests, 1);
  const runs = [await model.run(0.01), await model.run(0.01)];
  expect(runs.reduce((sum, run) => sum + run.requests, 0)).toBe(paths.length);
  expect(paths).toEqual(paths.map((_, index) => `/${1 + (index % 3)}`));
  expect(clients.size).toBe(1);
});

/** Once it has served some requests, it answers none for a while. */
function stallingServer() {
  let served = 0;
  let stall: Promise<void> | undefined;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch() {
      if (++served === 100) stall = Bun.sleep(STALL_MS);
      await stall;
      return new Response("fine");
    },
  });
  return {
    address: { hostname: "127.0.0.1", port: server.port as number },
    served: () => served,
    [Symbol.dispose]: () => server.stop(true),
  };
}
