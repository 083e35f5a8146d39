import { describe, expect, test } from "bun:test";
import { AnimalStore } from "../../client/animal-store.ts";
import { ConnectionError } from "../../client/errors.ts";
import type { CallOptions, RequestNotice } from "../../client/options.ts";
import { version } from "../../package.json";
import { startService } from "../support/service.ts";
import { clientOf, errorOf } from "./client-of.ts";
import { startGateway } from "./gateway.ts";

const REX = { name: "Rex", categoryId: 12n };

test("an option that no call has is refused by name, and nothing is sent", async () => {
  await using service = await startService();
  const { pets, orders, events } = clientOf(service);
  const wrong = { timeout: 5 } as CallOptions;
  const message = "has no option timeout; it has signal, deadlineMs, timeoutMs, retries, headers, requestId";
  expect((await errorOf(pets.create(REX, wrong))).message).toBe(`createPet ${message}, idempotencyKey`);
  expect((await errorOf(orders.update(1n, "approved", wrong))).message).toBe(`updateOrder ${message}`);
  expect(() => pets.list({}, wrong)).toThrow(`listPets ${message}`);
  expect(() => events.stream({}, wrong)).toThrow("a stream of listEvents has no option timeout");
  expect(() => clientOf(service, { timeout: 5 } as object)).toThrow("AnimalStore has no option timeout");
  expect(service.answered).toEqual([]);
});

test("a key that is no text is refused, also 0, and nothing is sent", async () => {
  await using service = await startService();
  const { pets } = clientOf(service);
  for (const idempotencyKey of [0, 1, false, 0n]) {
    const wrong = { idempotencyKey } as object;
    expect(await errorOf(pets.create(REX, wrong))).toBeInstanceOf(TypeError);
  }
  expect(service.answered).toEqual([]);
});

test("options in the place of a query are refused by name", async () => {
  await using service = await startService();
  const { pets, events } = clientOf(service);
  const wrong = { signal: AbortSignal.timeout(60_000) } as object;
  expect(() => events.stream(wrong)).toThrow(
    "listEvents has no query parameter signal; it has limit, type, from. Options are a separate argument",
  );
  expect(() => pets.list(wrong)).toThrow(
    /^listPets has no query parameter signal; it has limit, status, sort\b/,
  );
});

test("an option of the wrong type is refused, and nothing is sent", async () => {
  await using service = await startService();
  const { pets } = clientOf(service);
  const wrong = (options: object) => options as CallOptions;
  expect(() => pets.list({}, wrong({ deadlineMs: "500" }))).toThrow(
    "deadlineMs must be a number, not string",
  );
  expect(() => pets.list({}, wrong({ timeoutMs: 500n }))).toThrow("timeoutMs must be a number, not bigint");
  expect(() => clientOf(service, wrong({ fetch: 5 }))).toThrow("fetch must be a function, not number");
  for (const headers of [
    new Headers({ traceparent: "00-1" }),
    [["traceparent", "00-1"]],
    "traceparent: 00-1",
  ]) {
    const message = "headers must be a plain object";
    expect((await errorOf(pets.create(REX, wrong({ headers })))).message).toBe(message);
    expect(() => clientOf(service, wrong({ headers }))).toThrow(message);
  }
  expect(service.answered).toEqual([]);
});

test("a call has headers and a request id of its own, beside the client's headers", async () => {
  await using service = await startService();
  await using gateway = startGateway(service, ({ forward }) => forward());
  const { pets } = clientOf(service, {
    baseUrl: gateway.baseUrl,
    headers: { "X-Team": "web", tracestate: "a=1" },
  });
  await pets.create(REX, { headers: { traceparent: "00-1", Tracestate: "b=2" }, requestId: "mine" });
  expect(Object.fromEntries(gateway.requests[0]?.headers ?? [])).toMatchObject({
    "x-team": "web",
    traceparent: "00-1",
    "x-request-id": "mine",
    "user-agent": `animal-store-client/${version}`,
  });
  for (const name of ["Authorization", "Idempotency-Key", "If-Match"]) {
    const error = await errorOf(pets.create(REX, { headers: { [name]: "x" } }));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toBe(`the client sets the header ${name} itself`);
  }
  expect(await errorOf(pets.create(REX, { requestId: "two\nlines" }))).toBeInstanceOf(TypeError);
  expect(gateway.requests.length).toBe(1);
});

