import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";

const REX = { method: "POST", body: '{"name":"Rex","categoryId":1}' };

async function create(sandbox: TestSandbox, headers: Record<string, string> = {}): Promise<Response> {
  return sandbox.call("/v1/pets", { ...REX, headers: { "content-type": "application/json", ...headers } });
}

async function clock(sandbox: TestSandbox, to: object): Promise<number> {
  const response = await sandbox.control("PUT", "/clock", to);
  expect(response.status).toBe(200);
  return Date.parse(((await response.json()) as { now: string }).now);
}

describe("the clock", () => {
  test("can be set and advanced, and runs on from there until it returns to the real time", async () => {
    await using sandbox = await startSandbox();
    const set = Date.UTC(2029, 1, 28);
    expect(await clock(sandbox, { now: "2029-02-28" })).toBeGreaterThanOrEqual(set);
    const advanced = await clock(sandbox, { advance: "25h" });
    expect(advanced).toBeGreaterThanOrEqual(set + 25 * 3_600_000);
    const animal = await (await create(sandbox)).json();
    const events = (await (await sandbox.call("/v1/events?limit=100&type=animal.created")).json()) as {
      at: string;
      animal: unknown;
    }[];
    expect(events.at(-1)?.animal).toEqual(animal);
    expect(Date.parse(events.at(-1)?.at ?? "")).toBeGreaterThanOrEqual(advanced);
    expect((await sandbox.control("DELETE", "/clock")).status).toBe(204);
    const { now } = (await (await sandbox.control("GET", "/clock")).json()) as { now: string };
    expect(Math.abs(Date.parse(now) - Date.now())).toBeLessThan(86_400_000);
  });

  test("an Idempotency-Key is forgotten after its 24 hours", async () => {
    await using sandbox = await startSandbox();
    const id = async () =>
      ((await (await create(sandbox, { "idempotency-key": "rex" })).json()) as { id: number }).id;
    expect([await id(), await id()]).toEqual([25, 25]);
    await clock(sandbox, { advance: "23h" });
    expect(await id()).toBe(25);
    await clock(sandbox, { advance: "2h" });
    expect(await id()).toBe(26);
  });

  test("events expire at once", async () => {
    await using sandbox = await startSandbox({ EVENTS_KEEP: "2d" });
    const list = () => sandbox.call("/v1/events", { headers: { "last-event-id": "1" } });
    const next = async () => (await sandbox.call("/v1/events?limit=1")).headers.get("link");
    const [, cursor = ""] = /<([^>]+)>/.exec((await next()) ?? "") ?? [];
    expect((await list()).status).toBe(200);
    await clock(sandbox, { advance: "3d" });
    expect(await (await sandbox.call(cursor)).json()).toMatchObject({ code: "events_expired", status: 410 });
    expect(await (await sandbox.call("/v1/events?limit=100")).json()).toEqual([]);
  });

  test("a deprecated operation is removed at its sunset", async () => {
    await using sandbox = await startSandbox();
    expect((await sandbox.call("/v1/pets/1")).status).toBe(200);
    await clock(sandbox, { now: "2030-12-05T00:00:00Z" });
    expect(await (await sandbox.call("/v1/pets/1")).json()).toMatchObject({ code: "operation_removed" });
  });
});

test("events that the real time has left behind expire when the clock returns to it", async () => {
  await using sandbox = await startSandbox();
  await clock(sandbox, { now: "2001-01-01" });
  await create(sandbox);
  expect((await sandbox.control("DELETE", "/clock")).status).toBe(204);
  const events = (await (await sandbox.call("/v1/events?limit=100")).json()) as unknown[];
  expect(events).toEqual([]);
});

test("the clock stops at the end of the year 9999", async () => {
  await using sandbox = await startSandbox();
  const end = "9999-12-31T23:59:59.999Z";
  expect(await clock(sandbox, { now: end })).toBe(Date.parse(end));
  await Bun.sleep(2);
  const { now } = (await (await sandbox.control("GET", "/clock")).json()) as { now: string };
  expect(now).toBe(end);
});

