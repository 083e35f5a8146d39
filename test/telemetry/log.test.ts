import { afterAll, beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import pino from "pino";
import { serializeError } from "../../src/telemetry/log/error.ts";
import { writeRepeated } from "../../src/telemetry/log/event-lines.ts";
import { PIPE_BUF, wholeRecord } from "../../src/telemetry/log/whole-record.ts";
import { temporaryFolder } from "../support/folder.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { run, type ServiceProcess, serve } from "../support/program.ts";

type Line = Record<string, unknown>;

/** The lines that a service has written so far about requests, or about one. */
function linesOf({ output }: ServiceProcess, requestId?: string): Line[] {
  const lines = output()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
  return lines.filter((line) =>
    requestId === undefined ? "requestId" in line : line.requestId === requestId,
  );
}

function call({ address, key }: ServiceProcess, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, ...(init.headers as Record<string, string>) };
  return fetch(address + path, { ...init, headers });
}

test("one repeated failure is reported as such, several are counted", () => {
  const messages: string[] = [];
  const log = pino({}, { write: (line: string) => messages.push(JSON.parse(line).msg) });
  const failure = { event: "store_failed", requestId: "some", error: new Error("full") } as const;
  for (const count of [1, 2]) writeRepeated(log, failure, count);
  expect(messages).toEqual([
    "the store could not do its work, once more",
    "the store could not do its work, 2 more times",
  ]);
});

test("a line that a pipe would not take as one piece is cut, and stays JSON", () => {
  const err = (text: string, depth: number): object => ({
    message: text,
    stack: text.repeat(9),
    ...(depth > 0 && { cause: err(text, depth - 1) }),
  });
  for (const depth of [0, 5, 500]) {
    const record = {
      level: "error",
      time: "now",
      worker: 2,
      err: err('ü"🐈'.repeat(400), depth),
      msg: "failed",
    };
    const cut = wholeRecord(`${JSON.stringify(record)}\n`);
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(PIPE_BUF);
    expect(cut).toEndWith("}\n");
    expect(JSON.parse(cut)).toMatchObject({ level: "error", time: "now", worker: 2, msg: "failed" });
    // What was cut says something still, unless there is far too much of it.
    expect(cut.includes('"stack":"ü')).toBe(depth < 500);
  }
  const short = `${JSON.stringify({ msg: "ü".repeat(2000) })}\n`;
  expect(wholeRecord(short)).toBe(short);
});

test("LOG_REQUESTS=true has a line for each request", async () => {
  using folder = temporaryFolder();
  await using service = await serve({ cwd: folder.path, env: { LOG_REQUESTS: "true", WORKERS: "1" } });
  await call(service, "/v1/pets?limit=3", { headers: { "x-request-id": "first" } });
  await fetch(`${service.address}/v1/pets/7`, { headers: { "x-request-id": "second" } });
  await call(service, `/v1/${"x".repeat(600)}`, { headers: { "x-request-id": "third" } });
  await service.says('"requestId":"third"');
  const common = {
    level: "info",
    time: expect.any(String),
    environment: "production",
    msg: "request answered",
  };
  const seen = { client: "127.0.0.1", microseconds: expect.any(Number) };
  expect(linesOf(service)).toEqual([
    {
      ...common,
      ...seen,
      requestId: "first",
      operation: "listPets",
      method: "GET",
      path: "/v1/pets",
      status: 200,
      keyId: 1,
    },
    {
      ...common,
      ...seen,
      requestId: "second",
      operation: "getPet",
      method: "GET",
      path: "/v1/pets/7",
      status: 401,
      failure: "unauthorized",
      keyRefusal: "missing",
    },
    {
      ...common,
      ...seen,
      requestId: "third",
      method: "GET",
      path: `/v1/${"x".repeat(496)}…`,
      status: 404,
      failure: "path_not_found",
      keyId: 1,
    },
  ]);
});

test("without LOG_REQUESTS a request has a line only at the level debug", async () => {
  for (const [level, lines] of [
    ["info", 0],
    ["debug", 1],
  ] as const) {
    using folder = temporaryFolder();
    await using service = await serve({ cwd: folder.path, env: { LOG_LEVEL: level } });
    await fetch(`${service.address}/livez`);
    service.kill("SIGTERM");
    await service.exited;
    await service.says('"msg":"stopped"');
    expect(linesOf(service)).toHaveLength(lines);
  }
});

