import { expect, test } from "bun:test";
import { StoreFailure } from "../../src/domain/failure.ts";
import { onEveryEngine } from "../support/engines.ts";
import { temporaryFolder } from "../support/folder.ts";
import { serve } from "../support/program.ts";

const REX = '{"name":"Rex","categoryId":12}';
const SHOP = "https://shop.example.com";
const OFFICE = "http://office.example.com:8443";

/** The headers by which a browser decides, and what a page may read. */
function corsOf({ headers }: Response) {
  return Object.fromEntries(
    Object.entries(headers.toJSON()).filter(([name]) => name.startsWith("access-control-")),
  );
}

const list = (text: string | null | undefined) => (text ?? "").split(/\s*,\s*/).sort();

function preflight(origin: string, method = "POST", headers = "authorization,content-type"): RequestInit {
  return {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": method,
      "access-control-request-headers": headers,
    },
  };
}

const EXPOSED = [
  "Accept-Encoding",
  "Allow",
  "Deprecation",
  "ETag",
  "Idempotent-Replayed",
  "Link",
  "Location",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "Sunset",
  "WWW-Authenticate",
  "X-Content-Type-Options",
  "X-Request-Id",
];

onEveryEngine(({ startService }) => {
  test("a page of another origin may read every response, even a refusal", async () => {
    await using service = await startService({ rateLimit: { quota: 10, windowSeconds: 3600 } });
    const json = { "content-type": "application/json" };
    const asked: [number, string, RequestInit][] = [
      [201, "/v1/pets", { method: "POST", body: REX, headers: json }],
      [200, "/v1/pets", {}],
      [200, "/v1/pets/1", { method: "HEAD" }],
      [304, "/v1/pets", { headers: { "if-none-match": "*" } }],
      [400, "/v1/pets?limit=0", {}],
      [401, "/v1/pets", { headers: { authorization: "Bearer nobody" } }],
      [404, "/v1/pets/7", {}],
      [404, "/v1/nothing", {}],
      [405, "/v1/pets", { method: "DELETE" }],
      [415, "/v1/pets", { method: "POST", body: REX, headers: { "content-type": "text/plain" } }],
      [503, "/v1/pets?limit=7", {}],
      [429, "/v1/pets", {}],
      [200, "/openapi.json", {}],
      [200, "/", {}],
      [404, "/nothing", {}],
      [405, "/livez", { method: "POST" }],
    ];
    service.store.listAnimals = new Proxy(service.store.listAnimals.bind(service.store), {
      apply(target, _, [query]) {
        if (query.limit === 7) throw new StoreFailure("store_unavailable", "for the test");
        return target(query);
      },
    });
    for (const [status, path, init] of asked) {
      const answer = await service.call(path, { ...init, headers: { ...init.headers, origin: SHOP } });
      const { "access-control-expose-headers": exposed, ...others } = corsOf(answer);
      expect({ path, status: answer.status, others, exposed: list(String(exposed)) }).toEqual({
        path,
        status,
        // No credentials: a key is no cookie, and "*" would not allow them.
        others: { "access-control-allow-origin": "*" },
        exposed: EXPOSED,
      });
    }
  });

  test("a request without an Origin gets no CORS headers", async () => {
    await using service = await startService();
    expect(corsOf(await service.call("/v1/pets"))).toEqual({});
  });

  test("a preflight needs no key, allows every method and header of the interface, and is cached for a day", async () => {
    await using service = await startService();
    for (const path of ["/v1/pets", "/v1/pets/1", "/v1/nothing", "/openapi.json"]) {
      const answer = await fetch(service.address + path, preflight(SHOP));
      expect([path, answer.status, await answer.text()]).toEqual([path, 204, ""]);
      const { headers } = answer;
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(list(headers.get("access-control-allow-methods"))).toEqual(["GET", "HEAD", "PATCH", "POST"]);
      expect(list(headers.get("access-control-allow-headers"))).toEqual([
        "Authorization",
        "Content-Type",
        "Idempotency-Key",
        "If-Match",
        "If-None-Match",
        "Last-Event-ID",
        "X-Request-Id",
      ]);
      expect(headers.get("access-control-max-age")).toBe("86400");
      expect(headers.get("access-control-allow-credentials")).toBeNull();
      expect(list(headers.get("vary"))).toEqual([
        "Access-Control-Request-Headers",
        "Access-Control-Request-Method",
        "Origin",
      ]);
      expect(headers.get("content-type")).toBeNull();
    }
  });

  test("any other OPTIONS is refused like other unsupported methods", async () => {
    await using service = await startService();
    const noPreflight: Record<string, string>[] = [
      {},
      { origin: SHOP },
      { "access-control-request-method": "GET" },
    ];
    for (const headers of noPreflight) {
      const options = (path: string, more = {}) =>
        fetch(service.address + path, { method: "OPTIONS", headers: { ...headers, ...more } });
      const keyed = { authorization: `Bearer ${service.key}` };
      expect((await options("/v1/pets")).status).toBe(401);
      expect((await options("/v1/nothing")).status).toBe(401);
      const pets = await options("/v1/pets", keyed);
      expect([pets.status, pets.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
      const pet = await options("/v1/pets/1", keyed);
      expect([pet.status, pet.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
      expect((await options("/v1/nothing", keyed)).status).toBe(404);
      const document = await options("/openapi.json");
      expect([document.status, document.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    }
  });

  test("only OPTIONS can be a preflight", async () => {
    await using service = await startService();
    const answer = await service.call("/v1/pets", {
      headers: { origin: SHOP, "access-control-request-method": "POST" },
    });
    expect([answer.status, await answer.text()]).toEqual([200, "[]"]);
  });

  test("narrowed, it lets the named origins through and no other", async () => {
    await using service = await startService({ allowedOrigins: [SHOP, OFFICE] });
    for (const origin of [SHOP, OFFICE]) {
      const answer = await service.call("/v1/pets", { headers: { origin } });
      expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
      const asked = await fetch(`${service.address}/v1/pets`, preflight(origin));
      expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([204, origin]);
      expect(asked.headers.get("access-control-allow-methods")).not.toBeNull();
    }
    const others = [
      "http://shop.example.com",
      "https://shop.example.com:444",
      "https://shop.example.com.evil.example",
      "https://evil.example",
      "https://SHOP.example.com",
      `${SHOP}/`,
      `${SHOP}, ${OFFICE}`,
      "http://office.example.com",
      "null",
      "*",
      "",
    ];
    for (const origin of others) {
      const answer = await service.call("/v1/pets", { headers: { origin } });
      expect([origin, answer.status, corsOf(answer)]).toEqual([origin, 200, {}]);
      const asked = await fetch(`${service.address}/v1/pets`, preflight(origin));
      expect([origin, asked.status, corsOf(asked)]).toEqual([origin, 204, {}]);
    }
  });

  test("every cacheable response says that it varies by origin", async () => {
    for (const allowedOrigins of ["*", [SHOP]] as const) {
      await using service = await startService({ allowedOrigins });
      await service.create(REX);
      for (const headers of [{}, { origin: SHOP }, { origin: OFFICE }, { "if-none-match": "*" }]) {
        for (const path of ["/v1/pets", "/v1/pets/1", "/openapi.json"]) {
          const answer = await service.call(path, { headers: headers as Record<string, string> });
          expect([path, headers, list(answer.headers.get("vary"))]).toEqual([
            path,
            headers,
            ["Accept-Encoding", "Origin"],
          ]);
        }
      }
    }
  });
});

test("CORS_ORIGINS narrows it", async () => {
  using folder = temporaryFolder();
  await using service = await serve({ cwd: folder.path, env: { CORS_ORIGINS: `${SHOP}, ${OFFICE}` } });
  const allowed = async (origin: string) =>
    (await fetch(`${service.address}/livez`, { headers: { origin } })).headers.get(
      "access-control-allow-origin",
    );
  expect(await allowed(OFFICE)).toBe(OFFICE);
  expect(await allowed("https://evil.example")).toBeNull();
});
