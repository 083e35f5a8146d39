import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { VERSION } from "../../src/system/version.ts";
import { temporaryFolder } from "../support/folder.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { run, type ServiceProcess, serve } from "../support/program.ts";
import { Collector, type Span } from "./collector.ts";

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres[Symbol.asyncDispose]());

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const CALLER = "b7ad6b7169203331";

function call({ address, key }: ServiceProcess, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, ...(init.headers as Record<string, string>) };
  return fetch(address + path, { ...init, headers });
}

/** Stops a service, which sends what it has not sent yet. */
async function stop(service: ServiceProcess): Promise<void> {
  service.kill("SIGTERM");
  expect(await service.exited).toBe(0);
}

/** What a service with some settings is seen to do while a piece of work is done with it. */
async function traced(
  env: Record<string, string>,
  work: (service: ServiceProcess) => Promise<void>,
): Promise<{ collector: Collector; key: string; output: string }> {
  const collector = new Collector();
  using folder = temporaryFolder();
  await using service = await serve({
    cwd: folder.path,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.address, ...env },
  });
  await work(service);
  const { key } = service;
  await stop(service);
  collector[Symbol.dispose]();
  return { collector, key, output: service.output() };
}

const ENGINES = {
  sqlite: async () => ({}),
  postgresql: async () => ({ DATABASE_URL: await postgres.createDatabase() }),
};

const PLACES = Object.entries(ENGINES).flatMap(([engine, settings]) =>
  ["1", "2"].map((WORKERS) => ({ engine, settings, WORKERS })),
);

for (const { engine, settings, WORKERS } of PLACES) {
  const place = `${engine}, WORKERS=${WORKERS}`;
  test(`a create is a span in its caller's trace, with those of the store and the commit (${place})`, async () => {
    const env = {
      ENVIRONMENT: "staging",
      OTEL_SERVICE_NAME: "shop",
      LOG_REQUESTS: "true",
      WORKERS,
      ...(await settings()),
    };
    const { collector, key, output } = await traced(env, async (service) => {
      const headers = {
        "content-type": "application/json",
        "x-request-id": "from-the-shop",
        traceparent: `00-${TRACE}-${CALLER}-01`,
        tracestate: `shop=${service.key}`,
        "idempotency-key": service.key,
      };
      const body = '{"name":"Zebedee","categoryId":1}';
      expect((await call(service, "/v1/pets", { method: "POST", headers, body })).status).toBe(201);
    });
    const named = (name: string) => collector.spans.find((span) => span.name === name) as Span;
    const [request, add, commit] = [named("POST /v1/pets"), named("addAnimal"), named("commit")];
    expect(collector.spans.every(({ traceId }) => traceId === TRACE)).toBe(true);
    expect(request).toMatchObject({ parentSpanId: CALLER, kind: 2 });
    expect(request.attributes).toEqual({
      "http.request.method": "POST",
      "http.route": "/v1/pets",
      "url.path": "/v1/pets",
      "http.response.status_code": 201,
      "client.address": "127.0.0.1",
      "animal_store.operation": "createPet",
      "animal_store.request_id": "from-the-shop",
      "animal_store.key_id": 1,
    });
    expect(add).toMatchObject({ parentSpanId: request.spanId, kind: 3 });
    expect(add.attributes).toEqual({ "db.system.name": engine, "db.operation.name": "addAnimal" });
    expect(commit).toMatchObject({
      parentSpanId: add.spanId,
      attributes: { "animal_store.commit.writes": 1 },
    });
    // Milliseconds are as exact as clocks of this kind are.
    const slack = 2_000_000n;
    expect(commit.start).toBeGreaterThan(request.start - slack);
    expect(commit.end).toBeLessThan(request.end + slack);
    expect(commit.end).toBeGreaterThan(commit.start);
    expect(request.resource).toMatchObject({
      "service.name": "shop",
      "service.version": VERSION,
      "deployment.environment.name": "staging",
    });
    expect(collector.requests.every(({ path }) => path === "/v1/traces")).toBe(true);
    for (const secret of [key, key.slice(8, 20), key.slice(-10), "Zebedee"]) {
      expect(collector.bodies.join()).not.toContain(secret);
    }
    // The log's line is found by the trace, and the trace by the line.
    const line = output.split("\n").find((line) => line.includes("request answered")) ?? "{}";
    expect(JSON.parse(line)).toMatchObject({ requestId: "from-the-shop", traceId: TRACE });
  });
}

test("requests share a commit, which is in the trace of each", async () => {
  const { collector } = await traced({}, async (service) => {
    const headers = { "content-type": "application/json" };
    const body = '{"name":"Rex","categoryId":1}';
    await Promise.all(
      Array.from({ length: 20 }, () => call(service, "/v1/pets", { method: "POST", headers, body })),
    );
  });
  const commits = collector.spans.filter(({ name }) => name === "commit");
  expect(commits).toHaveLength(20);
  expect(new Set(commits.map(({ traceId }) => traceId)).size).toBe(20);
});