test("a reset brings back the first animals, their ids, the real time and no faults", async () => {
  await using sandbox = await startSandbox();
  const list = async () => (await sandbox.call("/v1/pets?limit=100")).json();
  const first = await list();
  for (let round = 0; round < 2; round++) {
    expect(await (await create(sandbox, { "idempotency-key": "k" })).json()).toMatchObject({ id: 25 });
    expect((await create(sandbox, { "idempotency-key": "k" })).headers.has("idempotent-replayed")).toBe(true);
    const order = await sandbox.call("/v1/orders", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"petId":25}',
    });
    expect(await order.json()).toMatchObject({ id: 5, petId: 25 });
    await clock(sandbox, { advance: "1000d" });
    await sandbox.plan({ fault: "500" });
    expect((await sandbox.control("POST", "/reset")).status).toBe(204);
    expect(await list()).toEqual(first);
    const state = (await (await sandbox.control("GET", "")).json()) as { now: string; faults: unknown };
    expect(state.faults).toEqual([]);
    expect(Math.abs(Date.parse(state.now) - Date.now())).toBeLessThan(86_400_000);
  }
});

test("resets at the same moment leave one whole sandbox, and open streams end", async () => {
  await using sandbox = await startSandbox();
  const stream = await sandbox.call("/v1/events", { headers: { accept: "text/event-stream" } });
  await Promise.allSettled(Array.from({ length: 4 }, () => sandbox.control("POST", "/reset")));
  await stream.text().catch(() => "");
  expect((await create(sandbox)).status).toBe(201);
  expect((await sandbox.control("POST", "/reset")).status).toBe(204);
  expect(await (await create(sandbox)).json()).toMatchObject({ id: 25 });
});

test("resets leave no open files behind", async () => {
  await using sandbox = await startSandbox();
  const files = () => readdirSync("/dev/fd").length;
  const reset = async () => expect((await sandbox.control("POST", "/reset")).status).toBe(204);
  await reset();
  const before = files();
  for (let round = 0; round < 10; round++) await reset();
  // Of the last one or two some may still be open.
  expect(files() - before).toBeLessThan(12);
});

test("GET /_sandbox returns the version, the space, the clock, the faults and the keys", async () => {
  await using sandbox = await startSandbox();
  await sandbox.plan({ fault: "delay", operation: "createPet", count: 3, delayMs: 5 });
  expect(await (await sandbox.control("GET", "")).json()).toEqual({
    version: expect.any(String),
    space: "first",
    now: expect.any(String),
    frozen: false,
    faults: [{ fault: "delay", operation: "createPet", count: 3, delayMs: 5, hit: [] }],
    keys: expect.arrayContaining([expect.objectContaining({ name: "read only", state: "valid" })]),
  });
});

describe("a page of another site cannot use it", () => {
  const refused: [string, Record<string, string>][] = [
    ["by its origin", { origin: "https://evil.example" }],
    ["from a file or a sandboxed frame", { origin: "null" }],
    ["on another port of this machine", { origin: "http://127.0.0.1:1" }],
    ["under a name of its own, by DNS rebinding", { host: "evil.example" }],
    ["whose name looks like an address", { host: "127.0.0.1.evil.example:80" }],
    ["with its own name as the origin too", { host: "evil.example", origin: "http://evil.example" }],
  ];
  test.each(refused)("%s", async (_, headers) => {
    await using sandbox = await startSandbox();
    for (const [method, path] of [
      ["GET", ""],
      ["POST", "/reset"],
      ["DELETE", "/faults"],
      ["OPTIONS", "/faults"],
    ] as const) {
      const response = await fetch(`${sandbox.address}/_sandbox${path}`, { method, headers });
      expect(response.status).toBe(403);
      expect(response.headers.has("access-control-allow-origin")).toBe(false);
      expect(await response.json()).toMatchObject({ code: "foreign_request", status: 403 });
    }
  });

  test.each(["localhost", "localhost:9000", "127.0.0.1:80", "[::1]:8080", "192.168.1.7"])(
    "while %s is the machine's own name",
    async (host) => {
      await using sandbox = await startSandbox();
      const headers = { host, origin: `http://${host}` };
      expect((await fetch(`${sandbox.address}/_sandbox`, { headers })).status).toBe(200);
    },
  );
});

test("a refused name says how to allow it, and an allowed one works", async () => {
  await using sandbox = await startSandbox({}, ["Sandbox"]);
  const as = (host: string) => fetch(`${sandbox.address}/_sandbox`, { headers: { host } });
  const { message } = (await (await as("other:8080")).json()) as { message: string };
  expect(message).toEndWith("If clients reach the sandbox by this name, start it with `--allow-host other`.");
  expect((await as("sandbox:8080")).status).toBe(200);
});

