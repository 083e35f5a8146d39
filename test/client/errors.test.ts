import { expect, test } from "bun:test";
import { AnimalStoreError, ServiceError, UnexpectedResponseError } from "../../client/errors.ts";
import { ERROR_CLASSES } from "../../client/errors-by-code.ts";
import { FAILURE_TABLE } from "../../src/http/response/failure-table.ts";
import { startService } from "../support/service.ts";
import { clientOf, errorOf } from "./client-of.ts";
import { startGateway } from "./gateway.ts";

test("every code of the service has a class of its own", () => {
  const classes = Object.values(ERROR_CLASSES);
  expect(new Set(classes).size).toBe(Object.keys(FAILURE_TABLE).length);
  expect(classes.map(({ name }) => name)).toEqual(Object.keys(ERROR_CLASSES));
});

test("each class says its code, under its own name", async () => {
  await using service = await startService();
  for (const [code, { status }] of Object.entries(FAILURE_TABLE)) {
    await using gateway = startGateway(service, () =>
      Response.json({ code, message: "M.", status }, { status }),
    );
    const error = await errorOf(clientOf(service, { baseUrl: gateway.baseUrl, retries: 0 }).pets.get(1n));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ code, status, message: "M.", name: error.constructor.name });
    expect(ERROR_CLASSES[error.name]).toBe(error.constructor as typeof ServiceError);
  }
});

test("a code of a newer service is a ServiceError", async () => {
  await using service = await startService();
  const body = { code: "too_furry", message: "Too furry.", status: 400 };
  await using gateway = startGateway(service, () => Response.json(body, { status: 400 }));
  const error = await errorOf(clientOf(service, { baseUrl: gateway.baseUrl }).pets.get(1n));
  expect(error.constructor).toBe(ServiceError);
  expect(error).toMatchObject({ name: "TooFurryError", ...body });
});

test("the request id of an error is the one in the service's log", async () => {
  await using service = await startService();
  const error = await errorOf(clientOf(service).pets.get(1n));
  expect((error as AnimalStoreError).requestId).toMatch(/^[0-9a-f]{32}-1$/);
  expect(service.answered.map(({ requestId }) => requestId)).toEqual([
    (error as AnimalStoreError).requestId as string,
  ]);
});

test("what is not the service's response says so", async () => {
  await using service = await startService();
  const odd: [() => Response, RegExp][] = [
    [
      () => new Response("<h1>Bad Gateway</h1>", { status: 502, headers: { server: "nginx/1.22.1" } }),
      /502 from nginx\/1\.22\.1 with "<h1>Bad Gateway<\/h1>"/,
    ],
    [() => new Response("", { status: 404 }), /is 404 with ""/],
    [() => Response.json(null, { status: 400 }), /is 400 with "null"/],
    [
      () => new Response(null, { status: 301, headers: { location: "https://elsewhere/" } }),
      /redirect to https:\/\/elsewhere\//,
    ],
    [() => new Response(null, { status: 304 }), /304 with ""/],
    [() => new Response("<html>Log in first"), /not what the operation declares: "<html>Log in first"/],
    [() => Response.json({ id: "1", name: "Rex", categoryId: 1 }), /not what the operation declares/],
    [() => new Response('{"id":1.5,"name":"Rex","categoryId":1}'), /not what the operation declares/],
    [() => new Response('{"id":1e300,"name":"Rex","categoryId":1}'), /not what the operation declares/],
    [() => Response.json([]), /not what the operation declares/],
    [() => Response.json(null), /not what the operation declares/],
  ];
  for (const [response, message] of odd) {
    await using gateway = startGateway(service, response);
    const error = await errorOf(clientOf(service, { baseUrl: gateway.baseUrl, retries: 0 }).pets.get(1n));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error.message).toMatch(message);
  }
});

test("a call succeeds after an outage that a proxy reports", async () => {
  await using service = await startService();
  await using gateway = startGateway(service, ({ index, forward }) =>
    index === 0 ? new Response("<h1>Bad Gateway</h1>", { status: 502 }) : forward(),
  );
  expect((await clientOf(service, { baseUrl: gateway.baseUrl }).pets.list().firstPage()).items).toEqual([]);
});

