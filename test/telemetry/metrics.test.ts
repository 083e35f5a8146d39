import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { knownResponses } from "../../src/http/response/known-responses.ts";
import { operationsOffered } from "../../src/operations/catalogue.ts";
import { VERSION } from "../../src/system/version.ts";
import { createMetrics } from "../../src/telemetry/metrics/metrics.ts";
import { temporaryFolder } from "../support/folder.ts";
import { Metrics } from "../support/metrics.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { run, type ServiceProcess, serve } from "../support/program.ts";

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres[Symbol.asyncDispose]());

const JSON_TYPE = { "content-type": "application/json" };

/** Starts a service with metrics; returns where they are too. */
async function start(cwd: string, env: Record<string, string> = {}) {
  const service = await serve({ cwd, env: { METRICS_PORT: "0", ...env } });
  const metrics = /"metrics":"([^"]+)"/.exec(service.output())?.[1] ?? "";
  return { service, metrics };
}

function call({ address, key }: ServiceProcess, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, ...(init.headers as Record<string, string>) };
  return fetch(address + path, { ...init, headers });
}

function create(service: ServiceProcess, name: string): Promise<Response> {
  return call(service, "/v1/pets", {
    method: "POST",
    headers: JSON_TYPE,
    body: JSON.stringify({ name, categoryId: 1 }),
  });
}

const ENGINES = {
  sqlite: async () => ({}),
  postgresql: async () => ({ DATABASE_URL: await postgres.createDatabase() }),
};

for (const [engine, settings] of Object.entries(ENGINES)) {
  test(`metrics count exactly what the service did (${engine})`, async () => {
    using folder = temporaryFolder();
    const started = await start(folder.path, { ENVIRONMENT: "staging", ...(await settings()) });
    await using service = started.service;
    const { key } = service;
    const names = ["Zebedee", "Quillon", "Wotan"];
    await Promise.all(names.map((name) => create(service, name)));
    await call(service, "/v1/pets", { method: "POST", headers: JSON_TYPE, body: '{"name":"Yorick"}' });
    for (let times = 0; times < 4; times++) await call(service, "/v1/pets?limit=7");
    await call(service, "/v1/pets?limit=7", { method: "HEAD" });
    await call(service, "/v1/pets/1");
    await call(service, "/v1/pets/99");
    for (let at = 0; at < 20; at++) {
      await call(service, `/v1/Xanthippe/${at}?${key}`);
      await fetch(`${service.address}/Xanthippe/${at}`);
    }
    await call(service, "/v1/pets", { method: "MKCOL" });
    await call(service, "/v1/pets", { method: "PROPFIND" });
    await fetch(`${service.address}/v1/pets`);
    for (const authorization of [`Basic ${key}`, `Bearer ${key}x`]) {
      await call(service, "/v1/pets", { headers: { authorization } });
    }

    const metrics = await Metrics.at(started.metrics);
    const requests = (labels: Record<string, string>) =>
      metrics.sum("http_server_request_duration_seconds_count", labels);
    expect(requests({ operation: "createPet", http_response_status_code: "201" })).toBe(3);
    expect(requests({ operation: "createPet", http_response_status_code: "400" })).toBe(1);
    expect(
      requests({ operation: "listPets", http_response_status_code: "200", http_request_method: "GET" }),
    ).toBe(4);
    expect(
      requests({ operation: "listPets", http_response_status_code: "200", http_request_method: "HEAD" }),
    ).toBe(1);
    expect(requests({ operation: "listPets", http_response_status_code: "401" })).toBe(3);
    expect(requests({ http_route: "/v1/pets/{petId}" })).toBe(2);
    expect(requests({ http_route: "", http_response_status_code: "404" })).toBe(40);
    expect(requests({ http_request_method: "_OTHER" })).toBe(2);
    expect(requests({ error_type: "" })).toBe(requests({}));
    expect(requests({})).toBe(56);
    expect(metrics.sum("http_server_request_duration_seconds_bucket", { le: "+Inf" })).toBe(56);
    expect(metrics.valuesOf("http_server_request_duration_seconds_count", "http_route")).toEqual([
      ...new Set(["", ...operationsOffered("beta").map(({ path }) => `/v1${path}`)].sort()),
    ]);

    expect(metrics.sum("animal_store_error_responses_total", { code: "invalid_body" })).toBe(1);
    expect(metrics.sum("animal_store_error_responses_total", { code: "path_not_found" })).toBe(40);
    expect(metrics.sum("animal_store_auth_failures_total", { reason: "missing" })).toBe(1);
    expect(metrics.sum("animal_store_auth_failures_total", { reason: "malformed" })).toBe(2);
    expect(metrics.sum("animal_store_response_cache_total", { result: "hit" })).toBe(3);
    expect(metrics.sum("animal_store_response_cache_total", { result: "miss" })).toBe(3);

    const calls = (db_operation_name: string) =>
      metrics.sum("db_client_operation_duration_seconds_count", {
        db_operation_name,
        db_system_name: engine,
      });
    expect(calls("addAnimal")).toBe(3);
    expect(calls("listAnimals")).toBe(2);
    expect(calls("findAnimal")).toBe(2);
    // Three creates may come before the first has brought the key.
    expect(calls("findKey")).toBeWithin(1, 4);
    expect(metrics.sum("animal_store_commit_batch_size_sum")).toBe(3);
    expect(metrics.sum("animal_store_commit_duration_seconds_count", { outcome: "stored" })).toBe(
      metrics.sum("animal_store_commit_batch_size_count"),
    );
    expect(metrics.sum("animal_store_write_queue_length")).toBe(0);
    expect(metrics.sum("animal_store_ready")).toBe(1);
    const build = { version: VERSION, runtime: `bun ${Bun.version}`, environment: "staging", engine };
    expect(metrics.sum("animal_store_build_info", build)).toBe(1);

    for (const secret of [key, key.slice(8, 20), key.slice(-10), ...names, "Yorick", "Xanthippe"]) {
      expect(metrics.text).not.toContain(secret);
    }
  });
}

