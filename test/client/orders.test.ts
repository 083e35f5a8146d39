import { expect, test } from "bun:test";
import type { Order } from "../../client/contract.ts";
import { InvalidTransitionError, PreconditionFailedError } from "../../client/errors-by-code.ts";
import { startProxy } from "../support/proxy.ts";
import { type Service, startService } from "../support/service.ts";
import { clientOf, collect, errorOf } from "./client-of.ts";
import { startGateway } from "./gateway.ts";

const portOf = ({ address }: Service) => Number(new URL(address).port);

async function stock(service: Service, count: number): Promise<void> {
  for (let id = 1; id <= count; id++) await service.create('{"name":"Rex","categoryId":1}');
}

test("an order is placed, changed, fetched and listed, with its times as the service writes them", async () => {
  await using service = await startService();
  await stock(service, 1);
  const { orders, pets } = clientOf(service);
  const placed = await orders.place(1n);
  expect(placed).toEqual({
    id: 1n,
    petId: 1n,
    status: "placed",
    placedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updatedAt: placed.placedAt,
  });
  expect((await pets.list({ status: "pending" }).firstPage()).items.length).toBe(1);
  expect((await orders.update(1n, "approved")).status).toBe("approved");
  const delivered = await orders.update(1n, "delivered");
  expect(await orders.get(1n)).toEqual(delivered);
  expect((await pets.list({ status: "sold" }).firstPage()).items.length).toBe(1);
  expect(await collect(orders.list())).toEqual([delivered]);
});

test("a list can be filtered, and fetches each page when the loop reaches it", async () => {
  await using service = await startService();
  await stock(service, 5);
  const { orders } = clientOf(service);
  for (let petId = 1n; petId <= 5n; petId++) await orders.place(petId);
  await orders.update(2n, "cancelled");
  await orders.place(2n);
  const ids = async (list: AsyncIterable<{ readonly id: bigint }>) =>
    (await collect(list)).map(({ id }) => id);
  expect(await ids(orders.list({ limit: 2 }))).toEqual([1n, 2n, 3n, 4n, 5n, 6n]);
  expect(await ids(orders.list({ status: "placed", limit: 2 }))).toEqual([1n, 3n, 4n, 5n, 6n]);
  expect(await ids(orders.list({ petId: 2n }))).toEqual([2n, 6n]);
  expect(await ids(orders.list({ petId: 2n, status: "cancelled" }))).toEqual([2n]);
  const before = service.answered.length;
  for await (const { id } of orders.list({ limit: 2 })) if (id === 3n) break;
  expect(service.answered.length - before).toBe(2);
  const [, second] = await collect(orders.list({ limit: 2 }).pages());
  expect(await ids(orders.listFrom(second?.url as string))).toEqual([3n, 4n, 5n, 6n]);
});

test("an order comes with its animal on demand, and by such an order a change depends on the order alone", async () => {
  await using service = await startService();
  await stock(service, 2);
  const { orders } = clientOf(service);
  await orders.place(1n);
  await orders.place(2n);
  const rex = { id: 2n, name: "Rex", categoryId: 1n, status: "pending" } as const;
  const found = await orders.get(2n, { include: "pet" });
  // The type says that it is there.
  expect(found.pet.name satisfies string).toBe("Rex");
  expect(found.pet).toEqual(rex);
  const listed = await collect(orders.list({ include: "pet", limit: 1, sort: "-id" }));
  expect(listed.map(({ id, pet }) => [id, pet.id])).toEqual([
    [2n, 2n],
    [1n, 1n],
  ]);
  expect((await orders.get(2n, { include: undefined })).pet).toBeUndefined();
  expect((await orders.list().first())?.pet).toBeUndefined();
  const approved = await orders.update(2n, "approved", { ifUnchangedSince: found });
  expect(approved.status).toBe("approved");
  expect(await errorOf(orders.update(2n, "delivered", { ifUnchangedSince: found }))).toBeInstanceOf(
    PreconditionFailedError,
  );
});

test("each refusal is an error of its own", async () => {
  await using service = await startService();
  await stock(service, 2);
  const { orders } = clientOf(service);
  await orders.place(1n);
  const key = { idempotencyKey: "one" };
  await orders.place(2n, key);
  const readOnly = await service.issueKey(["orders:read"]);
  const nobody = clientOf(service, { apiKey: readOnly.key }).orders;
  for (const [call, name, status] of [
    [() => orders.place(9n), "AnimalNotFoundError", 404],
    [() => orders.place(1n), "AnimalNotAvailableError", 409],
    [() => orders.place(1n, key), "IdempotencyKeyReusedError", 422],
    [() => orders.place(2n ** 63n), "InvalidBodyError", 400],
    [() => orders.get(9n), "OrderNotFoundError", 404],
    [() => orders.update(9n, "approved"), "OrderNotFoundError", 404],
    [() => orders.update(1n, "delivered"), "InvalidTransitionError", 409],
    [() => orders.update(1n, "lost" as "placed"), "InvalidBodyError", 400],
    [() => orders.list({ status: "lost" as "placed" }).firstPage(), "InvalidParameterError", 400],
    [() => orders.list({ petId: -1n }).firstPage(), "InvalidParameterError", 400],
    [() => nobody.update(1n, "approved"), "InsufficientScopeError", 403],
  ] as const) {
    expect(await errorOf(call())).toMatchObject({ name, status });
  }
  expect(await errorOf(orders.place((2 ** 53) as unknown as bigint))).toBeInstanceOf(RangeError);
});