test("a wrong argument is refused before anything is sent, or by the service, and never changed", async () => {
  await using service = await startService();
  const { pets } = clientOf(service);
  const rounded = (2 ** 53) as unknown as bigint;
  expect(await errorOf(pets.create({ name: "Rex", categoryId: rounded }))).toBeInstanceOf(RangeError);
  expect(await errorOf(pets.get(rounded))).toBeInstanceOf(RangeError);
  const padded = pets.create({ name: "Rex", categoryId: 1n }, { idempotencyKey: " k" });
  expect(await errorOf(padded)).toBeInstanceOf(TypeError);
  expect(service.answered).toEqual([]);

  const refusals = [
    pets.create({ name: "Rex", categoryId: 2n ** 63n }),
    pets.create({ name: "Rex", categoryId: 1.5 as unknown as bigint }),
    pets.create({ name: "Rex", categoryId: "1" as unknown as bigint }),
    pets.create({ name: "Rex", categoryId: Number.NaN as unknown as bigint }),
    pets.create({ name: "\ud800", categoryId: 1n }),
    pets.create({ name: "Rex", categoryId: 1n, status: null as unknown as "sold" }),
  ];
  for (const call of refusals) expect(await errorOf(call)).toMatchObject({ code: "invalid_body" });
  expect(await errorOf(pets.create({ name: "Rex", categoryId: 1n }, { idempotencyKey: "" }))).toMatchObject({
    code: "invalid_header",
  });
  for (const limit of [0, 101, 1.5, -1]) {
    expect(await errorOf(pets.list({ limit }).firstPage())).toMatchObject({ code: "invalid_parameter" });
  }
  expect(await errorOf(pets.list({ status: "gone" as "sold" }).firstPage())).toMatchObject({
    code: "invalid_parameter",
  });
  expect(await errorOf(pets.get(-1n))).toMatchObject({ code: "animal_not_found" });
});

test("options that cannot work are refused, and no message holds the key", async () => {
  await using service = await startService();
  for (const baseUrl of [
    "127.0.0.1:8080/v1",
    "/v1",
    "ftp://a/v1",
    "http://a:b@c/v1",
    "http://a/v1?b",
    "http://a/v1#b",
  ]) {
    expect(() => clientOf(service, { baseUrl })).toThrow("baseUrl must be an http or https address");
  }
  for (const apiKey of ["s3cr3t\n", " s3cr3t", "s3cr3t ü", "Bearer s3cr3t"]) {
    expect(() => clientOf(service, { apiKey })).toThrow("apiKey must be the key alone");
    const error = await errorOf(clientOf(service, { apiKey: () => apiKey }).pets.get(1n));
    expect(error).toBeInstanceOf(TypeError);
    expect(Bun.inspect(error)).not.toContain("s3cr3t");
  }
  for (const apiKey of ["", undefined as unknown as string]) {
    expect(() => clientOf(service, { apiKey })).toThrow("apiKey is missing");
  }
  const error = await errorOf(
    clientOf(service, { baseUrl: "http://127.0.0.1:1/v1", retries: 0 }).pets.get(1n),
  );
  expect(error).toBeInstanceOf(AnimalStoreError);
  expect(Bun.inspect(error)).not.toContain(service.key);
});

test("numbers with which a call might never end are refused", async () => {
  await using service = await startService();
  for (const value of [Number.NaN, -1, Number.NEGATIVE_INFINITY]) {
    for (const name of ["deadlineMs", "timeoutMs", "retries", "cacheSize"]) {
      expect(() => clientOf(service, { [name]: value })).toThrow(`${name} must be 0 or more, not ${value}`);
    }
    const { pets } = clientOf(service);
    expect(() => pets.list({}, { deadlineMs: value })).toThrow(RangeError);
    expect(await errorOf(pets.create({ name: "Rex", categoryId: 1n }, { retries: value }))).toBeInstanceOf(
      RangeError,
    );
  }
  expect(service.answered).toEqual([]);
});

test("a key that changes is asked for each time", async () => {
  await using service = await startService();
  const keys = [service.key, (await service.issueKey()).key];
  await using gateway = startGateway(service, ({ forward }) => forward());
  const { pets } = clientOf(service, { baseUrl: gateway.baseUrl, apiKey: async () => keys.shift() ?? "" });
  await pets.list().firstPage();
  await pets.list().firstPage();
  expect(new Set(gateway.requests.map(({ headers }) => headers.get("authorization"))).size).toBe(2);
});

test("a date in Retry-After is measured by the service's clock", async () => {
  await using service = await startService();
  const headers = { date: "Sun, 22 Nov 2026 00:00:00 GMT", "retry-after": "Sun, 22 Nov 2026 00:00:09 GMT" };
  const body = { code: "overloaded", message: "M.", status: 503 };
  await using gateway = startGateway(service, () => Response.json(body, { status: 503, headers }));
  const { pets } = clientOf(service, { baseUrl: gateway.baseUrl, retries: 0 });
  expect(await errorOf(pets.list().firstPage())).toMatchObject({ retryAfterMs: 9000 });
});
