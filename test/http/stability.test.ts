import { describe, expect, test } from "bun:test";
import { STABILITIES } from "../../src/domain/stability.ts";
import { CATALOGUE, operationsOffered } from "../../src/operations/catalogue.ts";
import { type Service, startService } from "../support/service.ts";

/** Every page for people, by following the links from `/` and `/docs`. */
async function pagesOf(service: Service): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  const open = ["/", "/docs", "/openapi.json", "/openapi.yaml"];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (pages.has(path)) continue;
    const answer = await service.call(path);
    expect([path, answer.status]).toEqual([path, 200]);
    const page = await answer.text();
    // A script is the same for every service, and asks its page what is offered.
    const isScript = answer.headers.get("content-type")?.includes("javascript");
    pages.set(path, isScript ? "" : page);
    if (!answer.headers.get("content-type")?.startsWith("text/html")) continue;
    const base = /<base href="([^"]*)"/.exec(page)?.[1] ?? "";
    for (const [, link = ""] of page.matchAll(/(?:href|src)="([^"#?]+)/g)) {
      const url = new URL(link, new URL(base, `http://service${path}`));
      if (url.host === "service") open.push(url.pathname);
    }
  }
  return pages;
}

for (const level of STABILITIES) {
  describe(`STABILITY=${level}`, () => {
    const offered = operationsOffered(level);
    const others = CATALOGUE.filter((operation) => !offered.includes(operation));

    test("answers 404 to every other operation, with any method, and 401 without a key", async () => {
      await using service = await startService({ operations: offered });
      for (const { path, method, stability } of others) {
        const target = `/v1${path.replaceAll(/\{\w+\}/g, "1")}`;
        for (const each of [method, "HEAD", "DELETE"]) {
          const answer = await service.call(target, { method: each });
          expect([target, each, answer.status]).toEqual([target, each, 404]);
          if (each !== "HEAD")
            expect(await answer.json()).toEqual({
              code: "path_not_found",
              message: expect.stringContaining(`with \`STABILITY=${stability}\``),
              status: 404,
            });
          expect(answer.headers.get("allow")).toBeNull();
        }
        const headers = { authorization: "none" };
        expect((await service.call(target, { method, headers })).status).toBe(401);
      }
    });

    test("says nothing of them in Allow, a preflight, the document or a page", async () => {
      await using service = await startService({ operations: offered });
      const methods = [...new Set(["HEAD", ...offered.map(({ method }) => method)])].sort();
      const preflight = await service.call("/v1/pets", {
        method: "OPTIONS",
        headers: { origin: "https://shop.example", "access-control-request-method": "GET" },
      });
      expect(preflight.headers.get("access-control-allow-methods")).toBe(methods.join(", "));
      const { paths } = (await (await service.call("/openapi.json")).json()) as { paths: object };
      expect(Object.keys(paths)).toEqual([...new Set(offered.map(({ path }) => path))]);
      const pages = await pagesOf(service);
      expect(pages.size).toBeGreaterThan(20);
      for (const [path, page] of pages) {
        const named = others.filter(({ id }) => page.includes(id)).map(({ id }) => id);
        expect([path, named]).toEqual([path, []]);
      }
      // What is offered is in the reference.
      for (const { id } of offered) expect(pages.get("/docs")).toContain(id);
    });
  });
}

test("every operation has a stability level, and the three of the specification are stable", () => {
  expect(operationsOffered("stable").map(({ id }) => id)).toEqual(["listPets", "createPet", "getPet"]);
  expect(operationsOffered("experimental")).toEqual([...CATALOGUE]);
});
