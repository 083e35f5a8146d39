import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Scope } from "../../src/domain/api-key.ts";
import { quote } from "../../src/domain/quote.ts";
import { onEveryEngine } from "../support/engines.ts";
import type { Service } from "../support/service.ts";
import { expectAnswer, type Scenario, send } from "./contract/scenario.ts";

/** A request at fault in some ways, and what it is refused for: the first of them. */
interface Fault extends Scenario {
  readonly scopes: readonly Scope[] | "no key";
}

const BROKEN = "x=%zz";
const TOO_LARGE = `{"name":${" ".repeat(70_000)}`;
const plain = { "content-type": "text/plain" };

// Each row corrects the first fault of the row above it.
const creating: Readonly<Record<string, Fault>> = {
  "everything wrong": {
    scopes: "no key",
    method: "DELETE",
    path: `/v1/nowhere?${BROKEN}`,
    headers: plain,
    body: TOO_LARGE,
    status: 401,
    code: "unauthorized",
  },
  "but the key": {
    scopes: [],
    method: "DELETE",
    path: `/v1/nowhere?${BROKEN}`,
    headers: plain,
    body: TOO_LARGE,
    status: 400,
    code: "malformed_escape",
  },
  "but the escapes": {
    scopes: [],
    method: "DELETE",
    path: "/v1/nowhere",
    headers: plain,
    body: TOO_LARGE,
    status: 404,
    code: "path_not_found",
  },
  "but the path": {
    scopes: [],
    method: "DELETE",
    headers: plain,
    body: TOO_LARGE,
    status: 405,
    code: "method_not_allowed",
  },
  "but the method": { scopes: [], headers: plain, body: TOO_LARGE, status: 403, code: "insufficient_scope" },
  "but the scope": {
    scopes: ["pets:write"],
    headers: plain,
    body: TOO_LARGE,
    status: 415,
    code: "unsupported_media_type",
  },
  "but the media type": {
    scopes: ["pets:write"],
    headers: { "content-type": "application/json", "content-encoding": "gzip" },
    body: TOO_LARGE,
    status: 415,
    code: "unsupported_content_encoding",
  },
  "but the content coding": { scopes: ["pets:write"], body: TOO_LARGE, status: 413, code: "body_too_large" },
  "but the size": {
    scopes: ["pets:write"],
    body: '{"name":"","name":',
    status: 400,
    code: "malformed_body",
  },
  "but the syntax": { scopes: ["pets:write"], body: '{"name":""}', status: 400, code: "invalid_body" },
  nothing: { scopes: ["pets:write"], body: '{"name":"Rex","categoryId":1}', status: 201 },
};

const reading: Readonly<Record<string, Fault>> = {
  "no key, an unknown path": { scopes: "no key", path: "/v1/nowhere", status: 401, code: "unauthorized" },
  "no key, below nothing": { scopes: "no key", path: "/v1", status: 401, code: "unauthorized" },
  "no key, a trailing slash": { scopes: "no key", path: "/v1/", status: 401, code: "unauthorized" },
  "no key, a broken escape": { scopes: "no key", path: "/v1/%zz", status: 401, code: "unauthorized" },
  "no key, a wrong method": {
    scopes: "no key",
    method: "DELETE",
    path: "/v1/pets",
    status: 401,
    code: "unauthorized",
  },
  "a broken escape, an unknown path": {
    scopes: [],
    path: "/v1/nowhere/%zz",
    status: 400,
    code: "malformed_escape",
  },
  "a broken escape in the query, an unknown path": {
    scopes: [],
    path: `/v1/nowhere?${BROKEN}`,
    status: 400,
    code: "malformed_escape",
  },
  "a wrong method, no scope": {
    scopes: [],
    method: "PUT",
    path: "/v1/pets/1",
    status: 405,
    code: "method_not_allowed",
  },
  "no scope, a wrong parameter": {
    scopes: ["pets:write"],
    path: "/v1/pets?limit=0",
    status: 403,
    code: "insufficient_scope",
  },
  "no scope, no such animal": {
    scopes: ["pets:write"],
    path: "/v1/pets/99",
    status: 403,
    code: "insufficient_scope",
  },
  "a wrong parameter": {
    scopes: ["pets:read"],
    path: "/v1/pets?limit=0",
    status: 400,
    code: "invalid_parameter",
  },
};

