import { expect, test } from "bun:test";
import { readConfig } from "../../src/config/read.ts";
import { StoreFailure } from "../../src/domain/failure.ts";
import type { RateLimit } from "../../src/http/rate-limit/rate-limit.ts";
import { onEveryEngine } from "../support/engines.ts";
import { temporaryFolder } from "../support/folder.ts";
import { serve } from "../support/program.ts";
import type { Service } from "../support/service.ts";

const REX = '{"name":"Rex","categoryId":12}';
const BEGIN = Date.UTC(2026, 10, 21);

interface Limited extends Service {
  /** Lets so many milliseconds pass. */
  pass(milliseconds: number): void;
}

/** What an answer says of the limit. */
function standing({ status, headers }: Response) {
  return {
    status,
    policy: headers.get("ratelimit-policy"),
    limit: headers.get("ratelimit"),
    retry: headers.get("retry-after"),
  };
}

const three = { quota: 3, windowSeconds: 60 };
const policy = '"default";q=3;w=60';

onEveryEngine(({ startService }) => {
  async function startLimited(rateLimit: RateLimit): Promise<Limited> {
    let now = BEGIN;
    const service = await startService({ rateLimit, clock: () => now });
    return {
      ...service,
      pass: (milliseconds) => {
        now += milliseconds;
      },
    };
  }

  test("a key may use its whole quota at once; further requests get 429", async () => {
    await using service = await startLimited(three);
    for (const remaining of [2, 1, 0]) {
      expect(standing(await service.call("/v1/pets"))).toEqual({
        status: 200,
        policy,
        limit: `"default";r=${remaining};t=20`,
        retry: null,
      });
    }
    const refused = await service.call("/v1/pets");
    expect(standing(refused)).toEqual({ status: 429, policy, limit: '"default";r=0;t=20', retry: "20" });
    expect(await refused.json()).toEqual({
      code: "rate_limited",
      message: "This API key may make 3 requests in 60 s; try again in 20 s.",
      status: 429,
    });
  });

  test("of many requests at once exactly the quota is served", async () => {
    await using service = await startLimited({ quota: 7, windowSeconds: 1 });
    const answers = await Promise.all(Array.from({ length: 40 }, () => service.call("/v1/pets")));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(33);
  });

  test("the quota refills evenly, and never sooner than Retry-After says", async () => {
    await using service = await startLimited(three);
    const ask = async () => standing(await service.call("/v1/pets"));
    for (let n = 0; n < 3; n++) await ask();
    service.pass(19_999);
    expect(await ask()).toMatchObject({ status: 429, retry: "1" });
    service.pass(1);
    expect(await ask()).toMatchObject({ status: 200, limit: '"default";r=0;t=20' });
    expect(await ask()).toMatchObject({ status: 429, retry: "20" });
    // Half of what is wanted for the next does not make one.
    service.pass(50_000);
    expect(await ask()).toMatchObject({ status: 200, limit: '"default";r=1;t=10' });
    service.pass(3_600_000);
    expect(await ask()).toMatchObject({ status: 200, limit: '"default";r=2;t=20' });
  });

  test("each key has its own quota", async () => {
    await using service = await startLimited(three);
    const { key } = await service.issueKey();
    const other = { headers: { authorization: `Bearer ${key}` } };
    for (let n = 0; n < 4; n++) await service.call("/v1/pets");
    expect(standing(await service.call("/v1/pets", other)).limit).toBe('"default";r=2;t=20');
    expect((await service.call("/v1/pets")).status).toBe(429);
  });

  test("every response to a key counts, and states the quota that is left", async () => {
    await using service = await startLimited({ quota: 100, windowSeconds: 60 });
    const reader = await service.issueKey(["pets:read"]);
    const json = { "content-type": "application/json" };
    const post = (body: string, headers: Record<string, string> = {}): RequestInit => ({
      method: "POST",
      body,
      headers: { ...json, ...headers },
    });
    const key = { "idempotency-key": "k" };
    const asked: [number, string, RequestInit?][] = [
      [201, "/v1/pets", post(REX, key)],
      [422, "/v1/pets", post('{"name":"Mia","categoryId":7}', key)],
      [200, "/v1/pets"],
      [200, "/v1/pets"],
      [304, "/v1/pets", { headers: { "if-none-match": "*" } }],
      [200, "/v1/pets/1", { method: "HEAD" }],
      [400, "/v1/pets?limit=0"],
      [400, "/v1/pets/%zz"],
      [404, "/v1/pets/2"],
      [404, "/v1/nothing"],
      [405, "/v1/pets", { method: "DELETE" }],
      [405, "/v1/pets", { method: "OPTIONS" }],
      [413, "/v1/pets", post("x".repeat(65_537))],
      [415, "/v1/pets", post(REX, { "content-type": "text/plain" })],
    ];
    let remaining = 100;
    for (const [status, path, init] of asked) {
      const { retry: _, ...told } = standing(await service.call(path, init));
      remaining--;
      const limit = `"default";r=${remaining};t=1`;
      expect({ path, ...told }).toEqual({ path, status, policy: '"default";q=100;w=60', limit });
    }

    const denied = await service.call("/v1/pets", post(REX, { authorization: `Bearer ${reader.key}` }));
    expect(standing(denied)).toMatchObject({ status: 403, limit: '"default";r=99;t=1' });
    service.store.listAnimals = async () => {
      throw new StoreFailure("store_unavailable", "for the test");
    };
    expect(standing(await service.call("/v1/pets?limit=7"))).toMatchObject({
      status: 503,
      limit: `"default";r=${remaining - 1};t=1`,
    });
  });

  test("requests without a valid key are not counted, and their responses name the policy", async () => {
    await using service = await startLimited(three);
    const preflight = {
      method: "OPTIONS",
      headers: { origin: "https://a.example", "access-control-request-method": "GET" },
    };
    const uncounted = { policy, limit: null, retry: null };
    for (let n = 0; n < 5; n++) {
      const nobody = await service.call("/v1/pets", { headers: { authorization: "Bearer nobody" } });
      expect(standing(nobody)).toEqual({ ...uncounted, status: 401 });
      expect(standing(await service.call("/livez"))).toEqual({ ...uncounted, status: 200 });
      expect(standing(await service.call("/nothing"))).toEqual({ ...uncounted, status: 404 });
      expect(standing(await service.call("/v1/pets", preflight))).toEqual({ ...uncounted, status: 204 });
    }
    expect(standing(await service.call("/v1/pets")).limit).toBe('"default";r=2;t=20');
  });

  test("a create over the limit does nothing, and does not use up its Idempotency-Key", async () => {
    await using service = await startLimited({ quota: 1, windowSeconds: 60 });
    await service.call("/v1/pets");
    expect((await service.create(REX, { "idempotency-key": "k" })).status).toBe(429);
    service.pass(60_000);
    const other = await service.create('{"name":"Mia","categoryId":7}', { "idempotency-key": "k" });
    expect([other.status, other.headers.get("location")]).toEqual([201, "/v1/pets/1"]);
  });

  test("a cached page is refused like any other", async () => {
    await using service = await startLimited({ quota: 3, windowSeconds: 60 });
    const statuses = [];
    for (let n = 0; n < 4; n++) statuses.push((await service.call("/v1/pets")).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  test("a refusal of the deprecated operation says that it is deprecated", async () => {
    await using service = await startLimited({ quota: 1, windowSeconds: 60 });
    await service.call("/v1/pets");
    const { status, headers } = await service.call("/v1/pets/1");
    expect([status, headers.get("deprecation")]).toEqual([429, "@1764892800"]);
  });

  test("no limit applies unless one is configured", async () => {
    await using service = await startService();
    const answers = await Promise.all(Array.from({ length: 200 }, () => service.call("/v1/pets")));
    for (const answer of answers) {
      expect(standing(answer)).toEqual({ status: 200, policy: null, limit: null, retry: null });
    }
    expect(readConfig({}, {}, "").config.RATE_LIMIT).toBeUndefined();
  });
});

test("a limit may be per second, minute or hour", async () => {
  for (const [text, windowSeconds] of [
    ["5/s", 1],
    ["5/m", 60],
    ["5/h", 3600],
  ] as const) {
    const { config } = readConfig({ RATE_LIMIT: text }, {}, "");
    expect(config.RATE_LIMIT).toEqual({ quota: 5, windowSeconds });
  }
  using folder = temporaryFolder();
  await using service = await serve({ cwd: folder.path, env: { RATE_LIMIT: "2/h" } });
  const ask = () =>
    fetch(`${service.address}/v1/pets`, { headers: { authorization: `Bearer ${service.key}` } });
  expect(standing(await ask())).toMatchObject({ status: 200, policy: '"default";q=2;w=3600' });
  expect((await ask()).status).toBe(200);
  expect((await ask()).status).toBe(429);
});