test("the queues of a store are one figure", async () => {
  const metrics = createMetrics({
    environment: "production",
    engine: "sqlite",
    responses: knownResponses([]),
    clock: Date.now,
  });
  metrics.commits.queue?.(() => 3);
  metrics.commits.queue?.(() => 4);
  const queue = (await metrics.snapshot()).find(({ name }) => name === "animal_store_write_queue_length");
  expect(queue?.values.map(({ value }) => value)).toEqual([7]);
});

test("failures of a store are counted by their operation", async () => {
  using folder = temporaryFolder();
  const url = await postgres.createDatabase();
  const started = await start(folder.path, { DATABASE_URL: url });
  await using service = started.service;
  expect((await call(service, "/v1/pets")).status).toBe(200);
  const before = await Metrics.at(started.metrics);
  expect(before.sum("animal_store_error_events_total", { event: "store_failed" })).toBe(0);
  const failing = { operation: "listPets", error_type: "internal_error" };
  const buckets = ({ samples }: Metrics, name: string, labels: Record<string, string>) =>
    samples.filter(
      (sample) =>
        sample.name === `${name}_bucket` &&
        Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    ).length;
  expect(before.valuesOf("http_server_request_duration_seconds_count", "error_type")).toContain(
    "internal_error",
  );
  expect(buckets(before, "http_server_request_duration_seconds", failing)).toBe(0);
  await using sql = new Bun.SQL({ url, max: 1 });
  await sql`ALTER TABLE animal_store.state RENAME TO elsewhere`;
  expect((await call(service, "/v1/pets")).status).toBe(500);
  const after = await Metrics.at(started.metrics);
  expect(after.sum("animal_store_error_events_total", { event: "request_failed" })).toBe(1);
  expect(after.sum("http_server_request_duration_seconds_count", { error_type: "internal_error" })).toBe(1);
  const succeeding = { operation: "listPets", http_response_status_code: "200" };
  expect(buckets(after, "http_server_request_duration_seconds", failing)).toBe(
    buckets(before, "http_server_request_duration_seconds", { ...succeeding, http_request_method: "GET" }),
  );
  expect(after.sum("db_client_operation_duration_seconds_count", { error_type: "_OTHER" })).toBeGreaterThan(
    0,
  );
  // What was found a moment ago counts for a while.
  while ((await Metrics.at(started.metrics)).sum("animal_store_ready") !== 0) await Bun.sleep(50);
});

