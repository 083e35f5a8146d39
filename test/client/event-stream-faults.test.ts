import { expect, test } from "bun:test";
import { ConnectionError, UnexpectedResponseError } from "../../client/errors.ts";
import type { RetryNotice } from "../../client/options.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { clientOf, collect, errorOf } from "./client-of.ts";
import { type Passing, startGateway } from "./gateway.ts";

// What a service and the proxies before it may do to a stream of events, and what the client makes of it.

const HEADERS = { "content-type": "text/event-stream" };
const BUSY = { code: "overloaded", message: "Busy.", status: 503 };

/** An event as the service writes it. */
function event(id: number): string {
  const order = { id, petId: 1, status: "placed", placedAt: "", updatedAt: "" };
  return `id: ${id}\nevent: order.placed\ndata: ${JSON.stringify({ id, type: "order.placed", at: "", order })}\n\n`;
}

/** A stream that says something and then ends, or stays silent. */
function stream(text: string, { silent = false } = {}): Response {
  const body = new ReadableStream({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode(text));
      if (!silent) controller.close();
    },
  });
  return new Response(body, { headers: HEADERS });
}

/** A client of a service that answers in turn as it is told, and stays silent after that. */
async function scripted(responses: readonly (string | Response | ((passing: Passing) => Response))[]) {
  const stack = new AsyncDisposableStack();
  const service = stack.use(await startService());
  const gateway = stack.use(
    startGateway(service, (passing) => {
      const response = responses[passing.index] ?? stream(": hello\n\n", { silent: true });
      if (typeof response === "string") return stream(response);
      return typeof response === "function" ? response(passing) : response;
    }),
  );
  const retries: RetryNotice[] = [];
  const { events } = clientOf(service, {
    baseUrl: gateway.baseUrl,
    onRetry: (notice) => retries.push(notice),
  });
  return {
    events,
    retries,
    requests: gateway.requests,
    resumedAfter: () => gateway.requests.map(({ headers }) => headers.get("last-event-id")),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function ids(events: AsyncIterable<{ readonly id: bigint }>, count: number): Promise<number[]> {
  const seen: number[] = [];
  for await (const { id } of events) if (seen.push(Number(id)) === count) break;
  return seen;
}

test("a stream that ends, or is cut in the middle of an event, resumes after the last whole one", async () => {
  await using feed = await scripted([event(1) + event(2), event(3) + event(4).slice(0, 30), event(4)]);
  expect(await ids(feed.events.stream(), 4)).toEqual([1, 2, 3, 4]);
  expect(feed.resumedAfter()).toEqual([null, "2", "3"]);
  expect(feed.requests[0]?.headers.get("accept")).toBe("text/event-stream");
  expect(feed.retries.map(({ error }) => error.message)).toEqual([
    expect.stringMatching(/listEvents: GET .*: the service ended the stream/),
    expect.stringMatching(/listEvents: GET .*: the service ended the stream/),
  ]);
});

test("a stream that began at a link resumes by the id of its last event, without the link's cursor", async () => {
  await using feed = await scripted([event(1), event(2)]);
  expect(await ids(feed.events.streamFrom("/v1/events?type=order.placed&cursor=AAAA"), 2)).toEqual([1, 2]);
  expect(feed.requests.map(({ url }) => new URL(url).search)).toEqual([
    "?type=order.placed&cursor=AAAA",
    "?type=order.placed",
  ]);
  expect(feed.resumedAfter()).toEqual([null, "1"]);
});

test("events that a proxy repeats are given once", async () => {
  await using feed = await scripted([event(1) + event(2) + event(2), event(1) + event(2) + event(3)]);
  expect(await ids(feed.events.stream(), 3)).toEqual([1, 2, 3]);
  await using later = await scripted([event(1) + event(2) + event(3)]);
  expect(await ids(later.events.stream({ since: 2n }), 1)).toEqual([3]);
  expect(later.resumedAfter()).toEqual(["2"]);
});

test("a stream resumes from a position that moved without an event", async () => {
  await using feed = await scripted([`${event(1)}id: 500\n\n`, event(501)]);
  expect(await ids(feed.events.stream(), 2)).toEqual([1, 501]);
  expect(feed.resumedAfter()).toEqual([null, "500"]);
});

test("a silent connection counts as dead", async () => {
  await using feed = await scripted([stream(event(1), { silent: true }), event(2)]);
  expect(await ids(feed.events.stream({}, { heartbeatMs: 200 }), 2)).toEqual([1, 2]);
  expect(feed.retries[0]?.error.message).toMatch(/nothing came for 200 ms/);
  expect(feed.resumedAfter()).toEqual([null, "1"]);
});

test("heartbeats keep a connection that has no events", async () => {
  const BEATS = 20;
  await untilUnbroken(async (heartbeatMs) => {
    let beats = 0;
    const body = new ReadableStream({
      pull: async (controller) => {
        await Bun.sleep((2 * heartbeatMs) / BEATS);
        controller.enqueue(new TextEncoder().encode(++beats < BEATS ? ": beat\n\n" : event(1)));
      },
    });
    await using feed = await scripted([new Response(body, { headers: HEADERS }), event(1)]);
    expect(await ids(feed.events.stream({}, { heartbeatMs }), 1)).toEqual([1]);
    return feed.retries.length;
  });
});

test("a slow consumer does not make its connection count as dead", async () => {
  await untilUnbroken(async (heartbeatMs) => {
    await using feed = await scripted([event(1) + event(2), event(2)]);
    const seen: bigint[] = [];
    for await (const { id } of feed.events.stream({}, { heartbeatMs })) {
      if (seen.push(id) === 2) break;
      await Bun.sleep(2 * heartbeatMs);
    }
    expect(seen).toEqual([1n, 2n]);
    return feed.retries.length;
  });
});

/**
 * Tries with growing limits until no connection was taken for dead: on a busy machine what comes in time may come late. A
 * client that takes each for dead never gets there.
 */
async function untilUnbroken(retriesWith: (heartbeatMs: number) => Promise<number>): Promise<void> {
  for (let heartbeatMs = 500; (await retriesWith(heartbeatMs)) > 0; ) heartbeatMs *= 2;
}

test("a stream retries after temporary failures, no sooner than Retry-After says", async () => {
  const busy = () => Response.json(BUSY, { status: 503 });
  const limited = Response.json(BUSY, { status: 429, headers: { "retry-after": "1" } });
  await using feed = await scripted([busy, busy, limited, event(1)]);
  expect(await ids(feed.events.stream(), 1)).toEqual([1]);
  const delays = feed.retries.map(({ delayMs }) => delayMs);
  expect(delays.length).toBe(3);
  expect(delays[0]).toBeLessThanOrEqual(200);
  expect(delays[1]).toBeLessThanOrEqual(400);
  expect(delays[2]).toBeGreaterThanOrEqual(1000);
});

test("pauses grow while every connection ends at once, and not while each brings an event", async () => {
  // A pause is random, from nothing to a bound: the third exceeds the bound of the first in three of four runs.
  for (let longest = 0; longest <= 200; ) {
    await using idle = await scripted(["", ": hello\n\n", "", event(1)]);
    expect(await ids(idle.events.stream(), 1)).toEqual([1]);
    longest = idle.retries[2]?.delayMs ?? 0;
  }
  await using busy = await scripted([event(1), event(2), event(3), event(4)]);
  expect(await ids(busy.events.stream(), 4)).toEqual([1, 2, 3, 4]);
  for (const { delayMs } of busy.retries) expect(delayMs).toBeLessThanOrEqual(200);
});

test("a permanent refusal ends the stream at once", async () => {
  for (const [status, code] of [
    [401, "unauthorized"],
    [403, "insufficient_scope"],
    [404, "path_not_found"],
    [410, "events_expired"],
    [400, "invalid_header"],
  ] as const) {
    const refusal = () => Response.json({ code, message: "M.", status }, { status });
    await using feed = await scripted([event(1), refusal]);
    const seen: bigint[] = [];
    const loop = async () => {
      for await (const { id } of feed.events.stream()) seen.push(id);
    };
    expect(await errorOf(loop())).toMatchObject({ code, status, message: "M.", operation: "listEvents" });
    expect(seen).toEqual([1n]);
    expect(feed.requests.length).toBe(2);
  }
});

test("a response that is no stream of events is an error that says so", async () => {
  for (const response of [
    new Response("<h1>Log in</h1>", { headers: { "content-type": "text/html" } }),
    Response.json([]),
    stream("data: {\n\n"),
    stream("data: {}\n\ndata: []\n\n"),
    stream(`data: ${"x".repeat(200_000)}`),
    new Response(null, { status: 302, headers: { location: "https://elsewhere/" } }),
  ]) {
    await using feed = await scripted([response]);
    expect(await errorOf(collect(feed.events.stream()))).toBeInstanceOf(UnexpectedResponseError);
    expect(feed.requests.length).toBe(1);
  }
});

test("a loop that breaks, or a signal, ends the connection", async () => {
  const ended: unknown[] = [];
  const open = ({ request }: Passing) => {
    request.signal.addEventListener("abort", () => ended.push("closed"));
    return stream(event(1), { silent: true });
  };
  await using feed = await scripted([open, open]);
  expect(await ids(feed.events.stream(), 1)).toEqual([1]);
  await until(() => ended.length === 1);

  const controller = new AbortController();
  const reason = new Error("enough");
  const loop = async () => {
    for await (const _ of feed.events.stream({}, { signal: controller.signal }))
      setTimeout(() => controller.abort(reason), 50);
  };
  expect(await errorOf(loop())).toBe(reason);
  await until(() => ended.length === 2);
  expect(feed.retries).toEqual([]);
  expect(await errorOf(collect(feed.events.stream({}, { signal: controller.signal })))).toBe(reason);
  expect(feed.requests.length).toBe(2);
});

test("a signal ends a wait for a new connection", async () => {
  const reason = new Error("enough");
  const controller = new AbortController();
  await using service = await startService();
  const { events } = clientOf(service, {
    baseUrl: "http://127.0.0.1:1/v1",
    onRetry: () => controller.abort(reason),
  });
  expect(await errorOf(collect(events.stream({}, { signal: controller.signal })))).toBe(reason);
});

test("a stream reconnects until its deadline, and then reports the last failure", async () => {
  await using service = await startService();
  let retries = 0;
  const nobody = "http://127.0.0.1:1/v1";
  const { events } = clientOf(service, { baseUrl: nobody, retries: 0, onRetry: () => retries++ });
  const givenUp = (deadlineMs: number) => errorOf(collect(events.stream({}, { deadlineMs })));
  expect(await givenUp(0)).toBeInstanceOf(ConnectionError);
  expect(retries).toBe(0);
  // A busy machine may need longer until the second attempt.
  for (let deadlineMs = 500; retries === 0; deadlineMs *= 2) {
    expect(await givenUp(deadlineMs)).toBeInstanceOf(ConnectionError);
  }
});

test("a wrong argument is refused before anything is sent", async () => {
  await using feed = await scripted([]);
  const { events } = feed;
  expect(await errorOf(collect(events.stream({ since: (2 ** 53) as unknown as bigint })))).toBeInstanceOf(
    RangeError,
  );
  expect(await errorOf(collect(events.stream({ since: " 1\n" as unknown as bigint })))).toBeInstanceOf(
    TypeError,
  );
  expect(() => events.stream({}, { heartbeatMs: Number.NaN })).toThrow(RangeError);
  expect(feed.requests).toEqual([]);
});