test("the OpenAPI document has each path of the control interface, with its methods", async () => {
  await using sandbox = await startSandbox();
  const document = (await (await sandbox.control("GET", "/openapi.json")).json()) as {
    openapi: string;
    servers: unknown;
    paths: Record<string, Record<string, unknown>>;
  };
  expect(document.openapi).toBe("3.1.0");
  expect(document.servers).toEqual([{ url: sandbox.address, description: "This sandbox" }]);
  for (const [path, methods] of Object.entries(document.paths)) {
    const response = await fetch(sandbox.address + path.replace(/\{\w+\}/, "x"), { method: "PATCH" });
    const allowed = (response.headers.get("allow") ?? "").toLowerCase().split(", ");
    const documented = Object.keys(methods).filter((name) => name !== "parameters");
    expect([path, allowed.filter((name) => name !== "head").sort()]).toEqual([path, documented.sort()]);
  }
  const refs = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
    ([, name]) => name,
  );
  const { components } = document as unknown as { components: { schemas: Record<string, unknown> } };
  expect(Object.keys(components.schemas).sort()).toEqual([...new Set(refs)].sort() as string[]);
});

describe("bad input is refused with what would be right", () => {
  const refused: [string, string, unknown, string][] = [
    ["PUT", "/faults", { faults: [{ fault: "418" }] }, "`faults.0.fault` must be one of `400`"],
    [
      "PUT",
      "/faults",
      { faults: [{ fault: "500", operation: "x" }] },
      "`faults.0.operation` must be one of `listPets`",
    ],
    [
      "PUT",
      "/faults",
      { faults: [{ fault: "500", count: 0 }] },
      "`faults.0.count` must be a whole number from 1",
    ],
    [
      "PUT",
      "/faults",
      { faults: [{ fault: "500", count: "1" }] },
      "`faults.0.count` must be a whole number from 1",
    ],
    [
      "PUT",
      "/faults",
      { faults: [{ fault: "500", operaton: "x" }] },
      "`faults.0` must be an object with no other",
    ],
    [
      "PUT",
      "/faults",
      { faults: [{ fault: "500", delayMs: 1 }] },
      "`faults.0.delayMs` belongs to the faults",
    ],
    [
      "PUT",
      "/faults",
      { faults: [{ fault: "500", probability: 0 }] },
      "`faults.0.probability` must be a number above 0 and not above 1",
    ],
    [
      "PUT",
      "/faults",
      { faults: [{ fault: "500", key: "x" }] },
      "`faults.0.key` must be one of `all scopes`",
    ],
    [
      "PUT",
      "/faults",
      { faults: [{ fault: "slow", delayMs: 9, delayMaxMs: 8 }] },
      "`faults.0.delayMaxMs` must not be less than `delayMs`",
    ],
    ["PUT", "/faults", { faults: ["500"] }, "`faults.0` must be an object"],
    ["PUT", "/faults", {}, "`faults` is required and must be an array of at most 100 faults"],
    ["PUT", "/faults", [], "The body is not a JSON object"],
    ["PUT", "/clock", {}, "`now` is required and must be a time, unless `advance` or `frozen` is given"],
    ["PUT", "/clock", { now: "2030-01-01", advance: "1d" }, "`advance` must not be given with `now`"],
    ["PUT", "/clock", { now: "2030-02-30" }, "`now` must be an RFC 3339 time from the years 2000 to 9999"],
    ["PUT", "/clock", { now: "1999-12-31" }, "`now` must be an RFC 3339 time from the years 2000 to 9999"],
    ["PUT", "/clock", { frozen: "yes" }, "`frozen` must be true or false"],
    ["PUT", "/clock", { now: 5 }, "`now` must be an RFC 3339 time"],
    ["PUT", "/clock", { advance: "soon" }, "`advance` must be a duration, for example 90s, 25h or 8d"],
  ];
  test.each(refused)("%s %s %j", async (method, path, body, message) => {
    await using sandbox = await startSandbox();
    const response = await sandbox.control(method, path, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ status: 400, message: expect.stringContaining(message) });
  });

  test("other paths, methods and media types", async () => {
    await using sandbox = await startSandbox();
    expect((await sandbox.control("GET", "/nothing")).status).toBe(404);
    expect((await sandbox.control("GET", "s")).status).toBe(404);
    const response = await sandbox.control("PATCH", "/faults");
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD, PUT, POST, DELETE"]);
    const text = await fetch(`${sandbox.address}/_sandbox/faults`, { method: "PUT", body: "{}" });
    expect(text.status).toBe(415);
  });
});

test("a path that the control interface does not have leads to its document", async () => {
  await using sandbox = await startSandbox();
  const response = await sandbox.control("GET", "/nothing");
  expect(response.status).toBe(404);
  expect(await response.text()).toContain("`/_sandbox/openapi.json` lists every path");
});
