import { describe, expect, test } from "bun:test";
import { everyOperation, REX } from "./every-operation.ts";
import type { Exercised } from "./exercised.ts";
import { expectAnswer, send } from "./scenario.ts";

const SUNSET = Date.parse("2030-12-05T00:00:00Z");

/** RFC 9745, RFC 8594, RFC 5829. */
const DEPRECATION = {
  deprecation: "@1764892800",
  sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
  link: '</v1/pets>; rel="successor-version"',
};

export function getPetContract(exercised: Exercised): void {
  describe("200", () => {
    test("with ids above 2^53 exact in the path and in the response", async () => {
      await using service = await exercised.start();
      for (const id of ["9007199254740993", "9223372036854775807"]) {
        await service.database.query(
          `INSERT INTO animal (id, name, category_id, status) VALUES (${id}, 'Rex', ${id}, 'sold')`,
        );
        await expectAnswer(await service.call(`/v1/pets/${id}`), {
          status: 200,
          answer: `{"id":${id},"name":"Rex","categoryId":${id},"status":"sold"}`,
        });
      }
      await expectAnswer(await service.call("/v1/pets/9007199254740992"), { status: 404 });
    });
  });

  describe("410 from the moment of Sunset on", () => {
    test("and not a millisecond before", async () => {
      let now = SUNSET - 1;
      await using service = await exercised.start({ clock: () => now });
      await service.create(REX);
      expect((await service.call("/v1/pets/1")).status).toBe(200);
      now = SUNSET;
      for (const path of ["/v1/pets/1", "/v1/pets/2", "/v1/pets/abc"]) {
        const answer = await service.call(path);
        expect(Object.fromEntries(answer.headers)).toMatchObject(DEPRECATION);
        await expectAnswer(answer, { status: 410, code: "operation_removed", says: "GET /pets" });
      }
      expect((await service.call("/v1/pets/1", { method: "HEAD" })).status).toBe(410);
      // The rest of the service lives on.
      expect((await service.call("/v1/pets")).status).toBe(200);
      expect((await service.create(REX)).status).toBe(201);
    });

    test("but a request without a valid key still gets 401", async () => {
      await using service = await exercised.start({ clock: () => SUNSET });
      const answer = await service.call("/v1/pets/1", { headers: { authorization: "Bearer wrong" } });
      expect(answer.status).toBe(401);
    });
  });

  test("every response says that the operation is deprecated, and what replaces it", async () => {
    await using service = await exercised.start({ rateLimit: { quota: 7, windowSeconds: 3600 } });
    await service.create(REX);
    const { key } = await service.issueKey(["pets:write"]);
    const etag = (await service.call("/v1/pets/1")).headers.get("etag") ?? "";
    const seen: number[] = [];
    for (const request of [
      { path: "/v1/pets/1" },
      { path: "/v1/pets/1", method: "HEAD" },
      { path: "/v1/pets/1", headers: { "if-none-match": etag } },
      { path: "/v1/pets/1?x=%zz" },
      { path: "/v1/pets/1", headers: { authorization: "Bearer wrong" } },
      { path: "/v1/pets/1", method: "HEAD", headers: { authorization: "Bearer wrong" } },
      { path: "/v1/pets/1", headers: { authorization: `Bearer ${key}` } },
      { path: "/v1/pets/2" },
      { path: "/v1/pets/1" },
    ]) {
      const answer = await send(service, { ...request, status: 0 });
      expect(Object.fromEntries(answer.headers)).toMatchObject(DEPRECATION);
      seen.push(answer.status);
    }
    expect(seen).toEqual([200, 200, 304, 400, 401, 401, 403, 404, 429]);

    await service.database.query("ALTER TABLE animal RENAME TO elsewhere");
    const { key: fresh } = await service.issueKey();
    const headers = { authorization: `Bearer ${fresh}` };
    // Not the page that is kept.
    const broken = await service.call("/v1/pets/1?again", { headers });
    expect(broken.status).toBe(500);
    expect(Object.fromEntries(broken.headers)).toMatchObject(DEPRECATION);
  });

  test("no other operation is deprecated", async () => {
    await using service = await exercised.start();
    for (const answer of [await service.create(REX), await service.call("/v1/pets")]) {
      expect(answer.headers.get("deprecation")).toBeNull();
      expect(answer.headers.get("sunset")).toBeNull();
    }
  });

  everyOperation(exercised, { scope: "pets:read", request: { path: "/v1/pets/1", status: 200 } });
}
