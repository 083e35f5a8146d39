import { describe, expect, test } from "bun:test";
import { openStore } from "../../../src/stores/open.ts";
import type { Service } from "../../support/service.ts";
import { everyOperation, REX } from "./every-operation.ts";
import type { Exercised } from "./exercised.ts";
import { expectAnswer } from "./scenario.ts";

export function listPetsContract(exercised: Exercised): void {
  describe("200", () => {
    test("an empty array without a next page if the stock is empty", async () => {
      await using service = await exercised.start();
      const answer = await service.call("/v1/pets");
      expect(answer.headers.get("content-type")).toBe("application/json");
      expect(answer.headers.get("link")).toBeNull();
      await expectAnswer(answer, { status: 200, answer: "[]" });
    });

    test("an animal is in the list right after it was added, by this process or another", async () => {
      await using service = await exercised.start();
      // Asked for three times, it is a page that was kept.
      for (let n = 0; n < 3; n++) expect(await idsOf(service, "/v1/pets")).toEqual([]);
      await service.create(REX);
      expect(await idsOf(service, "/v1/pets")).toEqual([1]);
      const other = await openStore(service.database.url, Date.now);
      await other.addAnimal({ name: "Mia", categoryId: 1n, status: "sold" });
      await other.close();
      expect(await idsOf(service, "/v1/pets")).toEqual([1, 2]);
      expect(await idsOf(service, "/v1/pets?status=sold")).toEqual([2]);
    });

    test("with sort=-id, the newest come first, and a new one changes the first page and its tag", async () => {
      await using service = await exercised.start();
      await stock(service, 4);
      const newest = "/v1/pets?limit=2&sort=-id";
      // Asked for three times, it is a page that was kept.
      for (let n = 0; n < 3; n++) expect(await idsOf(service, newest)).toEqual([4, 3]);
      const first = await service.call(newest);
      const next = nextOf(first.headers.get("link")) ?? "";
      expect(next).toStartWith("/v1/pets?limit=2&sort=-id&cursor=");
      await service.create(REX);
      const headers = { "if-none-match": first.headers.get("etag") ?? "" };
      await expectAnswer(await service.call(newest, { headers }), { status: 200 });
      expect(await idsOf(service, newest)).toEqual([5, 4]);
      expect(await idsOf(service, next)).toEqual([2, 1]);
      expect(await idsOf(service, "/v1/pets?sort=-id&status=available")).toEqual([5, 4, 1]);
      expect(await idsOf(service, "/v1/pets?limit=2&sort=id")).toEqual([1, 2]);
    });

    describe("Link", () => {
      test("is present exactly when more animals follow", async () => {
        await using service = await exercised.start();
        await stock(service, 21);
        const links = async (query: string) => (await service.call(`/v1/pets${query}`)).headers.get("link");
        expect(await links("")).not.toBeNull();
        expect(await links("?limit=20")).not.toBeNull();
        expect(await links("?limit=21")).toBeNull();
        expect(await links("?limit=22")).toBeNull();
        // 1, 4, 7, … are available: seven of them.
        expect(await links("?status=available&limit=6")).not.toBeNull();
        expect(await links("?status=available&limit=7")).toBeNull();
      });

      test("is relative to the host, and keeps the filter and the limit", async () => {
        await using service = await exercised.start();
        await stock(service, 9);
        const link = (await service.call("/v1/pets?limit=2&status=pending")).headers.get("link") ?? "";
        expect(link).toMatch(/^<\/v1\/pets\?limit=2&status=pending&cursor=[A-Za-z0-9_-]+>; rel="next"$/);
        expect(await idsOf(service, nextOf(link) ?? "")).toEqual([8]);
        const plain = (await service.call("/v1/pets?limit=5")).headers.get("link") ?? "";
        expect(plain).toMatch(/^<\/v1\/pets\?limit=5&cursor=[A-Za-z0-9_-]+>; rel="next"$/);
      });

      test("has a cursor that stays valid after a restart and on another instance", async () => {
        await using service = await exercised.start();
        await stock(service, 5);
        const next = nextOf((await service.call("/v1/pets?limit=2")).headers.get("link")) ?? "";
        const store = await openStore(service.database.url, Date.now);
        await using other = await exercised.start({ store });
        const headers = { authorization: `Bearer ${service.key}` };
        const answer = await other.call(next, { headers });
        expect(((await answer.json()) as { id: number }[]).map(({ id }) => id)).toEqual([3, 4]);
      });

      for (const filter of ["", "&status=available"]) {
        test(`visits each animal exactly once while others add more${filter && ", with a filter"}`, async () => {
          await using service = await exercised.start();
          await stock(service, 60);
          const before = await idsOf(service, `/v1/pets?limit=100${filter}`);
          let walking = true;
          const adding = (async () => {
            while (walking) await stock(service, 3);
          })();
          const seen: number[] = [];
          let page: string | undefined = `/v1/pets?limit=7${filter}`;
          let last = page;
          while (page !== undefined) {
            last = page;
            const answer = await service.call(page);
            seen.push(...((await answer.json()) as { id: number }[]).map(({ id }) => id));
            page = nextOf(answer.headers.get("link"));
            if (seen.length > 3 * before.length) walking = false;
          }
          walking = false;
          await adding;
          expect(seen).toEqual([...new Set(seen)].sort((one, other) => one - other));
          expect(seen.filter((id) => before.includes(id))).toEqual(before);

          // A client that comes back with the last cursor misses nothing that was added since.
          const later = await walk(service, last);
          const all = await walk(service, `/v1/pets?limit=100${filter}`);
          expect([...new Set([...seen, ...later])]).toEqual(all);
        });
      }
    });
  });

  describe("400 invalid_parameter", () => {
    test("a cursor of another store is refused", async () => {
      await using service = await exercised.start();
      await using other = await exercised.start();
      await stock(other, 2);
      const foreign = nextOf((await other.call("/v1/pets?limit=1")).headers.get("link")) ?? "";
      await expectAnswer(await service.call(foreign), {
        status: 400,
        code: "invalid_parameter",
        says: "`cursor` must be",
      });
    });
  });

  everyOperation(exercised, { scope: "pets:read", request: { path: "/v1/pets", status: 200 } });
}

/** Adds animals one after the other; available, pending and sold take turns. */
async function stock(service: Service, count: number): Promise<void> {
  const states = ["available", "pending", "sold"];
  for (let at = 0; at < count; at += 3) {
    const some = states.slice(0, count - at);
    for (const state of some) {
      const { status } = await service.create(`{"name":"Rex","categoryId":1,"status":"${state}"}`);
      expect(status).toBe(201);
    }
  }
}

function nextOf(link: string | null): string | undefined {
  return /<([^>]+)>; rel="next"/.exec(link ?? "")?.[1];
}

async function idsOf(service: Service, path: string): Promise<number[]> {
  return ((await (await service.call(path)).json()) as { id: number }[]).map(({ id }) => id);
}

/** Every id from a page on, following the links. */
async function walk(service: Service, from: string): Promise<number[]> {
  const seen: number[] = [];
  for (let page: string | undefined = from; page !== undefined; ) {
    const answer = await service.call(page);
    seen.push(...((await answer.json()) as { id: number }[]).map(({ id }) => id));
    page = nextOf(answer.headers.get("link"));
  }
  return seen;
}