test("a call has a number of retries and a time for each attempt of its own", async () => {
  await using service = await startService();
  await using gateway = startGateway(service, () => new Promise(() => {}));
  const { pets } = clientOf(service, { baseUrl: gateway.baseUrl });
  const error = await errorOf(pets.list({}, { timeoutMs: 50, retries: 1 }).firstPage());
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({ attempts: 2, message: expect.stringContaining("within 50 ms") });
});

test("withResponse returns a result with its response", async () => {
  await using service = await startService({ rateLimit: { quota: 100, windowSeconds: 60 } });
  const { pets } = clientOf(service);
  const once = { idempotencyKey: "one", requestId: "mine" };
  const first = await pets.create(REX, once).withResponse();
  expect(first.value).toMatchObject({ id: 1n, name: "Rex" });
  expect(first.response).toMatchObject({
    status: 201,
    url: `${service.address}/v1/pets`,
    requestId: "mine",
    attempts: 1,
    isReplay: false,
    deprecation: undefined,
    rateLimit: { remaining: 99, resetSeconds: expect.any(Number) },
  });
  expect(first.response.headers.get("location")).toBe("/v1/pets/1");
  const again = await pets.create(REX, once).withResponse();
  expect([again.value.id, again.response.isReplay]).toEqual([1n, true]);
  const got = await pets.get(1n).withResponse();
  expect(got.response.deprecation?.sunset).toEqual(new Date("2030-12-05T00:00:00Z"));
  const page = await pets.list().firstPage().withResponse();
  expect([page.value.items.length, page.response.status]).toEqual([1, 200]);
  expect(await errorOf(pets.get(9n).withResponse())).toMatchObject({ code: "animal_not_found" });
});

test("a call returns an ordinary promise", async () => {
  await using service = await startService();
  const { pets } = clientOf(service);
  let ends = 0;
  const [rex, failure] = await Promise.all([
    pets.create(REX).finally(() => ends++),
    pets.get(9n).catch(({ code }) => code),
  ]);
  expect([rex.id, failure, ends]).toEqual([1n, "animal_not_found", 1]);
  expect(await pets.get(1n).then(({ name }) => name)).toBe("Rex");
  expect((await pets.get(1n).then(5 as never)).name).toBe("Rex");
});

test("hooks see each request, and may add headers to it", async () => {
  await using service = await startService();
  await using gateway = startGateway(service, ({ index, forward }) =>
    index === 0 ? new Response(null, { status: 503, headers: { "retry-after": "0" } }) : forward(),
  );
  const requests: RequestNotice[] = [];
  const responses: string[] = [];
  const { pets } = clientOf(service, {
    baseUrl: gateway.baseUrl,
    onRequest: (notice) => {
      requests.push(notice);
      return { traceparent: `00-${notice.attempt}` };
    },
    onResponse: ({ operation, attempt, status }) => responses.push(`${operation} ${attempt} ${status}`),
  });
  await pets.create(REX);
  expect(requests.map(({ operation, method, attempt }) => `${operation} ${method} ${attempt}`)).toEqual([
    "createPet POST 1",
    "createPet POST 2",
  ]);
  expect(responses).toEqual(["createPet 1 503", "createPet 2 201"]);
  const sent = gateway.requests.map(({ headers }) => [
    headers.get("traceparent"),
    headers.get("x-request-id"),
  ]);
  expect(sent).toEqual(requests.map(({ attempt, requestId = "" }) => [`00-${attempt}`, requestId]));
  expect(JSON.stringify(requests)).not.toContain(service.key);
});

describe("the address and the key", () => {
  test("a base address without its version is refused, with the address that was meant", () => {
    for (const baseUrl of ["http://127.0.0.1:8080", "http://127.0.0.1:8080/", "https://store.example/pets"]) {
      expect(() => new AnimalStore({ baseUrl, apiKey: "k" })).toThrow(
        `baseUrl must end with the version of the interface: ${baseUrl.replace(/\/$/, "")}/v1, perhaps`,
      );
    }
  });

  test("they may come from the environment, which a message names", async () => {
    await using service = await startService();
    process.env.ANIMAL_STORE_URL = `${service.address}/v1`;
    try {
      expect(() => AnimalStore.fromEnv()).toThrow("the environment variable API_KEY is missing");
      process.env.API_KEY = service.key;
      expect((await AnimalStore.fromEnv({ retries: 0 }).pets.create(REX)).id).toBe(1n);
    } finally {
      delete process.env.ANIMAL_STORE_URL;
      delete process.env.API_KEY;
    }
  });
});
