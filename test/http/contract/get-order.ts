import { expect, test } from "bun:test";
import { everyOperation } from "./every-operation.ts";
import type { Exercised } from "./exercised.ts";
import { change, order } from "./orders.ts";
import { expectAnswer } from "./scenario.ts";

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

  test("with its animal, and another ETag after each change of that animal, also by hand", async () => {
    await using service = await exercised.start();
    await order(service);
    const tags = new Set<string | null>();
    for (const name of ["Rex", "Max", "Rex"]) {
      await service.database.query(`UPDATE animal SET name = '${name}' WHERE id = 1`);
      // Asked for three times, each is a response that was kept.
      for (let n = 0; n < 3; n++) {
        for (const path of ["/v1/orders/1?include=pet", "/v1/orders?include=pet"]) {
          const answer = await service.call(path);
          if (!path.includes("orders?")) tags.add(answer.headers.get("etag"));
          expect(JSON.stringify(await answer.json())).toContain(
            `"pet":{"id":1,"name":"${name}","categoryId":12,"status":"pending"}`,
          );
        }
      }
      const condition = { headers: { "if-none-match": [...tags].at(-1) as string } };
      const wanted = name === "Rex" && tags.size === 2 ? 200 : 304;
      expect((await service.call("/v1/orders/1?include=pet", condition)).status).toBe(wanted);
    }
    expect(tags.size).toBe(2);
  });

  everyOperation(exercised, {
    scope: "orders:read",
    request: { path: "/v1/orders/1", status: 200 },
    stock: (service) => order(service),
    table: "store_order",
  });
}
