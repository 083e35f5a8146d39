import { expect, test } from "bun:test";
import { startService } from "../support/service.ts";

test("is public, and allows itself nothing but its own files and this service", async () => {
  await using service = await startService();
  const page = await fetch(`${service.address}/docs`);

  expect(page.status).toBe(200);
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(page.headers.get("content-security-policy")?.split("; ")).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]);
});

test("serves every file that the page names, and spares a client what it has", async () => {
  await using service = await startService();
  const html = await (await fetch(`${service.address}/docs`)).text();
  const named = [...html.matchAll(/(?:src|href)="([^":]+)"/g)].map(([, address]) => `/${address}`);
  expect(named).toEqual([
    "/docs/swagger-ui.css",
    "/docs/reference.css",
    "/docs/swagger-ui.js",
    "/docs/reference.js",
    "/openapi.json",
  ]);

  for (const path of named) {
    const file = await fetch(service.address + path);
    const [, extension] = path.split(".");
    const mediaType = { css: "text/css", js: "text/javascript", json: "application/json" }[extension ?? ""];
    expect([path, file.status, file.headers.get("content-type")?.split(";")[0]]).toEqual([
      path,
      200,
      mediaType,
    ]);
    expect(file.headers.get("cache-control")).toBe("no-cache");
    const again = await fetch(service.address + path, {
      headers: { "if-none-match": file.headers.get("etag") ?? "" },
    });
    expect([path, again.status]).toEqual([path, 304]);
  }
});
