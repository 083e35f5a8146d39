import { expect, test } from "bun:test";
import { type AnimalStoreError, ConnectionError, DeadlineExceededError } from "../../client/errors.ts";
import { OverloadedError, RateLimitedError } from "../../client/errors-by-code.ts";
import type { RetryNotice } from "../../client/options.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startService } from "../support/service.ts";
import { clientOf, collect, errorOf } from "./client-of.ts";
import { startGateway } from "./gateway.ts";

const OVERLOADED = { code: "overloaded", message: "Busy.", status: 503 };
const busy = (headers: Record<string, string> = {}) => Response.json(OVERLOADED, { status: 503, headers });

/** An address where nobody answers. */
const NOBODY = "http://127.0.0.1:1/v1";

test("a create whose response is lost is sent again with its key, and happens once", async () => {
  await using sandbox = await startSandbox();
  await sandbox.plan({ fault: "lost", operation: "createPet", count: 2 });
  const retries: RetryNotice[] = [];
  const { pets } = clientOf(sandbox, { onRetry: (notice) => retries.push(notice) });
  expect(await pets.create({ name: "Rex", categoryId: 12n })).toMatchObject({ id: 25n, name: "Rex" });
  expect(retries.map(({ operation, error }) => [operation, error.name])).toEqual([
    ["createPet", "ConnectionError"],
    ["createPet", "ConnectionError"],
  ]);
  expect((await collect(pets.list())).length).toBe(25);
});

test("every attempt of a create has the same key, and a request id of its own", async () => {
  await using service = await startService();
  await using gateway = startGateway(service, ({ index, forward }) => (index < 3 ? busy() : forward()));
  await clientOf(service, { baseUrl: gateway.baseUrl }).pets.create({ name: "Rex", categoryId: 12n });
  const headers = (name: string) => new Set(gateway.requests.map((request) => request.headers.get(name)));
  expect(gateway.requests.length).toBe(4);
  expect(headers("idempotency-key").size).toBe(1);
  expect(headers("x-request-id").size).toBe(4);
});

test("different creates have different keys", async () => {
  await using service = await startService();
  const { pets } = clientOf(service);
  const animals = [1, 2].map(() => pets.create({ name: "Rex", categoryId: 12n }));
  expect((await Promise.all(animals)).map(({ id }) => id).sort()).toEqual([1n, 2n]);
});

test("a retry waits as long as Retry-After asks for", async () => {
  await using sandbox = await startSandbox();
  await sandbox.plan({ fault: "429", count: 1 });
  const retries: RetryNotice[] = [];
  const { pets } = clientOf(sandbox, { onRetry: (notice) => retries.push(notice) });
  await pets.list().firstPage();
  expect(retries.length).toBe(1);
  expect(retries[0]?.error).toBeInstanceOf(RateLimitedError);
  expect(retries[0]?.delayMs).toBeGreaterThanOrEqual(1000);
});

test("a Retry-After longer than the deadline ends the call, with how long it is", async () => {
  await using service = await startService({ rateLimit: { quota: 1, windowSeconds: 3600 } });
  const { pets } = clientOf(service);
  await pets.list().firstPage();
  expect(await errorOf(pets.list().firstPage())).toMatchObject({
    code: "rate_limited",
    attempts: 1,
    retryAfterMs: 3_600_000,
  });
});

test("a Retry-After beyond the deadline ends the call at once, with the failure", async () => {
  await using sandbox = await startSandbox();
  await sandbox.plan({ fault: "503", retryAfterSeconds: 20 });
  const { pets } = clientOf(sandbox);
  expect(await errorOf(pets.list({}, { deadlineMs: 10_000 }).firstPage())).toBeInstanceOf(OverloadedError);
});

test("retries are bounded, and the last failure is the call's", async () => {
  await using service = await startService();
  await using gateway = startGateway(service, () => busy());
  const { pets } = clientOf(service, { baseUrl: gateway.baseUrl, retries: 2 });
  const error = await errorOf(pets.create({ name: "Rex", categoryId: 12n }));
  expect(error).toMatchObject({ name: "OverloadedError", attempts: 3, message: "Busy." });
  expect(gateway.requests.length).toBe(3);
  expect((error as OverloadedError).idempotencyKey).toBe(
    gateway.requests[0]?.headers.get("idempotency-key") as string,
  );
});