test("the program never writes a key or a part of a key", async () => {
  using folder = temporaryFolder();
  const options = { cwd: folder.path, env: { TRUST_PROXY: "true" } };
  const before = ["sh", "-c", 'exec "$@" 2>&1', "sh"];
  await using service = await serve({ ...options, before }, ["--log-level", "trace"]);
  const { address, key: first } = service;
  const made = await run(["keys", "create", "--name", "ended"], options);
  const ended = made.stdout.trim();
  await run(["keys", "revoke", "2"], options);
  const unknown = `${first.slice(0, 12)}${ended.slice(12)}`;
  const post = (headers: Record<string, string>, body: string) =>
    fetch(`${address}/v1/pets`, { method: "POST", headers, body });
  for (const key of [first, ended, unknown, first.slice(0, 30), `${first}x`]) {
    const authorization = `Bearer ${key}`;
    const json = { authorization, "content-type": "application/json" };
    await fetch(`${address}/v1/pets`, { headers: { authorization } });
    await fetch(`${address}/v1/pets`, { headers: { authorization: key } });
    await fetch(`${address}/v1/pets`, { headers: { authorization: `Basic ${key}` } });
    await fetch(`${address}/v1/pets/${key}?key=${key}`, { headers: { authorization } });
    await fetch(`${address}/v1/${key.replaceAll("_", "%5F")}`, { headers: { authorization } });
    await fetch(`${address}/${key}`, { headers: { "x-request-id": key } });
    await fetch(`${address}/v1/pets?limit=${key}&cursor=${key}`, { headers: { authorization } });
    await fetch(`${address}/livez`, { headers: { "x-forwarded-for": key, origin: key, traceparent: key } });
    await post({ ...json, "idempotency-key": key }, JSON.stringify({ name: key, categoryId: 1 }));
    await post({ ...json, "idempotency-key": key }, JSON.stringify({ name: key, categoryId: 2 }));
    await post(
      { ...json, "idempotency-key": `${key} \u00e9` },
      JSON.stringify({ name: key, categoryId: key }),
    );
    await post(json, `{"${key}":1,"${key}":`);
    await post({ ...json, "content-type": key }, key);
  }
  service.kill("SIGTERM");
  expect(await service.exited).toBe(0);
  await service.says('"msg":"stopped"');
  const written = service.output();
  expect(written.match(/"msg":"request answered"/g)?.length).toBeGreaterThan(60);
  // Without the prefix, which says nothing, any eight characters on end.
  for (const key of [first, ended]) {
    const random = key.slice("as_live_".length);
    for (let at = 0; at + 8 <= random.length; at++) expect(written).not.toContain(random.slice(at, at + 8));
  }
});

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres[Symbol.asyncDispose]());

test("a failure is logged with its causes, under the id of its request", async () => {
  using folder = temporaryFolder();
  const url = await postgres.createDatabase();
  await using service = await serve({ cwd: folder.path, env: { DATABASE_URL: url } });
  const database = new URL(url).pathname.slice(1);
  await using other = new SQL({ url: url.replace(/[^/]+$/, "postgres"), max: 1 });
  await other.unsafe(`ALTER DATABASE ${database} ALLOW_CONNECTIONS false`);
  await other`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${database}`;
  const body = '{"name":"Rex","categoryId":1}';
  const create = (id: string) =>
    call(service, "/v1/pets", {
      method: "POST",
      headers: { "content-type": "application/json", "x-request-id": id },
      body,
    });
  // The first may still meet the connections that were ended.
  for (let attempt = 1; attempt <= 5; attempt++)
    expect((await create(`attempt-${attempt}`)).status).toBe(503);
  // The first of its kind is told in full.
  await service.says('"type":"NoPrimary"');
  const told = linesOf(service).find((line) => JSON.stringify(line).includes('"NoPrimary"'));
  expect(told).toMatchObject({
    level: "warn",
    requestId: expect.stringMatching(/^attempt-[1-5]$/),
    err: {
      type: "StoreFailure",
      stack: expect.stringContaining("StoreFailure"),
      cause: { type: "NoPrimary", cause: { type: "PostgresError", code: "55000" } },
    },
  });
});

test("the log of an error has its type, message, code and causes, and none of its other properties", () => {
  const root = Object.assign(new TypeError("root"), { code: "E1", detail: "Failing row contains (Rex)." });
  const middle = Object.assign(new Error("middle", { cause: root }), { errno: "23514" });
  expect(serializeError(new Error("top", { cause: middle }))).toEqual({
    type: "Error",
    message: "top",
    stack: expect.any(String),
    cause: {
      type: "Error",
      message: "middle",
      code: "23514",
      stack: expect.any(String),
      cause: { type: "TypeError", message: "root", code: "E1", stack: expect.any(String) },
    },
  });
  expect(serializeError("a text that was thrown")).toBe("a text that was thrown");
  const circle = new Error("a circle");
  circle.cause = circle;
  expect(JSON.stringify(serializeError(circle)).match(/a circle/g)?.length).toBeLessThan(20);
});
