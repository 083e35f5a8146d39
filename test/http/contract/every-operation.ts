import { describe, expect, test } from "bun:test";
import type { Scope } from "../../../src/domain/api-key.ts";
import { SCOPES } from "../../../src/domain/api-key.ts";
import type { Observation } from "../../../src/observations/observation.ts";
import { newKey } from "../../../src/service/new-key.ts";
import { openStore } from "../../../src/stores/open.ts";
import { sendRaw } from "../../support/send-raw.ts";
import type { Service } from "../../support/service.ts";
import { untilStatus } from "../../support/until.ts";
import type { Exercised } from "./exercised.ts";
import { expectAnswer, fill, type Scenario, type Stock, send } from "./scenario.ts";

export const REX = '{"name":"Rex","categoryId":12}';

/** An operation, with a request that succeeds each time. */
export interface Sample {
  /** `undefined` if any valid key will do. */
  readonly scope: Scope | undefined;
  readonly request: Scenario;
  /** The stock that it needs; `REX` by default. */
  readonly stock?: Stock;
  /** The table that it cannot do without; `animal` by default. */
  readonly table?: string;
}

/** What every operation promises, whatever it does. */
export function everyOperation(
  exercised: Exercised,
  { scope, request, stock = [REX], table = "animal" }: Sample,
): void {
  const { body } = request;

  describe("401", () => {
    test("a missing, malformed, unknown, expired and revoked key get the very same bytes", async () => {
      await using service = await exercised.start();
      const answers = await Promise.all(
        (await credentials(service)).map(async (authorization) => {
          const text = await sendRaw(service.address, rawRequest(request, authorization));
          return text.replace(/^Date: .*\r\n/m, "");
        }),
      );
      expect(answers.length).toBeGreaterThan(10);
      expect(new Set(answers).size).toBe(1);
      expect(answers[0]).toStartWith("HTTP/1.1 401 Unauthorized\r\n");
      expect(answers[0]).toEndWith(
        '{"code":"unauthorized","message":"A valid API key is required, sent as `Authorization: Bearer <API_KEY>`.","status":401}',
      );
      // RFC 6750, section 3: no error code where it would say why.
      expect(answers[0]).toContain("\r\nWWW-Authenticate: Bearer\r\n");
    });

    test("on the next request after the key is revoked, even by a process whose clock is ahead", async () => {
      await using service = await exercised.start();
      await fill(service, stock);
      const { id, key } = await service.issueKey();
      const withKey = { ...request, headers: { ...request.headers, authorization: `Bearer ${key}` } };
      expect((await send(service, withKey)).status).toBe(request.status);
      const other = await openStore(service.database.url, Date.now);
      await other.revokeKey(id, Date.now() + 3_600_000);
      await other.close();
      await expectAnswer(await send(service, withKey), { status: 401, code: "unauthorized" });
    });

    test("from the moment the key expires", async () => {
      const start = Date.parse("2026-01-01T00:00:00Z");
      let now = start;
      await using service = await exercised.start({ clock: () => now });
      await fill(service, stock);
      const { key } = await service.issueKey(scope ? [scope] : [], start + 1000);
      const withKey = { ...request, headers: { ...request.headers, authorization: `Bearer ${key}` } };
      now = start + 999;
      expect((await send(service, withKey)).status).toBe(request.status);
      now = start + 1000;
      await expectAnswer(await send(service, withKey), { status: 401, code: "unauthorized" });
    });
  });

  if (scope !== undefined) {
    test("403 for a key without the scope", async () => {
      await using service = await exercised.start();
      const others = SCOPES.filter((each) => each !== scope);
      const { key } = await service.issueKey(others);
      const answer = await send(service, { ...request, headers: { authorization: `Bearer ${key}` } });
      // RFC 6750, section 3.1.
      expect(answer.headers.get("www-authenticate")).toBe(
        `Bearer error="insufficient_scope", scope="${scope}"`,
      );
      await expectAnswer(answer, { status: 403, code: "insufficient_scope", says: `\`${scope}\`` });
    });
  }

  test("429 over the rate limit", async () => {
    await using service = await exercised.start({ rateLimit: { quota: 5, windowSeconds: 3600 } });
    await fill(service, stock);
    expect((await send(service, request)).status).toBe(request.status);
    let answer = await send(service, request);
    for (let n = 0; n < 5; n++) answer = await send(service, request);
    expect(answer.headers.get("retry-after")).toMatch(/^[1-9][0-9]*$/);
    await expectAnswer(answer, {
      status: 429,
      code: "rate_limited",
      says: "This API key may make 5 requests in 3600 s; try again in ",
    });
  });

  test("500 for an unexpected failure: it is reported, and the response reveals nothing", async () => {
    await using service = await exercised.start();
    await fill(service, stock);
    await service.database.query(`ALTER TABLE ${table} RENAME TO elsewhere`);
    const answer = await send(service, request);
    const requestId = answer.headers.get("x-request-id");
    await expectAnswer(answer, {
      status: 500,
      answer:
        '{"code":"internal_error","message":"An unexpected error occurred in the service. ' +
        'The operator\'s log has its cause under this request\'s id.","status":500}',
    });
    const event = service.events.find(isFailure);
    expect(event).toMatchObject({ event: "request_failed", requestId });
    expect(String(event?.error)).toMatch(/no such table|does not exist/);
    await service.database.query(`ALTER TABLE elsewhere RENAME TO ${table}`);
    expect((await send(service, request)).status).toBe(request.status);
  });

  test("503 while the store cannot be used, and the usual response afterwards", async () => {
    await using service = await exercised.start();
    await fill(service, stock);
    {
      await using _ = await service.database.breakDown();
      const answer = await send(service, request);
      const requestId = answer.headers.get("x-request-id");
      expect(answer.headers.get("retry-after")).toBe("1");
      await expectAnswer(answer, { status: 503, code: "store_unavailable" });
      expect(service.events.find(isFailure)).toMatchObject({ event: "store_failed", requestId });
    }
    // How soon is not for this test to judge.
    await untilStatus(() => send(service, request), request.status);
  });

  if (body === undefined) {
    test("304 for the ETag of the current response", async () => {
      await using service = await exercised.start();
      await fill(service, stock);
      const etag = (await send(service, request)).headers.get("etag") ?? "";
      expect(etag).toMatch(/^"[!-~]+"$/);
      const again = await send(service, { ...request, headers: { "if-none-match": etag } });
      expect(again.status).toBe(304);
      expect(again.headers.get("etag")).toBe(etag);
    });

    test("HEAD returns what GET returns, without the body", async () => {
      await using service = await exercised.start();
      await fill(service, stock);
      // First, so that no answer to a GET is there to be sent again.
      const head = await send(service, { ...request, method: "HEAD" });
      const get = await send(service, request);
      expect(head.status).toBe(get.status);
      expect(head.headers.get("content-length")).toBe(String((await get.arrayBuffer()).byteLength));
      const headersOf = ({ headers }: Response) => {
        const { date, "x-request-id": _, ...others } = Object.fromEntries(headers);
        expect(date).toBeDefined();
        return others;
      };
      expect(headersOf(head)).toEqual(headersOf(get));
    });
  }
}