test("a refusal after a retry says what failed before", async () => {
  await using sandbox = await startSandbox();
  await sandbox.plan({ fault: "503", retryAfterSeconds: 0, count: 1 });
  const error = await errorOf(clientOf(sandbox).pets.get(77n));
  expect(error).toMatchObject({ code: "animal_not_found", attempts: 2, cause: { code: "overloaded" } });
});

test("a request that would fail again is not repeated", async () => {
  await using service = await startService();
  const { pets } = clientOf(service, { onRetry: () => expect.unreachable() });
  const { key } = await service.issueKey(["pets:read"]);
  await errorOf(pets.create({ name: "", categoryId: 12n }));
  await errorOf(pets.get(7n));
  await errorOf(clientOf(service, { apiKey: key, retries: 9 }).pets.create({ name: "Rex", categoryId: 12n }));
  expect(service.answered.map(({ status }) => status)).toEqual([400, 404, 403]);
});

test("a service that does not run is an error that says so", async () => {
  await using service = await startService();
  const error = await errorOf(clientOf(service, { baseUrl: NOBODY, retries: 1 }).pets.list().firstPage());
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({ operation: "listPets", attempts: 2, requestId: expect.any(String) });
});

test("a call is repeated as long as its deadline allows, while the service is away", async () => {
  await using service = await startService();
  const away = startGateway(service, () => busy());
  const { port } = new URL(away.baseUrl);
  await away[Symbol.asyncDispose]();
  const refused = Promise.withResolvers<void>();
  let retries = 0;
  // Two calls of four retries each, the limit of old, would be over by now.
  const onRetry = () => {
    if (++retries === 12) refused.resolve();
  };
  const options = { baseUrl: away.baseUrl, deadlineMs: Number.POSITIVE_INFINITY, onRetry };
  const { pets } = clientOf(service, options);
  const calls = ["Rex", "Mia"].map((name) => pets.create({ name, categoryId: 12n }));
  const created = Promise.all(calls);
  await Promise.race([refused.promise, created]);
  await using back = startGateway(service, ({ forward }) => forward(), "", Number(port));
  expect((await created).map(({ id }) => id).sort()).toEqual([1n, 2n]);
  expect(back.requests.length).toBe(2);
});

test("all calls of a client share one budget of retries", async () => {
  await using service = await startService();
  await using gateway = startGateway(service, () => busy());
  const delays: number[] = [];
  const options = {
    baseUrl: gateway.baseUrl,
    retries: 1,
    onRetry: (each: RetryNotice) => delays.push(each.delayMs),
  };
  const { pets } = clientOf(service, options);
  const errors = await Promise.all(Array.from({ length: 400 }, () => errorOf(pets.list().firstPage())));
  expect(errors.every((error) => error instanceof OverloadedError)).toBe(true);
  // No first pause of its own is longer than 200 ms: the others wait for the budget.
  expect(delays.length).toBe(400);
  expect(delays.some((delayMs) => delayMs > 200)).toBe(true);
});

test("a deadline ends a call that takes too long, and the error names the failure before", async () => {
  await using service = await startService();
  const givenUp = async (deadlineMs: number) => {
    await using gateway = startGateway(service, ({ index }) =>
      index === 0 ? busy() : new Promise(() => {}),
    );
    return await errorOf(
      clientOf(service, { baseUrl: gateway.baseUrl }).pets.list({}, { deadlineMs }).firstPage(),
    );
  };
  // A busy machine may need longer until the second attempt.
  let error = await givenUp(1000);
  for (let deadlineMs = 2000; (error as AnimalStoreError).attempts < 2; deadlineMs *= 2) {
    error = await givenUp(deadlineMs);
  }
  expect(error).toBeInstanceOf(DeadlineExceededError);
  expect(error).toMatchObject({ attempts: 2, cause: { code: "overloaded" } });
});

test("an attempt without a response in its time limit is repeated", async () => {
  await using sandbox = await startSandbox();
  await sandbox.plan({ fault: "delay", delayMs: 100_000, count: 1 });
  const patient = { retries: 1000, deadlineMs: Number.POSITIVE_INFINITY };
  const { pets } = clientOf(sandbox, { timeoutMs: 300, ...patient });
  expect((await pets.create({ name: "Rex", categoryId: 12n })).id).toBe(25n);
});

