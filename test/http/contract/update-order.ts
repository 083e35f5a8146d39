import { describe, expect, test } from "bun:test";
import { ORDER_STATUSES } from "../../../src/domain/order.ts";
import { everyOperation } from "./every-operation.ts";
import type { Exercised } from "./exercised.ts";
import { change, type OrderBody, order, ordersAt, statusOfAnimal } from "./orders.ts";
import { expectAnswer, send, serviceForAll } from "./scenario.ts";

/** The way of an order to each status, and what its animal is then. */
const WAYS: Readonly<Record<string, readonly string[]>> = {
  placed: [],
  approved: ["approved"],
  delivered: ["approved", "delivered"],
  cancelled: ["cancelled"],
};
const ANIMAL: Readonly<Record<string, string>> = {
  placed: "pending",
  approved: "pending",
  delivered: "sold",
  cancelled: "available",
};
const STEPS = ["placed approved", "placed cancelled", "approved delivered", "approved cancelled"];
const NEXT: Readonly<Record<string, string>> = {
  placed: "it can become `approved` or `cancelled`",
  approved: "it can become `delivered` or `cancelled`",
  delivered: "its status can no longer change",
  cancelled: "its status can no longer change",
};

export function updateOrderContract(exercised: Exercised): void {
  let now = Date.now();
  const service = serviceForAll(exercised, [], { clock: () => now });
  for (const from of ORDER_STATUSES) {
    for (const to of ORDER_STATUSES) {
      const isStep = STEPS.includes(`${from} ${to}`);
      test(`${from} to ${to} gets ${from === to ? "200, and nothing changes" : isStep ? "200" : "409"}`, async () => {
        const before = await order(service(), ...(WAYS[from] ?? []));
        now += 1000;
        const answer = await change(service(), before.id, to);
        expect(answer.headers.get("etag")).toBeNull();
        if (from !== to && !isStep) {
          const says = `The order is \`${from}\`, so it cannot become \`${to}\`; ${NEXT[from]}.`;
          await expectAnswer(answer, { status: 409, code: "invalid_transition", says });
        } else {
          expect(answer.status).toBe(200);
          const after = (await answer.json()) as OrderBody;
          const updatedAt = from === to ? before.updatedAt : expect.any(String);
          expect(after).toEqual({ ...before, status: to, updatedAt });
          if (isStep) expect(after.updatedAt > before.updatedAt).toBe(true);
        }
        const status = isStep ? to : from;
        expect((await ordersAt(service(), "/v1/orders?limit=100")).at(-1)).toMatchObject({
          id: before.id,
          status,
        });
        expect(await statusOfAnimal(service(), before.petId)).toBe(ANIMAL[status] ?? "");
      });
    }
  }

  test("when clients deliver and cancel an order at once, one kind of change is refused", async () => {
    await using service = await exercised.start();
    await order(service, "approved");
    const steps = ["delivered", "cancelled", "delivered", "cancelled"];
    const answers = await Promise.all(steps.map((step) => change(service, 1, step)));
    const statuses: number[] = answers.map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 200, 409, 409]);
    const [{ status }] = (await ordersAt(service, "/v1/orders")) as [OrderBody];
    expect(statuses).toEqual(steps.map((step) => (step === status ? 200 : 409)));
    expect(await statusOfAnimal(service, 1)).toBe(ANIMAL[status] ?? "");
  });

  describe("If-Match", () => {
    /** Changes an order that is placed; returns the response and what the order is then. */
    const changeIf = async (ifMatch: (tag: string, earlier: string) => string, to = "approved") => {
      const { id } = await order(service());
      const tag = async (headers = {}) =>
        (await service().call(`/v1/orders/${id}`, { headers })).headers.get("etag") ?? "";
      const current = await tag();
      const coded = await tag({ "accept-encoding": "br, identity;q=0" });
      expect(coded).not.toBe(current);
      const answer = await change(service(), id, to, { "if-match": ifMatch(current, coded) });
      const after = (await (await service().call(`/v1/orders/${id}`)).json()) as OrderBody;
      return { answer, status: after.status };
    };

    test.each<[string, (tag: string, coded: string) => string]>([
      ["the tag that GET returned", (tag) => tag],
      ["the tag that GET returned with a content coding", (_, coded) => coded],
      ["the tag under a coding that was not asked for", (tag) => tag.replace(/"$/, '-gzip"')],
      ["a list with the tag", (tag) => `"a", W/"b" ,,"c,d", ${tag}`],
      ["any", () => "*"],
    ])("%s: 200", async (_, ifMatch) => {
      const { answer, status } = await changeIf(ifMatch);
      expect([answer.status, status]).toEqual([200, "approved"]);
    });

    test("an outdated tag is refused before the step is judged", async () => {
      const { id } = await order(service());
      const tag = (await service().call(`/v1/orders/${id}`)).headers.get("etag") ?? "";
      expect((await change(service(), id, "approved", { "if-match": tag })).status).toBe(200);
      for (const to of ["approved", "placed", "delivered", "cancelled"]) {
        const answer = await change(service(), id, to, { "if-match": tag });
        await expectAnswer(answer, { status: 412, code: "precondition_failed" });
      }
      const current = (await service().call(`/v1/orders/${id}`)).headers.get("etag") ?? "";
      expect((await change(service(), id, "placed", { "if-match": current })).status).toBe(409);
      expect((await change(service(), id, "approved", { "if-match": current })).status).toBe(200);
    });

    test("an order that does not exist is not found, whatever its tag", async () => {
      for (const tag of ["*", '"a"']) {
        const answer = await change(service(), 999_999, "approved", { "if-match": tag });
        await expectAnswer(answer, { status: 404, code: "order_not_found" });
      }
    });

    test("of many clients that change the same version at once, one succeeds", async () => {
      const { id } = await order(service());
      const tag = (await service().call(`/v1/orders/${id}`)).headers.get("etag") ?? "";
      const steps = Array.from({ length: 20 }, (_, n) => (n % 2 ? "approved" : "cancelled"));
      const answers = await Promise.all(steps.map((to) => change(service(), id, to, { "if-match": tag })));
      const statuses: number[] = answers.map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 412)]);
    });
  });

  test("405 names the methods of the path", async () => {
    await using service = await exercised.start();
    for (const [path, allow] of [
      ["/v1/orders", "GET, HEAD, POST"],
      ["/v1/orders/1", "GET, HEAD, PATCH"],
    ] as const) {
      const answer = await send(service, { method: "DELETE", path, status: 405 });
      expect(answer.headers.get("allow")).toBe(allow);
      await expectAnswer(answer, { status: 405, code: "method_not_allowed" });
    }
  });

  everyOperation(exercised, {
    scope: "orders:write",
    request: { method: "PATCH", path: "/v1/orders/1", body: '{"status":"approved"}', status: 200 },
    stock: (service) => order(service),
    table: "store_order",
  });
}
