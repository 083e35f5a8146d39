import { expect, test } from "bun:test";
import { parseQuery, type Query } from "../../verify/fuzz/expectation.ts";
import { OrderModel } from "../../verify/fuzz/order-model.ts";
import { Random } from "../../verify/random.ts";

const REQUEST = { kind: "list orders", method: "GET", target: "/v1/orders", headers: [] };

/** Shows the model a page of one order, the only one of its animal, with a link behind it. */
function showPage(model: OrderModel, id: number): void {
  const at = "2026-11-22T08:00:00.000Z";
  const page = [{ id, petId: id, status: "placed", placedAt: at, updatedAt: at }];
  const link = `</v1/orders?limit=1&petId=${id}&cursor=behind-${id}>; rel="next"`;
  const { check } = model.expectList(REQUEST, parseQuery(`limit=1&petId=${id}`) as Query);
  const body = Buffer.from(JSON.stringify(page));
  check?.(body, { status: 200, headers: new Headers({ link }), bytes: body, body: body.toString() });
}

test("the model of orders knows where each position leads that it offers, also once old ones are replaced", () => {
  const model = new OrderModel({ isAvailable: () => true, mayExist: () => true });
  const random = new Random(1, 0);
  // The same page twice, then others until their positions take the place of the first.
  for (const id of [2000, 2000, ...Array.from({ length: 1998 }, (_, n) => n + 1), 4000, 6000])
    showPage(model, id);
  const offered = Array.from({ length: 30_000 }, () => model.positions.any(random));
  for (const position of new Set(offered)) {
    const query = parseQuery(`petId=${position?.filters.petId}&cursor=${position?.cursor}`) as Query;
    expect(model.expectList(REQUEST, query).outcomes).toEqual(["200"]);
  }
});
