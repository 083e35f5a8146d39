import { describe, expect, test } from "bun:test";
import { parse } from "yaml";
import { onEveryEngine } from "../support/engines.ts";
import { startService } from "../support/service.ts";
import { untilStatus } from "../support/until.ts";
import { expectAnswer } from "./contract/scenario.ts";

/** What needs no key. */
const PUBLIC: Readonly<Record<string, { readonly status: number; readonly type: string }>> = {
  "/": { status: 200, type: "text/html; charset=utf-8" },
  "/docs": { status: 200, type: "text/html; charset=utf-8" },
  "/docs/errors/overloaded": { status: 200, type: "text/html; charset=utf-8" },
  "/docs/guides/paging.md": { status: 200, type: "text/markdown; charset=utf-8" },
  "/llms.txt": { status: 200, type: "text/plain; charset=utf-8" },
  "/openapi.json": { status: 200, type: "application/json" },
  "/livez": { status: 200, type: "application/json" },
  "/readyz": { status: 200, type: "application/json" },
  "/healthz": { status: 200, type: "application/json" },
  "/arazzo.json": { status: 200, type: "application/json" },
  "/openapi.yaml": { status: 200, type: "application/yaml" },
};

for (const [path, { status, type }] of Object.entries(PUBLIC)) {
  describe(path, () => {
    test("is public: it needs no key, and ignores a wrong key and any query", async () => {
      await using service = await startService();
      for (const request of [path, `${path}?x=1`, `${path}?x=%zz`]) {
        for (const headers of [{}, { authorization: "Bearer wrong" }] as Record<string, string>[]) {
          const ask = () => fetch(service.address + request, { headers, redirect: "manual" });
          // On a busy machine a service may not be ready at first.
          const answer = await untilStatus(ask, status);
          expect(answer.headers.get("content-type")).toBe(type);
          expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
        }
      }
    });

    test("serves HEAD, and answers other methods with Allow", async () => {
      await using service = await startService();
      const ask = () => fetch(service.address + path, { method: "HEAD", redirect: "manual" });
      const head = await untilStatus(ask, status);
      expect(await head.text()).toBe("");
      for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
        const answer = await fetch(service.address + path, { method });
        expect(answer.headers.get("allow")).toBe("GET, HEAD");
        await expectAnswer(answer, { status: 405, code: "method_not_allowed" });
      }
    });
  });
}

onEveryEngine(({ startService }) => {
  test("while the store cannot be used /readyz gets 503 and /livez 200", async () => {
    await using service = await startService();
    const ready = () => fetch(`${service.address}/readyz`);
    await expectAnswer(await untilStatus(ready, 200), { status: 200, answer: '{"status":"ready"}' });
    {
      await using _ = await service.database.breakDown();
      const answer = await untilStatus(ready, 503);
      expect(answer.headers.get("retry-after")).toBe("1");
      await expectAnswer(answer, { status: 503, code: "not_ready" });
      await expectAnswer(await fetch(`${service.address}/healthz`), { status: 503, code: "not_ready" });
      const live = await fetch(`${service.address}/livez`);
      await expectAnswer(live, { status: 200, answer: '{"status":"live"}' });
    }
    await expectAnswer(await untilStatus(ready, 200), { status: 200, answer: '{"status":"ready"}' });
  });
});

describe("any other path gets 404 with an Error, without a key", () => {
  const paths = [
    "/metrics",
    "/docs/errors/nothing",
    "/docs/errors/nothing/",
    "/docs/assets/console-0123456789.exe",
    "/docs/assets/other-0123456789.css",
    "/docs/assets/console.css",
    "/openapi.json/",
    "/openapi.yml",
    "/healthz/",
    "/livez/x",
    "/pets",
    "/v1x/pets",
    "/v2/pets",
    "/V1/pets",
    "/favicon.ico",
    "/.env",
    "/package.json",
    "/src/main.ts",
    "/docs/..%2f..%2fpackage.json",
    "/%2e%2e/package.json",
    "/constructor",
    "/__proto__",
    "/%zz",
  ];
  for (const path of paths) {
    test(path, async () => {
      await using service = await startService();
      for (const method of ["GET", "POST"]) {
        const answer = await fetch(service.address + path, { method });
        expect(answer.headers.get("content-type")).toBe("application/json");
        await expectAnswer(answer, { status: 404, code: "path_not_found" });
      }
    });
  }
});

test("/openapi.yaml says what /openapi.json says, in block style, with exact integers", async () => {
  await using service = await startService();
  const [json, yaml] = await Promise.all(
    ["json", "yaml"].map(async (format) => (await fetch(`${service.address}/openapi.${format}`)).text()),
  );
  expect(yaml).toStartWith("openapi: 3.1.0\ninfo:\n  title: Animal Store\n");
  expect(yaml).toContain("maximum: 9223372036854775807\n");
  expect(parse(yaml ?? "", { intAsBigInt: true })).toEqual(parse(json ?? "", { intAsBigInt: true }));
});
