import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { type Service, startService } from "../support/service.ts";
import { startBrowser } from "./browser.ts";

// The first start of the browser unpacks it.
/** A page of another origin: another port is enough. */
function startOrigin(): Disposable & { readonly address: string } {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () =>
      new Response("<!doctype html><title>A shop</title>", { headers: { "content-type": "text/html" } }),
  });
  return { address: `http://127.0.0.1:${server.port}`, [Symbol.dispose]: () => void server.stop(true) };
}

/** What a page asks of the service, and what it then can read. */
interface Call {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  /** Without any header that a browser would first ask leave for, the key included. */
  readonly simple?: true;
}

interface Read {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Lets the page's own script call the service; what the browser forbids it comes back as "forbidden". */
function callFrom(page: Page, { address, key }: Service, call: Call): Promise<Read | "forbidden"> {
  const { method = "GET", path, body } = call;
  const headers = call.simple ? {} : { authorization: `Bearer ${key}`, ...call.headers };
  const init = { method, headers, ...(body !== undefined && { body }) };
  return page.evaluate(
    async ({ url, init }) => {
      try {
        const answer = await fetch(url, init);
        const headers = Object.fromEntries(answer.headers.entries());
        return { status: answer.status, headers, body: await answer.text() };
      } catch {
        return "forbidden" as const;
      }
    },
    { url: address + path, init },
  );
}

const json = { "content-type": "application/json" };
const REX: Call = { method: "POST", path: "/v1/pets", headers: json, body: '{"name":"Rex","categoryId":12}' };

test("a page of another origin does all that a client does", async () => {
  await using service = await startService();
  using shop = startOrigin();
  await using browser = await startBrowser();
  const { page } = await browser.open(shop.address);
  const call = (call: Call) => callFrom(page, service, call);

  const retryable: Call = {
    ...REX,
    headers: { ...json, "idempotency-key": "k", "x-request-id": "from-a-page" },
  };
  const created = await call(retryable);
  expect(created).toMatchObject({
    status: 201,
    headers: { location: "/v1/pets/1", "x-request-id": "from-a-page", "x-content-type-options": "nosniff" },
    body: '{"id":1,"name":"Rex","categoryId":12,"status":"available"}',
  });
  const { headers, ...rest } = created as Read;
  const replayed = { ...rest, headers: { ...headers, "idempotent-replayed": "true" } };
  expect(await call(retryable)).toEqual(replayed);
  // The browser asked once whether it may, and remembers.
  expect(service.answered.map(({ method }) => method)).toEqual(["OPTIONS", "POST", "POST"]);

  await call(REX);
  const listed = (await call({ path: "/v1/pets?limit=1" })) as Read;
  expect(JSON.parse(listed.body)).toHaveLength(1);
  const next = /^<(.+)>; rel="next"$/.exec(listed.headers.link ?? "")?.[1] ?? "";
  expect(await call({ path: next })).toMatchObject({ status: 200 });

  const { etag = "" } = listed.headers;
  const spared = await call({ path: "/v1/pets?limit=1", headers: { "if-none-match": etag } });
  expect(spared).toMatchObject({ status: 304, headers: { etag, link: listed.headers.link }, body: "" });

  expect(await call({ path: "/v1/pets/1" })).toMatchObject({
    status: 200,
    headers: { deprecation: "@1764892800", sunset: "Thu, 05 Dec 2030 00:00:00 GMT" },
  });
});

test("a page of another origin can read why it was refused", async () => {
  await using service = await startService({ rateLimit: { quota: 3, windowSeconds: 3600 } });
  using shop = startOrigin();
  await using browser = await startBrowser();
  const { page } = await browser.open(shop.address);
  const refusals: [Call, number, string, Record<string, string>][] = [
    [
      { path: "/v1/pets", headers: { authorization: "Bearer nobody" } },
      401,
      "unauthorized",
      { "www-authenticate": "Bearer" },
    ],
    [{ ...REX, body: '{"name":"Rex"}' }, 400, "invalid_body", { ratelimit: '"default";r=2;t=1200' }],
    [{ path: "/v1/pets/7" }, 404, "animal_not_found", { deprecation: "@1764892800" }],
    [{ ...REX, path: "/v1/pets/7" }, 405, "method_not_allowed", { allow: "GET, HEAD" }],
    [{ path: "/v1/pets" }, 429, "rate_limited", { "retry-after": "1200" }],
  ];
  for (const [call, status, code, headers] of refusals) {
    const read = (await callFrom(page, service, call)) as Read;
    expect(read).toMatchObject({ status, headers });
    expect(read.headers["x-request-id"]).toBeDefined();
    expect(JSON.parse(read.body)).toMatchObject({ code, status });
  }
});

test("narrowed, one origin is let through and another is not", async () => {
  using shop = startOrigin();
  using other = startOrigin();
  await using service = await startService({ allowedOrigins: [shop.address] });
  await using browser = await startBrowser();
  const friend = await browser.open(shop.address);
  const stranger = await browser.open(other.address);

  expect(await callFrom(stranger.page, service, REX)).toBe("forbidden");
  expect(await callFrom(stranger.page, service, { path: "/v1/pets" })).toBe("forbidden");
  // What needs no leave reaches the service, but its answer cannot be read.
  expect(await callFrom(stranger.page, service, { path: "/livez", simple: true })).toBe("forbidden");
  expect(await callFrom(friend.page, service, { path: "/v1/pets" })).toMatchObject({
    status: 200,
    body: "[]",
  });
  expect(await callFrom(friend.page, service, REX)).toMatchObject({ status: 201 });
});