onEveryEngine(({ startService }) => {
  // No test finds a trace of another one: what is refused changes nothing.
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  for (const [what, table] of Object.entries({ "a create": creating, "a read": reading })) {
    describe(`the response names the first fault of ${what}`, () => {
      for (const [name, { scopes, ...scenario }] of Object.entries(table)) {
        test(name, async () => {
          const key = scopes === "no key" ? "none" : (await service.issueKey(scopes)).key;
          const headers = { ...scenario.headers, authorization: `Bearer ${key}` };
          await expectAnswer(await send(service, { ...scenario, headers }), scenario);
        });
      }
    });
  }

  describe("paths", () => {
    const unknown = [
      "/v1",
      "/v1/",
      "/v1/pets/",
      "/v1/pets/1/",
      "/v1/pets/1/2",
      "/v1//pets",
      "/v1/pets//1",
      "/v1/Pets",
      "/v1/PETS",
      "/v1/pet",
      "/v1/petss",
      "/v1/pets%2F1",
      "/v1/pets%00",
      "/v1/pets;x=1",
      "/v1/orders/",
      "/v1/order",
      "/v1/openapi.json",
      "/v1/livez",
    ];
    for (const path of unknown) {
      test(`${path} is none`, async () => {
        await service.create('{"name":"Rex","categoryId":1}');
        await expectAnswer(await service.call(path), {
          status: 404,
          code: "path_not_found",
          says: `There is nothing at ${quote(path)}`,
        });
      });
    }
  });

  describe("methods", () => {
    const allowed = [
      { path: "/v1/pets", allow: "GET, HEAD, POST", instead: "GET, HEAD or POST" },
      { path: "/v1/pets/1", allow: "GET, HEAD", instead: "GET or HEAD" },
    ];
    for (const { path, allow, instead } of allowed) {
      const others = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"].filter((each) => !allow.includes(each));
      for (const method of others) {
        test(`${method} ${path} names the methods of the path`, async () => {
          const answer = await service.call(path, { method });
          expect(answer.headers.get("allow")).toBe(allow);
          await expectAnswer(answer, {
            status: 405,
            code: "method_not_allowed",
            says: `This path does not support ${method}. Use ${instead}.`,
          });
        });
      }
    }
  });

  describe("the request id", () => {
    const kept = [
      "1",
      "a".repeat(128),
      "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
      "019aa5c3-5f6e-7000-a3d0-5f1d8e1f2a3b",
    ];
    const replaced = ["", "a".repeat(129), "a b", "\u00e9", "a\tb"];
    const requests: Readonly<Record<string, Scenario>> = {
      "200": { path: "/v1/pets", status: 200 },
      "201": { body: '{"name":"Rex","categoryId":1}', status: 201 },
      "400": { path: "/v1/pets?limit=0", status: 400 },
      "401": { path: "/v1/pets", headers: { authorization: "none" }, status: 401 },
      "404": { path: "/v1/nowhere", status: 404 },
      "404 outside": { path: "/nowhere", status: 404 },
      "405": { path: "/v1/pets", method: "PUT", status: 405 },
      "of a page": { path: "/livez", status: 200 },
      "of a page for people": { path: "/", status: 200 },
      "of the document": { path: "/openapi.json", status: 200 },
    };
    const idOf = (answer: Response) => answer.headers.get("x-request-id") ?? "";

    for (const [name, request] of Object.entries(requests)) {
      test(`${name}: the client's own where it can be repeated, else a new one each time`, async () => {
        const sendWith = (id: string) =>
          send(service, { ...request, headers: { ...request.headers, "x-request-id": id } });
        for (const id of kept) {
          const answer = await sendWith(id);
          expect(answer.status).toBe(request.status);
          expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
          expect(idOf(answer)).toBe(id);
        }
        const made = [await send(service, request), ...(await Promise.all(replaced.map(sendWith)))].map(idOf);
        expect(new Set(made).size).toBe(made.length);
        for (const id of made) {
          expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        }
      });
    }
  });
});