test("an order whose response is lost is placed once", async () => {
  await using service = await startService();
  await stock(service, 1);
  let lost = 0;
  await using proxy = await startProxy(portOf(service), {
    toClient: (data) => (data.includes("201 Created") && lost++ < 2 ? "cut" : undefined),
  });
  const { orders } = clientOf(service, { baseUrl: `http://127.0.0.1:${proxy.port}/v1` });
  expect(await orders.place(1n)).toMatchObject({ id: 1n, status: "placed" });
  expect(lost).toBe(3);
  expect((await collect(orders.list())).length).toBe(1);
});

test("a change whose response is lost is sent again, and nothing changes the second time", async () => {
  await using service = await startService();
  await stock(service, 1);
  const direct = clientOf(service).orders;
  await direct.place(1n);
  let lost = 0;
  await using proxy = await startProxy(portOf(service), {
    toClient: (data) => (data.includes("200 OK") && lost++ < 1 ? "cut" : undefined),
  });
  const { orders } = clientOf(service, { baseUrl: `http://127.0.0.1:${proxy.port}/v1` });
  const approved = await orders.update(1n, "approved");
  expect(lost).toBe(2);
  expect(await direct.get(1n)).toEqual(approved);
});

test("a change is refused if another client changed the order first, and the error names the earlier failure", async () => {
  await using service = await startService();
  await stock(service, 1);
  const direct = clientOf(service).orders;
  await direct.place(1n);
  await using gateway = startGateway(service, async ({ index, forward }) => {
    const response = await forward();
    if (index > 0) return response;
    // The first attempt succeeds, its response is lost, and somebody delivers the order.
    await direct.update(1n, "delivered");
    return new Response("<h1>Gateway Timeout</h1>", { status: 504 });
  });
  const error = await errorOf(clientOf(service, { baseUrl: gateway.baseUrl }).orders.update(1n, "approved"));
  expect(error).toBeInstanceOf(InvalidTransitionError);
  expect(error).toMatchObject({ attempts: 2, cause: { status: 504 } });
  expect((await direct.get(1n)).status).toBe("delivered");
});

test("a conditional change is made only if the order is still as the caller saw it", async () => {
  await using service = await startService();
  await stock(service, 2);
  const { orders } = clientOf(service);
  const placed = await orders.place(1n);
  const fetched = await orders.get(1n);
  const [listed] = (await orders.list().firstPage()).items;
  await orders.update(1n, "approved", { ifUnchangedSince: fetched });

  const before = service.answered.length;
  for (const stale of [fetched, placed, listed, structuredClone(fetched)]) {
    const error = await errorOf(orders.update(1n, "cancelled", { ifUnchangedSince: stale as Order }));
    expect(error).toBeInstanceOf(PreconditionFailedError);
    expect(error).toMatchObject({ code: "precondition_failed", status: 412 });
  }
  // The service refuses what `get` returned; what came from elsewhere is fetched and compared, and not sent at all.
  expect(service.answered.slice(before).map(({ method, status }) => `${method} ${status}`)).toEqual([
    "PATCH 412",
    "GET 200",
    "GET 304",
    "GET 304",
  ]);

  const approved = structuredClone(await orders.get(1n));
  const { value, response } = await orders
    .update(1n, "delivered", { ifUnchangedSince: approved })
    .withResponse();
  expect([value.status, response.status]).toEqual(["delivered", 200]);
  const other = await orders.place(2n);
  expect(await errorOf(orders.update(1n, "cancelled", { ifUnchangedSince: other }))).toBeInstanceOf(
    PreconditionFailedError,
  );
});

test("if several clients change the same version of an order, one succeeds", async () => {
  await using service = await startService();
  await stock(service, 1);
  const placed = await clientOf(service).orders.place(1n);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 8 }, (_, at) =>
      clientOf(service).orders.update(1n, at % 2 ? "approved" : "cancelled", { ifUnchangedSince: placed }),
    ),
  );
  expect(outcomes.filter(({ status }) => status === "fulfilled").length).toBe(1);
});