/** A `fetch` that never responds, and how many of its requests are under way: at most so far, and now. */
function silentFetch() {
  const counts = { most: 0, now: 0 };
  const fetch = (_url: string, { signal }: { signal: AbortSignal }) =>
    new Promise<Response>((_, reject) => {
      counts.most = Math.max(counts.most, ++counts.now);
      signal.addEventListener("abort", () => reject(signal.reason));
      signal.addEventListener("abort", () => counts.now--);
    });
  return { counts, fetch };
}

test("the time of an attempt begins when it is sent, not while it waits for others of the client", async () => {
  await using service = await startService();
  const { counts, fetch } = silentFetch();
  const { pets } = clientOf(service, { timeoutMs: 20, retries: 0, fetch });
  const errors = await Promise.all(Array.from({ length: 250 }, () => errorOf(pets.list().firstPage())));
  expect(errors.filter(({ message }) => message.endsWith("within 20 ms")).length).toBe(250);
  expect(counts).toEqual({ most: 100, now: 0 });
});

test("a call that waits for others of the client ends with its signal or its deadline, unsent", async () => {
  await using service = await startService();
  const { counts, fetch } = silentFetch();
  const { pets } = clientOf(service, { fetch });
  const [all, one] = [new AbortController(), new AbortController()];
  const others = Array.from({ length: 100 }, () =>
    errorOf(pets.list({}, { signal: all.signal }).firstPage()),
  );
  const late = errorOf(pets.list({}, { deadlineMs: 20 }).firstPage());
  const cancelled = errorOf(pets.list({}, { signal: one.signal }).firstPage());
  const reason = new Error("enough");
  one.abort(reason);
  expect(await cancelled).toBe(reason);
  expect(await late).toMatchObject({ name: "DeadlineExceededError", attempts: 0 });
  expect(counts).toEqual({ most: 100, now: 100 });
  all.abort(reason);
  await Promise.all(others);
  // Neither of the two took a turn.
  const next = Array.from({ length: 100 }, () =>
    errorOf(pets.list({}, { timeoutMs: 20, retries: 0 }).firstPage()),
  );
  await Promise.all(next);
  expect(counts).toEqual({ most: 100, now: 0 });
});

test("a wait longer than a timer can last ends the call instead of being skipped", async () => {
  await using service = await startService();
  await using gateway = startGateway(service, () => busy({ "retry-after": "2592000" }));
  const patient = { deadlineMs: Number.POSITIVE_INFINITY };
  const { pets } = clientOf(service, { baseUrl: gateway.baseUrl, ...patient });
  const error = await errorOf(pets.list().firstPage());
  expect(error).toMatchObject({ attempts: 1, status: 503 });
});

test("a signal cancels a request, a wait, and a list", async () => {
  await using service = await startService();
  await service.create('{"name":"Rex","categoryId":1}');
  await service.create('{"name":"Rex","categoryId":1}');
  const reason = new Error("enough");

  const hanging = new AbortController();
  await using silent = startGateway(service, () => {
    hanging.abort(reason);
    return new Promise(() => {});
  });
  const call = clientOf(service, { baseUrl: silent.baseUrl })
    .pets.list({}, { signal: hanging.signal })
    .firstPage();
  expect(await errorOf(call)).toBe(reason);

  await using gateway = startGateway(service, () => busy({ "retry-after": "100000" }));
  const patient = { deadlineMs: Number.POSITIVE_INFINITY };
  for (const soon of [(abort: () => void) => abort(), (abort: () => void) => setTimeout(abort, 50)]) {
    const waiting = new AbortController();
    const onRetry = () => soon(() => waiting.abort(reason));
    const { pets } = clientOf(service, { baseUrl: gateway.baseUrl, ...patient, onRetry });
    expect(await errorOf(pets.list({}, { signal: waiting.signal }).firstPage())).toBe(reason);
  }

  const walking = new AbortController();
  const walk = async () => {
    for await (const _ of clientOf(service).pets.list({ limit: 1 }, { signal: walking.signal }))
      walking.abort(reason);
  };
  expect(await errorOf(walk())).toBe(reason);
});