test("a read's span says whether its response came from the cache", async () => {
  const { collector } = await traced({}, async (service) => {
    // A page is cached when it is asked for the second time.
    for (let time = 0; time < 3; time++) expect((await call(service, "/v1/pets")).status).toBe(200);
  });
  const reads = collector.spans.filter(({ name }) => name === "GET /v1/pets");
  expect(reads.map(({ attributes }) => attributes["animal_store.cache_hit"])).toEqual([false, false, true]);
});

test("failures are marked as the service's or the client's, and unknown paths are not recorded", async () => {
  const { collector, key } = await traced({}, async (service) => {
    await call(service, `/v1/${service.key}/Zebedee`);
    await fetch(`${service.address}/v1/pets`, { headers: { "x-request-id": service.key } });
    await call(service, `/v1/pets/${service.key}`);
    await call(service, "/livez");
  });
  const told = collector.spans.filter(({ kind }) => kind === 2);
  expect(
    told.map(({ name, status, attributes }) => [name, status.code, attributes["animal_store.failure"]]),
  ).toEqual([
    ["GET", 0, "path_not_found"],
    ["GET /v1/pets", 0, "unauthorized"],
    ["GET /v1/pets/{petId}", 0, "animal_not_found"],
    ["GET /livez", 0, undefined],
  ]);
  for (const secret of [key.slice(8, 20), "Zebedee"]) expect(collector.bodies.join()).not.toContain(secret);
});

/** By sampler, what comes of the requests with a `traceparent`: in its trace, in one of its own, or in none. */
const SAMPLED: Readonly<Record<string, readonly [traceparent: string, traced: "there" | "new" | "no"][]>> = {
  parentbased_always_on: [
    ["", "new"],
    [`00-${TRACE}-${CALLER}-01`, "there"],
    [`00-${TRACE}-${CALLER}-00`, "no"],
    // Of a later version, which has more to say.
    [`01-${TRACE}-${CALLER}-01-more`, "there"],
    // Malformed: as if there were none.
    [`00-${TRACE}-${CALLER}`, "new"],
    [`00-${"0".repeat(32)}-${CALLER}-01`, "new"],
    [`00-${TRACE.toUpperCase()}-${CALLER}-01`, "new"],
    [`ff-${TRACE}-${CALLER}-01`, "new"],
    ["x".repeat(5000), "new"],
  ],
  parentbased_traceidratio: [
    ["", "no"],
    [`00-${TRACE}-${CALLER}-01`, "there"],
  ],
  traceidratio: [
    ["", "no"],
    [`00-${TRACE}-${CALLER}-01`, "no"],
  ],
};

for (const [sampler, cases] of Object.entries(SAMPLED)) {
  test(`${sampler} traces what it says, and honours a traceparent that is one`, async () => {
    const env = { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: "0" };
    const { collector } = await traced(env, async ({ address }) => {
      for (const [at, [traceparent]] of cases.entries()) {
        const given: Record<string, string> = traceparent === "" ? {} : { traceparent };
        await fetch(`${address}/livez`, { headers: { "x-request-id": `case-${at}`, ...given } });
      }
    });
    const seen = cases.map(([traceparent], at) => {
      const span = collector.spans.find(
        ({ attributes }) => attributes["animal_store.request_id"] === `case-${at}`,
      );
      return [traceparent, span === undefined ? "no" : span.traceId === TRACE ? "there" : "new"];
    });
    expect(seen).toEqual([...cases]);
  });
}

test("the collector gets the headers that it wants to see, and `config` does not show them", async () => {
  const env = { OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20collector-secret,x-tenant=a" };
  const { collector, output } = await traced(env, async (service) => {
    await fetch(`${service.address}/livez`);
  });
  expect(collector.requests[0]?.headers.get("authorization")).toBe("Bearer collector-secret");
  expect(collector.requests[0]?.headers.get("x-tenant")).toBe("a");
  using folder = temporaryFolder();
  const shown = await run(["config"], { cwd: folder.path, env });
  expect(shown.stdout).toContain("authorization=***,x-tenant=***");
  expect(shown.stdout + output).not.toContain("secret");
});

describe("an unreachable collector fails no request and delays no stop", () => {
  const silent = () => Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });

  test("gone", async () => {
    const listener = silent();
    const { port } = listener;
    listener.stop(true);
    await expectUnharmed(port);
  });

  test("silent", async () => {
    using listener = silent();
    await expectUnharmed(listener.port);
  });

  async function expectUnharmed(port: number) {
    using folder = temporaryFolder();
    // The exporter itself would wait for ten minutes.
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_TIMEOUT: "600000",
    };
    await using service = await serve({ cwd: folder.path, env });
    // More than wait to be sent at once, and than are kept.
    for (let round = 0; round < 30; round++) {
      const calls = Array.from({ length: 100 }, () => call(service, "/v1/pets"));
      for (const answer of await Promise.all(calls)) expect(answer.status).toBe(200);
    }
    await stop(service);
    await service.says('"msg":"stopped"');
  }
});
