import { describe, expect, test } from "bun:test";
import type { Service } from "../../support/service.ts";
import { everyOperation } from "./every-operation.ts";
import type { Exercised } from "./exercised.ts";
import { change, order, ordersAt, place } from "./orders.ts";
import { expectAnswer } from "./scenario.ts";

const nextOf = (answer: Response) => /<([^>]+)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1];

async function idsAt(service: Service, path: string): Promise<number[]> {
  return (await ordersAt(service, path)).map(({ id }) => id);
}

/** Places an order for each of `count` animals: every third is approved, every third cancelled and placed again. */
async function stock(service: Service, count: number): Promise<void> {
  const ways = [[], ["approved"], ["cancelled"]];
  for (let n = 0; n < count; n++) {
    const { petId } = await order(service, ...(ways[n % 3] ?? []));
    if (n % 3 === 2) await place(service, petId);
  }
}

export function listOrdersContract(exercised: Exercised): void {
  describe("200", () => {
    test("a bare array in ascending order of id, filtered by status and by animal", async () => {
      await using service = await exercised.start();
      await expectAnswer(await service.call("/v1/orders"), { status: 200, answer: "[]" });
      // Orders 1 (placed), 2 (approved), 3 (cancelled) and 4 (placed), the last two for animal 3.
      await stock(service, 3);
      const all = await ordersAt(service, "/v1/orders");
      expect(all.map(({ id, petId, status }) => [id, petId, status])).toEqual([
        [1, 1, "placed"],
        [2, 2, "approved"],
        [3, 3, "cancelled"],
        [4, 3, "placed"],
      ]);
      expect(await idsAt(service, "/v1/orders?status=placed")).toEqual([1, 4]);
      expect(await idsAt(service, "/v1/orders?status=delivered")).toEqual([]);
      expect(await idsAt(service, "/v1/orders?petId=3")).toEqual([3, 4]);
      expect(await idsAt(service, "/v1/orders?petId=%33&status=cancelled&limit=1&x=y")).toEqual([3]);
      expect(await idsAt(service, "/v1/orders?petId=9223372036854775807")).toEqual([]);
      await change(service, 1, "approved");
      expect(await idsAt(service, "/v1/orders?status=placed")).toEqual([4]);
      expect(await idsAt(service, "/v1/orders?status=approved")).toEqual([1, 2]);
    });

    test("Link visits each order once, and is present exactly when more follow", async () => {
      await using service = await exercised.start();
      await stock(service, 12);
      for (const filter of ["", "status=placed&", "petId=3&", "status=placed&petId=3&"]) {
        const all = await idsAt(service, `/v1/orders?${filter}limit=100`);
        const seen: number[] = [];
        let pages = 0;
        for (let page: string | undefined = `/v1/orders?limit=2&${filter}`; page; pages++) {
          const answer = await service.call(page);
          seen.push(...((await answer.json()) as { id: number }[]).map(({ id }) => id));
          page = nextOf(answer);
          if (page) expect(page).toMatch(new RegExp(`^/v1/orders\\?limit=2&${filter}cursor=[\\w-]{32}$`));
        }
        expect(seen).toEqual(all);
        expect(pages).toBe(Math.max(1, Math.ceil(all.length / 2)));
      }
    });
  });

  describe("400 invalid_parameter", () => {
    test("a cursor that was changed, or belongs to another filter, list or store", async () => {
      await using service = await exercised.start();
      await using other = await exercised.start();
      await stock(service, 4);
      await stock(other, 2);
      const cursorOf = async (of: Service, path: string) =>
        new URLSearchParams((nextOf(await of.call(path)) ?? "").split("?")[1]).get("cursor") ?? "";
      const plain = await cursorOf(service, "/v1/orders?limit=1");
      const placed = await cursorOf(service, "/v1/orders?limit=1&status=placed");
      const ofAnimal = await cursorOf(service, "/v1/orders?limit=1&petId=3");
      const pets = await cursorOf(service, "/v1/pets?limit=1");
      const foreign = await cursorOf(other, "/v1/orders?limit=1");
      for (const cursor of [plain, placed, ofAnimal, pets, foreign]) expect(cursor).toHaveLength(32);
      for (const query of [
        `cursor=${plain}&status=placed`,
        `cursor=${plain}&petId=3`,
        `cursor=${placed}`,
        `cursor=${placed}&status=approved`,
        `cursor=${ofAnimal}&petId=4`,
        `cursor=${pets}`,
        `cursor=${foreign}`,
        `cursor=${(plain.startsWith("A") ? "B" : "A") + plain.slice(1)}`,
        `cursor=${plain}&cursor=${plain}`,
      ]) {
        const refusal = { status: 400, code: "invalid_parameter", says: "`cursor` must be" };
        await expectAnswer(await service.call(`/v1/orders?${query}`), refusal);
      }
      expect((await service.call(`/v1/pets?cursor=${plain}`)).status).toBe(400);
      expect((await service.call(`/v1/orders?cursor=${placed}&status=placed&limit=50`)).status).toBe(200);
    });
  });

  everyOperation(exercised, {
    scope: "orders:read",
    request: { path: "/v1/orders", status: 200 },
    stock: (service) => order(service),
    table: "store_order",
  });
}
