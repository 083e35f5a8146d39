import { describe, expect, test } from "bun:test";
import type { Service } from "../../support/service.ts";
import { untilStatus } from "../../support/until.ts";
import { everyOperation, REX } from "./every-operation.ts";
import type { Exercised } from "./exercised.ts";
import { type OrderBody, ordersAt, place, statusOfAnimal } from "./orders.ts";
import { expectAnswer, send } from "./scenario.ts";

const ORDER = '{"petId":1}';
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export function placeOrderContract(exercised: Exercised): void {
  describe("201", () => {
    test("the order, and the animal is pending everywhere right after it", async () => {
      const now = Date.parse("2026-11-22T09:30:00.007Z");
      await using service = await exercised.start({ clock: () => now });
      await service.create(REX);
      await service.create(REX);
      // Asked for three times, they are pages that were kept.
      for (let n = 0; n < 3; n++) {
        expect(await statusOfAnimal(service, 2)).toBe("available");
        expect(await idsOf(service, "available")).toEqual([1, 2]);
        expect(await ordersAt(service, "/v1/orders")).toEqual([]);
      }
      const placed = await place(service, 2);
      expect(placed.headers.get("location")).toBe("/v1/orders/1");
      expect(placed.headers.get("content-type")).toBe("application/json");
      expect(placed.headers.get("etag")).toBeNull();
      const body = (await placed.json()) as OrderBody;
      expect(Object.keys(body)).toEqual(["id", "petId", "status", "placedAt", "updatedAt"]);
      expect(body).toMatchObject({ id: 1, petId: 2, status: "placed", updatedAt: body.placedAt });
      expect(body.placedAt).toMatch(TIME);
      expect(await statusOfAnimal(service, 2)).toBe("pending");
      expect(await idsOf(service, "available")).toEqual([1]);
      expect(await idsOf(service, "pending")).toEqual([2]);
      expect(await ordersAt(service, "/v1/orders")).toEqual([body]);
      expect(await (await service.call("/v1/orders/1")).json()).toEqual(body);
    });

    test("ids past 2^53 are exact in the body, in Location and in the order", async () => {
      await using service = await exercised.start();
      await service.create(REX);
      await service.database.setLastId(9007199254740992n);
      await service.create(REX);
      const placed = await service.call("/v1/orders", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"petId":9007199254740993.0}',
      });
      expect(placed.status).toBe(201);
      expect(await placed.text()).toContain('"petId":9007199254740993,');
      expect(await (await service.call("/v1/orders?petId=9007199254740993")).text()).toContain(
        '"petId":9007199254740993,',
      );
    });

    test("when many clients order the same animals at once, each animal is ordered once", async () => {
      await using service = await exercised.start();
      for (let n = 0; n < 5; n++) await service.create(REX);
      const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => place(service, (n % 5) + 1)));
      expect(answers.map(({ status }) => status).sort()).toEqual([
        ...Array.from({ length: 5 }, () => 201),
        ...Array.from({ length: 45 }, () => 409),
      ]);
      const orders = await ordersAt(service, "/v1/orders");
      expect(orders.map(({ petId }) => petId).sort()).toEqual([1, 2, 3, 4, 5]);
      expect(orders.map(({ id }) => id)).toEqual([...orders.map(({ id }) => id)].sort((a, b) => a - b));
    });
  });

  describe("a retry with its Idempotency-Key", () => {
    const headers = { "idempotency-key": "one" };

    test("gets the first response again, whatever the order's status is by then", async () => {
      await using service = await exercised.start();
      await service.create(REX);
      const first = await place(service, 1, headers);
      expect(first.headers.get("idempotent-replayed")).toBeNull();
      const text = await first.text();
      for (const status of ["placed", "approved", "delivered"]) {
        await service.call("/v1/orders/1", {
          method: "PATCH",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ status }),
        });
        const replay = await place(service, 1, headers);
        expect(replay.headers.get("idempotent-replayed")).toBe("true");
        expect(replay.headers.get("location")).toBe("/v1/orders/1");
        await expectAnswer(replay, { status: 201, answer: text });
      }
      expect(await ordersAt(service, "/v1/orders")).toHaveLength(1);
    });

    test("places one order when both arrive at once", async () => {
      await using service = await exercised.start();
      await service.create(REX);
      const answers = await Promise.all(Array.from({ length: 20 }, () => place(service, 1, headers)));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
      expect(new Set(await Promise.all(answers.map((each) => each.text()))).size).toBe(1);
      const replays = answers.filter((each) => each.headers.get("idempotent-replayed") === "true");
      expect(replays).toHaveLength(19);
    });
  });

  test("orders get 503 while another process blocks all writes; a retry places one order, not two", async () => {
    await using service = await exercised.start();
    await service.create(REX);
    const headers = { "idempotency-key": "k" };
    {
      await using _ = await service.database.lock();
      const placing = place(service, 1, headers);
      expect(await ordersAt(service, "/v1/orders")).toEqual([]);
      const answer = await placing;
      expect(answer.headers.get("retry-after")).toBe("1");
      await expectAnswer(answer, { status: 503, code: "store_unavailable" });
    }
    await untilStatus(() => place(service, 1, headers), 201);
    expect(await ordersAt(service, "/v1/orders")).toHaveLength(1);
  });

  test("a refused request changes nothing", async () => {
    await using service = await exercised.start();
    await service.create(REX);
    const { key } = await service.issueKey(["orders:read", "pets:read", "pets:write", "events:read"]);
    for (const scenario of [
      { body: "{" },
      { body: '{"petId":"1"}' },
      { body: '{"petId":2}' },
      { body: ORDER, headers: { "content-type": "text/plain" } },
      { body: ORDER, headers: { authorization: "Bearer wrong" } },
      { body: ORDER, headers: { authorization: `Bearer ${key}` } },
      { body: ORDER, path: "/v1/orders?x=%zz" },
      { body: ORDER, path: "/v1/orders/" },
    ]) {
      const answer = await send(service, { path: "/v1/orders", ...scenario, status: 0 });
      expect(answer.status).toBeWithin(400, 500);
    }
    expect(await ordersAt(service, "/v1/orders")).toEqual([]);
    expect(await statusOfAnimal(service, 1)).toBe("available");
  });

  // With the key, the same request is served each time.
  everyOperation(exercised, {
    scope: "orders:write",
    request: { path: "/v1/orders", headers: { "idempotency-key": "one" }, body: ORDER, status: 201 },
    table: "store_order",
  });
}

async function idsOf(service: Service, status: string): Promise<number[]> {
  const answer = await service.call(`/v1/pets?status=${status}`);
  return ((await answer.json()) as { id: number }[]).map(({ id }) => id);
}