/** Invalid values of `Authorization`, and none at all. */
async function credentials(service: Service): Promise<(string | undefined)[]> {
  const { key } = newKey("production", { name: "", scopes: [], createdAt: 0, expiresAt: null });
  const expired = await service.issueKey(undefined, Date.now() - 1);
  const revoked = await service.issueKey();
  await service.store.revokeKey(revoked.id, Date.now() - 1);
  // A production store was cloned into staging: the hash is there, but the key works only in production.
  const elsewhere = newKey("staging", { name: "elsewhere", scopes: SCOPES, createdAt: 0, expiresAt: null });
  await service.store.addKey(elsewhere.stored);
  const last = service.key.at(-1) === "A" ? "B" : "A";
  return [
    undefined,
    "",
    "Bearer",
    "Bearer ",
    `Bearer${service.key}`,
    service.key,
    `Basic ${btoa(`${service.key}:`)}`,
    `Token ${service.key}`,
    `Bearer ${service.key} ${service.key}`,
    `Bearer ${service.key}\r\nAuthorization: Bearer ${service.key}`,
    `Bearer "${service.key}"`,
    `Bearer ${service.key.slice(0, -1)}${last}`,
    `Bearer ${service.key.toLowerCase()}`,
    `Bearer ${"x".repeat(4000)}`,
    "Bearer \u00e9",
    `Bearer ${key}`,
    `Bearer ${elsewhere.key}`,
    `Bearer ${expired.key}`,
    `Bearer ${revoked.key}`,
  ];
}

function rawRequest(
  { method, path = "/v1/pets", body }: Scenario,
  authorization: string | undefined,
): string {
  const text = String(body ?? "");
  return [
    `${method ?? (text ? "POST" : "GET")} ${path} HTTP/1.1`,
    "Host: localhost",
    "Connection: close",
    "X-Request-Id: same",
    ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
    ...(text ? ["Content-Type: application/json", `Content-Length: ${text.length}`] : []),
    "",
    text,
  ].join("\r\n");
}

function isFailure(event: Observation): event is Observation & { error: unknown } {
  return event.event === "request_failed" || event.event === "store_failed";
}
