import { describe, expect, test } from "bun:test";
import { quote } from "../../../src/domain/quote.ts";
import { everyOperation } from "./every-operation.ts";
import type { Exercised } from "./exercised.ts";
import { change, order } from "./orders.ts";
import { expectAnswer, named, scenarios } from "./scenario.ts";

export function getOrderContract(exercised: Exercised): void {
  test("200 with the order as it is now, and another ETag after each change", async () => {
    await using service = await exercised.start();
    await order(service);
    const tags = new Set<string | null>();
    for (const status of ["placed", "approved", "delivered"]) {
      const changed = await change(service, 1, status);
      const body = await changed.text();
      // Asked for three times, it is a page that was kept.
      for (let n = 0; n < 3; n++) {
        const answer = await service.call("/v1/orders/1");
        tags.add(answer.headers.get("etag"));
        await expectAnswer(answer, { status: 200, answer: body });
      }
      const [tag] = [...tags].reverse();
      const condition = { headers: { "if-none-match": tag as string } };
      expect((await service.call("/v1/orders/1", condition)).status).toBe(304);
    }
    expect(tags.size).toBe(3);
  });

  describe("404 order_not_found", () => {
    const ids = ["2", "0", "-1", "01", "1.0", "+1", "abc", "9223372036854775807", "9223372036854775808"];
    scenarios(
      exercised,
      named(Object.fromEntries(ids.map((id) => [id, id])), (id: string) => ({
        path: `/v1/orders/${id}`,
        status: 404,
        code: "order_not_found",
        says: `There is no order with the id ${quote(id)}`,
      })),
      (service) => order(service),
    );
  });

  everyOperation(exercised, {
    scope: "orders:read",
    request: { path: "/v1/orders/1", status: 200 },
    stock: (service) => order(service),
    table: "store_order",
  });
}