describe("metrics are served", () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let service: ServiceProcess;
  let metrics: string;
  /** In seconds since 1970. */
  let begun: number;
  beforeAll(async () => {
    begun = Date.now() / 1000;
    folder = temporaryFolder();
    ({ service, metrics } = await start(folder.path, { WORKERS: "1" }));
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  test("with correct figures of the process", async () => {
    const told = await Metrics.at(metrics);
    const proc = (file: string) => readFileSync(`/proc/${service.pid}/${file}`, "utf8");
    const resident = Number(/VmRSS:\s+(\d+)/.exec(proc("status"))?.[1]) * 1024;
    expect(told.sum("process_resident_memory_bytes")).toBeWithin(resident * 0.7, resident * 1.3);
    // Fields 14 and 15 of proc_pid_stat(5), in hundredths of a second; the second holds the name, with spaces.
    const [user = 0, system = 0] = proc("stat").replace(/.*\) /, "").split(" ").slice(11, 13).map(Number);
    const cpu = (user + system) / 100;
    expect(told.sum("process_cpu_seconds_total")).toBeWithin(cpu * 0.5 - 0.1, cpu + 0.1);
    const files = readdirSync(`/proc/${service.pid}/fd`).length;
    expect(told.sum("process_open_fds")).toBeWithin(files - 5, files + 5);
    const [, limit] = /Max open files\s+(\d+)/.exec(proc("limits")) ?? [];
    expect(told.sum("process_max_fds")).toBe(Number(limit));
    expect(told.sum("process_start_time_seconds")).toBeWithin(begun - 1, Date.now() / 1000);
    expect(told.samples.filter(({ name }) => name.startsWith("process_")).length).toBe(7);
  });

  test("as OpenMetrics if a client asks for that", async () => {
    const plain = await fetch(metrics);
    expect(plain.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(plain.headers.get("cache-control")).toBe("no-store");
    const accept = "application/openmetrics-text;version=1.0.0,text/plain;q=0.5";
    const open = await fetch(metrics, { headers: { accept } });
    expect(open.headers.get("content-type")).toBe(
      "application/openmetrics-text; version=1.0.0; charset=utf-8",
    );
    const text = await open.text();
    expect(text).toEndWith("\n# EOF\n");
    expect(text).toContain("# TYPE process_cpu_seconds counter\nprocess_cpu_seconds_total ");
    const names = (metrics: Metrics) => [...new Set(metrics.samples.map(({ name }) => name))];
    expect(names(new Metrics(text))).toEqual(names(new Metrics(await plain.text())));
  });

  test("at one path alone, to GET and HEAD, and not beside the interface", async () => {
    const { origin } = new URL(metrics);
    for (const path of ["/", "/metrics/", "/v1/pets", "/livez"]) {
      expect((await fetch(origin + path)).status).toBe(404);
    }
    const refused = await fetch(metrics, { method: "POST", body: "{}" });
    expect([refused.status, refused.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    const head = await fetch(metrics, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect((await fetch(`${metrics}?a=b`)).status).toBe(200);
    expect((await fetch(`${service.address}/metrics`)).status).toBe(404);
  });

  test("a port in use is reported in one clear line, and the service does not start", async () => {
    const { port } = new URL(metrics);
    using other = temporaryFolder();
    const ended = await run(["serve", "--port", "0", "--metrics-port", port], { cwd: other.path });
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toBe(
      `animal-store: port ${port} on 127.0.0.1 is in use; choose another with METRICS_PORT or --metrics-port (0 picks a free one).\n`,
    );
    expect(ended.stdout).not.toContain("listening");
  });

  test("nowhere unless METRICS_PORT is set", async () => {
    using other = temporaryFolder();
    await using quiet = await serve({ cwd: other.path });
    expect(quiet.output()).not.toContain("metrics");
  });
});
