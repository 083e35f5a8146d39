import { expect, spyOn, test } from "bun:test";
import type { DeprecationNotice } from "../../client/deprecation.ts";
import { UnexpectedResponseError } from "../../client/errors.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { clientOf, collect, errorOf } from "./client-of.ts";
import { startGateway } from "./gateway.ts";

const statuses = (service: { readonly answered: readonly { readonly status: number }[] }) =>
  service.answered.map(({ status }) => status);

test("an unchanged response is not sent again, and the caller sees no difference", async () => {
  await using service = await startService();
  for (let i = 0; i < 3; i++) await service.create('{"name":"Rex","categoryId":9223372036854775807}');
  const { pets } = clientOf(service);
  const first = await collect(pets.list({ limit: 2 }));
  expect(await collect(pets.list({ limit: 2 }))).toEqual(first);
  expect(statuses(service).slice(3)).toEqual([200, 200, 304, 304]);
  // What a caller does with its animals is not seen by the next.
  (first[0] as { name: string }).name = "Changed";
  expect((await collect(pets.list({ limit: 2 })))[0]?.name).toBe("Rex");

  await service.create('{"name":"Mia","categoryId":1}');
  expect((await collect(pets.list({ limit: 2 }))).map(({ id }) => id)).toEqual([1n, 2n, 3n, 4n]);
});

test("a proxy may leave the link out of a 304", async () => {
  await using service = await startService();
  for (let i = 0; i < 3; i++) await service.create('{"name":"Rex","categoryId":1}');
  await using gateway = startGateway(service, async ({ forward }) => {
    const response = await forward();
    return response.status === 304 ? new Response(null, { status: 304 }) : response;
  });
  const { pets } = clientOf(service, { baseUrl: gateway.baseUrl });
  for (let i = 0; i < 2; i++) expect((await collect(pets.list({ limit: 2 }))).length).toBe(3);
  expect(statuses(service).slice(3)).toEqual([200, 200, 304, 304]);
});

test("the cache is bounded, and can be switched off", async () => {
  await using service = await startService();
  for (let i = 0; i < 4; i++) await service.create(JSON.stringify({ name: "x".repeat(255), categoryId: 1 }));
  const seen = async (cacheSize: number) => {
    const before = service.answered.length;
    const { pets } = clientOf(service, { cacheSize });
    for (let i = 0; i < 2; i++) await collect(pets.list({ limit: 1 }));
    await pets.list({ limit: 1 }).firstPage();
    return statuses(service).slice(before);
  };
  expect(await seen(0)).toEqual(new Array(9).fill(200));
  expect(await seen(100_000)).toEqual([200, 200, 200, 200, 304, 304, 304, 304, 304]);
  // Room for two of the four: a walk finds none of its pages, since the last ones have pushed them out.
  expect(await seen(1500)).toEqual(new Array(9).fill(200));
});

test("a deprecated operation is reported once by each client", async () => {
  await using service = await startService();
  await service.create('{"name":"Rex","categoryId":1}');
  const notices: DeprecationNotice[] = [];
  const { pets } = clientOf(service, { onDeprecation: (notice) => notices.push(notice) });
  await Promise.all([pets.get(1n), pets.get(1n)]);
  await pets.get(2n).catch(() => {});
  await pets.list().firstPage();
  expect(notices).toEqual([
    {
      operation: "getPet",
      since: new Date("2025-12-05T00:00:00Z"),
      sunset: new Date("2030-12-05T00:00:00Z"),
      successor: "/v1/pets",
    },
  ]);

  const warn = spyOn(console, "warn").mockImplementation(() => {});
  try {
    const other = clientOf(service, { onDeprecation: undefined });
    await other.pets.get(1n);
    await other.pets.get(1n);
    expect(warn.mock.calls).toEqual([
      ["animal-store: getPet is deprecated and ends on 2030-12-05; use /v1/pets"],
    ]);
  } finally {
    warn.mockRestore();
  }
});

test("each response is reported, whatever its status", async () => {
  await using service = await startService();
  const seen: string[] = [];
  const { pets } = clientOf(service, {
    onResponse: ({ operation, status, headers }) =>
      seen.push(`${operation} ${status} ${headers.has("x-request-id")}`),
  });
  await pets.create({ name: "Rex", categoryId: 1n });
  await pets.get(2n).catch(() => {});
  expect(seen).toEqual(["createPet 201 true", "getPet 404 true"]);
});

test.each([["{}"], ['{"id":1}'], ['{"code":"internal_error","message":"M.","status":500}']])(
  "a 201 with %s is no animal",
  async (body) => {
    await using service = await startService();
    await using gateway = startGateway(service, () => new Response(body, { status: 201 }));
    const { pets } = clientOf(service, { baseUrl: gateway.baseUrl });
    const error = await errorOf(pets.create({ name: "Rex", categoryId: 1n }));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error.message).toContain(JSON.stringify(body));
  },
);

test.each([null, undefined, "", "..", "1/../2", "1?x", 1.5, Number.NaN, true, {}])(
  "the id %p is refused before a request is sent",
  async (id) => {
    await using service = await startService();
    const { pets, orders } = clientOf(service);
    expect(await errorOf((async () => await pets.get(id as bigint))())).toMatchObject({
      name: "TypeError",
      message: "petId must be an integer",
    });
    expect(await errorOf((async () => await orders.get(id as bigint))())).toMatchObject({
      message: "orderId must be an integer",
    });
    expect(service.answered).toEqual([]);
  },
);

test("a body without end is no response of the service, and neither is a body that grows when it is unpacked", async () => {
  await using service = await startService();
  let ended = 0;
  const bodies: Record<string, () => Response> = {
    "/v1/pets/1": () =>
      new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(2 ** 20)),
          cancel: () => {
            ended++;
          },
        }),
      ),
    "/v1/pets/2": () =>
      new Response(Bun.gzipSync(new Uint8Array(20 * 2 ** 20)), { headers: { "content-encoding": "gzip" } }),
    "/v1/pets/3": () => new Response(new Uint8Array(20 * 2 ** 20)),
  };
  await using gateway = startGateway(service, async ({ request }) =>
    (bodies[new URL(request.url).pathname] as () => Response)(),
  );
  const { pets } = clientOf(service, { baseUrl: gateway.baseUrl, retries: 0 });
  for (const id of [1n, 2n, 3n]) {
    const error = await errorOf(pets.get(id));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error.message).toBe("getPet: the body is too long");
  }
  await until(() => ended === 1);
});
