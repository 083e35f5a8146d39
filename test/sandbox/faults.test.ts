import { expect, test } from "bun:test";
import { FaultPlan } from "../../sandbox/fault-plan.ts";
import { SANDBOX_KEYS } from "../../sandbox/keys.ts";
import { preferredFaults } from "../../sandbox/prefer.ts";
import { Conversation, type WireResponse } from "../../verify/wire/conversation.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";

// Each fault as it stands on the wire.

function request(
  { key }: TestSandbox,
  target: string,
  headers: Record<string, string> = {},
  body = "",
): string {
  const fields = { Host: "localhost", Authorization: `Bearer ${key}`, ...headers };
  const method = body === "" ? "GET" : "POST";
  const length = body === "" ? "" : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} /v1${target} HTTP/1.1\r\n${lines.join("")}${length}\r\n${body}`;
}

/** What comes back for a request on a connection of its own, and how that ends where it does. */
async function sent(sandbox: TestSandbox, bytes: string) {
  using conversation = await Conversation.open(sandbox.address);
  conversation.send(bytes);
  const answer = await conversation.next();
  return { answer, rest: answer ? "" : await conversation.closed(), error: conversation.error };
}

const create = (sandbox: TestSandbox, fault: string) =>
  request(
    sandbox,
    "/pets",
    { Prefer: `fault=${fault}`, "Idempotency-Key": "rex" },
    '{"name":"Rex","categoryId":1}',
  );

/** How many animals a create has added. */
async function added(sandbox: TestSandbox): Promise<number> {
  return ((await (await sandbox.call("/v1/pets?limit=100")).json()) as unknown[]).length - 24;
}

test("a planned refusal is the service's own Error with its headers, and nothing is done", async () => {
  await using sandbox = await startSandbox();
  const refusals: [string, Partial<WireResponse["headers"]> | object, object][] = [
    [
      "429",
      { "retry-after": "1", "ratelimit-policy": '"default";q=10;w=1', ratelimit: '"default";r=0;t=1' },
      { code: "rate_limited" },
    ],
    ["429; retryAfterSeconds=7", { "retry-after": "7" }, { code: "rate_limited" }],
    ["500", {}, { code: "internal_error" }],
    ["503", { "retry-after": "1" }, { code: "overloaded" }],
    ['"503"; retryaftersecondS=0', { "retry-after": "0" }, { code: "overloaded" }],
  ];
  for (const [fault, headers, error] of refusals) {
    const { answer } = await sent(sandbox, create(sandbox, fault));
    expect(answer?.status).toBe(Number(/[0-9]+/.exec(fault)));
    expect(answer?.headers.toJSON()).toMatchObject({
      "content-type": "application/json",
      "x-content-type-options": "nosniff",
      "x-request-id": expect.any(String),
      ...headers,
    });
    expect(JSON.parse(answer?.body ?? "")).toEqual({
      status: answer?.status,
      message: expect.any(String),
      ...error,
    });
  }
  expect(await added(sandbox)).toBe(0);
});

test("a refusal of a deprecated operation says so, and a page of another origin may read it", async () => {
  await using sandbox = await startSandbox();
  const headers = { prefer: "fault=503", origin: "https://shop.example.com", "x-request-id": "mine" };
  const response = await sandbox.call("/v1/pets/1", { headers });
  expect(response.headers.toJSON()).toMatchObject({
    deprecation: "@1764892800",
    "access-control-allow-origin": "*",
    "access-control-expose-headers": expect.stringContaining("Retry-After"),
    "x-request-id": "mine",
  });
});

test.each([
  ["408", "408 Request Time-out", 0],
  ["502", "502 Bad Gateway", 0],
  ["504", "504 Gateway Time-out", 1],
])("a proxy answers with a page of its own: %s", async (fault, title, done) => {
  await using sandbox = await startSandbox();
  const { answer } = await sent(sandbox, create(sandbox, fault));
  expect(answer?.status).toBe(Number(fault));
  expect(answer?.headers.get("content-type")).toBe("text/html");
  expect(answer?.headers.get("x-request-id")).toBeNull();
  expect(answer?.body).toContain(`<h1>${title}</h1>`);
  const journal = await (await sandbox.control("GET", "/requests")).json();
  expect(journal).toMatchObject({ requests: [{ response: { status: Number(fault), body: answer?.body } }] });
  expect(await added(sandbox)).toBe(done);
});

test("a broken response comes after the create was done", async () => {
  await using sandbox = await startSandbox();
  const whole = '{"id":25,"name":"Rex","categoryId":1,"status":"available"}';
  for (const [fault, body, type] of [
    ["malformed_json", whole.slice(0, whole.length / 2), "application/json"],
    ["empty_body", "", "application/json"],
    ["wrong_content_type", whole, "text/html"],
  ] as const) {
    const { answer } = await sent(sandbox, create(sandbox, fault));
    expect([answer?.status, answer?.body, answer?.headers.get("content-type")]).toEqual([201, body, type]);
    expect(answer?.headers.get("content-length")).toBe(`${body.length}`);
  }
  expect(await added(sandbox)).toBe(1);
  const rounded = { prefer: "fault=rounded_id", "accept-encoding": "gzip" };
  const response = await sandbox.call("/v1/pets?limit=100", { headers: rounded });
  expect(response.headers.has("etag")).toBe(false);
  expect(await response.text()).toContain('"id":24,"name":"Max","categoryId":9223372036854776000');
});

test("an expired cursor gets the service's own refusal, and only in a request with a cursor", async () => {
  await using sandbox = await startSandbox();
  const headers = { prefer: "fault=expired_cursor" };
  const page = async (path: string) =>
    /<([^>]+)>/.exec((await sandbox.call(path)).headers.get("link") ?? "")?.[1] ?? "";
  for (const [path, code] of [
    ["/v1/pets", "invalid_parameter"],
    ["/v1/events", "events_expired"],
  ] as const) {
    const next = await page(path);
    expect(await (await sandbox.call(next, { headers })).json()).toMatchObject({ code });
    expect((await sandbox.call(next)).status).toBe(200);
  }
  expect(await (await sandbox.call("/v1/pets", { headers })).json()).toMatchObject({
    code: "invalid_header",
    message: expect.stringContaining("`expired_cursor` needs a `cursor`"),
  });
  await sandbox.plan({ fault: "expired_cursor", count: 1 });
  expect((await sandbox.call("/v1/pets")).status).toBe(200);
  expect(await sandbox.faultsLeft()).toBe(1);
});

test("a stream pauses after an event, or repeats each", async () => {
  await using sandbox = await startSandbox();
  const heard = async (prefer: string, until: RegExp) => {
    using conversation = await Conversation.open(sandbox.address);
    conversation.send(request(sandbox, "/events", { Accept: "text/event-stream", Prefer: prefer }));
    return await conversation.heard(until);
  };
  const repeated = await heard("fault=stream_repeat", /id: 4\n/);
  expect([...repeated.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id).slice(0, 5)).toEqual([
    "2",
    "2",
    "3",
    "3",
    "4",
  ]);
  const before = performance.now();
  await heard("fault=stream_pause; delayMs=60", /id: 3\n/);
  expect(performance.now() - before).toBeGreaterThanOrEqual(60);
});

test("code and delay are preferences too, and the response names what was applied", async () => {
  await using sandbox = await startSandbox();
  const ask = (prefer: string) => sandbox.call("/v1/pets", { headers: { prefer } });
  for (const [prefer, status, applied] of [
    ["code=503", 503, "code=503"],
    ["respond-async, Code=504, delay=5", 504, "Code=504, delay=5"],
    ["delay=5", 200, "delay=5"],
    ["fault=500; ", 500, "fault=500;"],
  ] as const) {
    const response = await ask(prefer);
    expect([response.status, response.headers.get("preference-applied")]).toEqual([status, applied]);
  }
  expect((await sandbox.call("/v1/pets")).headers.has("preference-applied")).toBe(false);
  for (const [prefer, message] of [
    ["code=418", "`code` must be one of `400`, `401`"],
    ["code=503; delayMs=4", "`delayMs=4` is none of `code`"],
    ["delay=soon", "`delay` must be a whole number from 1 to 120000"],
    ["code=503, fault=500", "`code` must not be given with `fault`"],
    ["fault=delay; delayMs=5; delayMaxMs=4", "`delayMaxMs` must not be less than `delayMs`"],
    ["fault=stream_pause", "`stream_pause` needs a stream of events"],
  ])
    expect(await (await ask(prefer ?? "")).json()).toMatchObject({
      code: "invalid_header",
      message: expect.stringContaining(message ?? ""),
    });
});

test("a reset connection gets no response, and nothing was done", async () => {
  await using sandbox = await startSandbox();
  expect(await sent(sandbox, create(sandbox, "reset"))).toEqual({
    answer: undefined,
    rest: "",
    error: "ECONNRESET",
  });
  expect(await added(sandbox)).toBe(0);
});

test("a lost response never arrives, and the create was done once, however often it is sent again", async () => {
  await using sandbox = await startSandbox();
  for (let time = 0; time < 3; time++) {
    expect(await sent(sandbox, create(sandbox, "lost"))).toEqual({
      answer: undefined,
      rest: "",
      error: undefined,
    });
    expect(await added(sandbox)).toBe(1);
  }
  const response = await sandbox.call("/v1/pets", {
    method: "POST",
    headers: { "idempotency-key": "rex", "content-type": "application/json" },
    body: '{"name":"Rex","categoryId":1}',
  });
  expect(response.headers.get("idempotent-replayed")).toBe("true");
});

test("a cut response ends in the middle of its body, and the create was done", async () => {
  await using sandbox = await startSandbox();
  const { rest, error } = await sent(sandbox, create(sandbox, "cut"));
  const [head = "", body = ""] = rest.split("\r\n\r\n");
  const whole = '{"id":25,"name":"Rex","categoryId":1,"status":"available"}';
  expect(head).toStartWith("HTTP/1.1 201 Created\r\n");
  expect(head).toContain(`Content-Length: ${whole.length}`);
  expect([body, error]).toEqual([whole.slice(0, whole.length / 2), undefined]);
  expect(await added(sandbox)).toBe(1);
});

test("a response without a body has no middle: the connection closes before it", async () => {
  await using sandbox = await startSandbox();
  // A page that is too short for compression, whose tag would be another.
  const etag = (await sandbox.call("/v1/pets?limit=1")).headers.get("etag") ?? "";
  const unchanged = request(sandbox, "/pets?limit=1", { Prefer: "fault=cut", "If-None-Match": etag });
  expect(await sent(sandbox, unchanged)).toMatchObject({ answer: undefined, rest: "" });
  const head = request(sandbox, "/pets", { Prefer: "fault=cut" }).replace("GET", "HEAD");
  expect(await sent(sandbox, head)).toMatchObject({ answer: undefined, rest: "" });
});

test("a cut stream ends within an event, which resumes as after any lost connection", async () => {
  await using sandbox = await startSandbox();
  const stream = { Accept: "text/event-stream" };
  using cut = await Conversation.open(sandbox.address);
  cut.send(request(sandbox, "/events", { ...stream, Prefer: "fault=cut" }));
  const rest = await cut.closed();
  expect(rest).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  const [, id = ""] = /\nid: (\d+)\nevent: animal\.created\ndata: \{"id":[^\n]{1,3}$/.exec(rest) ?? [];
  using conversation = await Conversation.open(sandbox.address);
  conversation.send(request(sandbox, "/events", { ...stream, "Last-Event-ID": `${Number(id) - 1}` }));
  expect(await conversation.heard(/\n\n/)).toContain(`\nid: ${id}\n`);
});

test.each(["504", "lost", "cut"])(
  "a stream that its client loses by the fault %s makes room for others",
  async (fault) => {
    await using sandbox = await startSandbox({ MAX_STREAMS: "1" });
    const stream = { Accept: "text/event-stream" };
    await sent(sandbox, request(sandbox, "/events", { ...stream, Prefer: `fault=${fault}` }));
    const { answer } = await sent(sandbox, request(sandbox, "/events", stream));
    expect(answer?.status).toBe(200);
  },
);

test("a delayed request is done after its delay", async () => {
  await using sandbox = await startSandbox();
  const before = performance.now();
  const { answer } = await sent(sandbox, create(sandbox, "delay; delayMs=50"));
  expect(answer?.status).toBe(201);
  expect(performance.now() - before).toBeGreaterThanOrEqual(50);
});

/** The end of a chunked body (RFC 9112, section 7.1). */
const LAST_CHUNK = /\r\n0\r\n\r\n$/;

/** What the chunks of a response carry. */
function chunksOf(response: string): string[] {
  const body = response.slice(response.indexOf("\r\n\r\n") + 4);
  return [...body.matchAll(/[0-9a-f]+\r\n(.+)\r\n/g)].map(([, chunk = ""]) => chunk);
}

test("a slow response arrives whole, in pieces", async () => {
  await using sandbox = await startSandbox();
  using conversation = await Conversation.open(sandbox.address);
  conversation.send(create(sandbox, "slow; delayMs=5"));
  const response = await conversation.heard(LAST_CHUNK);
  const chunks = chunksOf(response);
  expect(response).toStartWith("HTTP/1.1 201 Created\r\n");
  expect(chunks.map(({ length }) => length)).toEqual([32, 26]);
  expect(JSON.parse(chunks.join(""))).toMatchObject({ id: 25, name: "Rex" });
  expect(conversation.pieces).toBeGreaterThanOrEqual(chunks.length);
});

test("only the slow response is slow, and not the next one on its connection", async () => {
  await using sandbox = await startSandbox();
  const slow = { Prefer: "fault=slow; delayMs=1" };
  const requests = [
    request(sandbox, "/pets?limit=1", slow),
    create(sandbox, "slow; delayMs=1").replace("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n"),
  ];
  for (const bytes of requests) {
    using conversation = await Conversation.open(sandbox.address);
    conversation.send(bytes);
    const first = await conversation.heard(LAST_CHUNK);
    const pieces = conversation.pieces;
    conversation.send(request(sandbox, "/pets?limit=1"));
    const both = await conversation.heard(/}\]$/);
    expect(both.slice(first.length)).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\n\r\n\[{"id":1,/s);
    expect(conversation.pieces - pieces).toBe(1);
  }
});

test("a response without a body is not slow, since only bodies come in pieces", async () => {
  await using sandbox = await startSandbox();
  using conversation = await Conversation.open(sandbox.address);
  const slow = { Prefer: "fault=slow; delayMs=120000" };
  conversation.send(request(sandbox, "/pets?limit=1", slow).replace("GET", "HEAD"));
  expect(await conversation.next(true)).toMatchObject({ status: 200, body: "" });
});

test.each(["::", "::1"])("connections break on IPv6 too: a sandbox on %s", async (host) => {
  await using sandbox = await startSandbox({ HOST: host });
  for (const name of host === "::" ? ["127.0.0.1", "[::1]"] : ["[::1]"]) {
    const address = `http://${name}:${new URL(sandbox.address).port}`;
    expect(await sent({ ...sandbox, address }, create(sandbox, "reset"))).toMatchObject({
      error: "ECONNRESET",
    });
    expect(await sent({ ...sandbox, address }, create(sandbox, "lost"))).toMatchObject({ rest: "" });
  }
});

test("where the system breaks no connection, the faults that need it are refused, and all others work", async () => {
  await using sandbox = await startSandbox({}, [], "libmissing.so");
  for (const fault of ["reset", "lost", "cut"]) {
    const message = expect.stringContaining("breaks connections, which the sandbox cannot do on this system");
    const { answer } = await sent(sandbox, create(sandbox, fault));
    expect(JSON.parse(answer?.body ?? "")).toMatchObject({ code: "invalid_header", message });
    const planned = await sandbox.control("PUT", "/faults", { faults: [{ fault }] });
    expect(await planned.json()).toMatchObject({ code: "invalid_body", message });
  }
  expect(await added(sandbox)).toBe(0);
  await sandbox.plan({ fault: "504", count: 1 });
  expect((await sent(sandbox, request(sandbox, "/pets"))).answer?.status).toBe(504);
});

test("only the connection of the request breaks", async () => {
  await using sandbox = await startSandbox();
  using other = await Conversation.open(sandbox.address);
  const fine = request(sandbox, "/pets?limit=1");
  other.send(fine);
  expect((await other.next())?.status).toBe(200);
  for (const fault of ["reset", "lost", "cut"]) await sent(sandbox, create(sandbox, fault));
  other.send(fine);
  expect((await other.next())?.status).toBe(200);
});

test("a response is cut even if its head announces another length", async () => {
  await using sandbox = await startSandbox();
  using conversation = await Conversation.open(sandbox.address);
  const headers = { Prefer: "fault=cut", Expect: "100-continue" };
  conversation.send(request(sandbox, "/pets", headers, '{"name":5,"categoryId":1}'));
  const rest = await conversation.closed();
  const [interim, head = "", body = ""] = rest.split("\r\n\r\n");
  expect(interim).toBe("HTTP/1.1 100 Continue");
  const length = Number(/content-length: ([0-9]+)/i.exec(head)?.[1]);
  expect(body.length).toBe(Math.floor(length / 2));
});

test("a planned fault affects only its operation, as often as its count says", async () => {
  await using sandbox = await startSandbox();
  const statuses = async (path: string, times: number) => {
    const seen: number[] = [];
    while (seen.length < times) seen.push((await sandbox.call(path)).status);
    return seen;
  };
  await sandbox.plan({ fault: "500", operation: "listOrders", count: 2 }, { fault: "503", count: 1 });
  expect(await statuses("/v1/orders", 1)).toEqual([500]);
  expect(await statuses("/v1/pets", 2)).toEqual([503, 200]);
  expect(await statuses("/v1/orders", 2)).toEqual([500, 200]);
  expect(await sandbox.faultsLeft()).toBe(0);
  await sandbox.plan({ fault: "503", operation: "listPets" });
  expect(await statuses("/v1/pets", 3)).toEqual([503, 503, 503]);
  expect((await sandbox.control("DELETE", "/faults")).status).toBe(204);
  expect(await statuses("/v1/pets", 1)).toEqual([200]);
});

test("a fault can be added to the plan, whose other faults go on as they are", async () => {
  await using sandbox = await startSandbox();
  const add = (...faults: object[]) => sandbox.control("POST", "/faults", { faults });
  await sandbox.plan({ fault: "503", after: 1, count: 2 });
  for (const status of [200, 503]) expect((await sandbox.call("/v1/pets")).status).toBe(status);
  const response = await add({ fault: "500", count: 1 });
  expect([response.status, await response.json()]).toEqual([
    200,
    {
      faults: [
        { fault: "503", after: 1, count: 1, hit: [2] },
        { fault: "500", count: 1, hit: [] },
      ],
    },
  ]);
  const full = await add(...Array.from({ length: 99 }, () => ({ fault: "500" })));
  expect([full.status, await full.json()]).toEqual([
    409,
    expect.objectContaining({ code: "too_many_faults" }),
  ]);
  for (const status of [503, 500, 200]) expect((await sandbox.call("/v1/pets")).status).toBe(status);
});

test("a planned fault waits for its turn, and for its key", async () => {
  await using sandbox = await startSandbox();
  const statuses = async (key: string, times: number) => {
    const seen: number[] = [];
    const headers = { authorization: `Bearer ${key}` };
    while (seen.length < times) seen.push((await sandbox.call("/v1/pets", { headers })).status);
    return seen;
  };
  await sandbox.plan({ fault: "503", key: "another client", after: 2, count: 1 });
  expect(await statuses(sandbox.key, 4)).toEqual([200, 200, 200, 200]);
  expect(await statuses(SANDBOX_KEYS[1]?.key ?? "", 4)).toEqual([200, 200, 503, 200]);
});

const ANY = {
  id: 1,
  operation: "listPets",
  key: null,
  path: "/v1/pets",
  body: undefined,
  obstacleTo: () => undefined,
};

test("a delay comes on top of the first other fault, and each counts its requests", async () => {
  await using sandbox = await startSandbox();
  await sandbox.plan(
    { fault: "delay", delayMs: 20, count: 2 },
    { fault: "delay", delayMs: 120_000, after: 1000 },
    { status: 503, count: 1 },
    { fault: "502", count: 1 },
  );
  for (const status of [503, 502, 200]) expect((await sandbox.call("/v1/pets")).status).toBe(status);
  const { faults } = (await (await sandbox.control("GET", "/faults")).json()) as {
    faults: { hit: number[] }[];
  };
  expect(faults.map(({ hit }) => hit)).toEqual([[1, 2], [], [1], [2]]);
  const { requests } = (await (await sandbox.control("GET", "/requests")).json()) as {
    requests: { elapsedMs: number; fault: object; response: { elapsedMs: number } }[];
  };
  expect(requests.map(({ fault }) => fault)).toEqual([
    { fault: "503", rule: 2 },
    { fault: "502", rule: 3 },
    null as never,
  ]);
  const [slow] = requests;
  expect((slow?.response.elapsedMs ?? 0) - (slow?.elapsedMs ?? 0)).toBeGreaterThanOrEqual(19);
});

test("a planned fault waits for its path, and for what the body has", async () => {
  await using sandbox = await startSandbox();
  const post = async (body: string, path = "/v1/pets") => {
    const headers = { "content-type": "application/json" };
    return (await sandbox.call(path, { method: "POST", headers, body })).status;
  };
  const max = "9223372036854775807";
  await sandbox.plan({ status: 404, path: "/v1/pets/3" });
  await sandbox.control("POST", "/faults", { faults: [{ status: 503, body: { name: "Rex" } }] });
  const exact = `{"faults":[{"status":422,"operation":"createPet","body":{"categoryId":${max}}}]}`;
  const url = `${sandbox.address}/_sandbox/faults`;
  const headers = { "content-type": "application/json" };
  const added = await fetch(url, { method: "POST", headers, body: exact });
  expect(await added.text()).toContain(`"body":{"categoryId":${max}}`);
  for (const [path, status] of [
    ["/v1/pets/3", 404],
    ["/v1/pets/3?x=1", 404],
    ["/v1/pets/4", 200],
  ] as const)
    expect((await sandbox.call(path)).status).toBe(status);
  for (const [body, status] of [
    ['{"name":"Rex","categoryId":1}', 503],
    ['{"categoryId":2,"name":"Rex"}', 503],
    ['{"name":"Max","categoryId":1}', 201],
    [`{"name":"Max","categoryId":${max}}`, 422],
    ['{"name":"Max","categoryId":9223372036854775806}', 201],
    ['{"name":"Rex"', 400],
    ["[]", 400],
    ["", 400],
  ] as const)
    expect([body, await post(body)]).toEqual([body, status]);
  expect(await post('{"petId":1}', "/v1/orders")).toBe(201);
  // The service sees that it is too long, and it reaches the service whole when it is chunked.
  expect(await post(`{"name":"Rex","x":"${"x".repeat(70_000)}"}`)).toBe(413);
  const chunked = new ReadableStream({
    start(controller) {
      for (const part of ['{"name":"Mia",', '"categoryId":7}'])
        controller.enqueue(new TextEncoder().encode(part));
      controller.close();
    },
  });
  const streamed = await sandbox.call("/v1/pets", { method: "POST", headers, body: chunked });
  expect([streamed.status, ((await streamed.json()) as { name: string }).name]).toEqual([201, "Mia"]);
});

test.each([
  [{ status: 503, path: "/pets" }, "is no path"],
  [{ status: 503, path: "/v1/pets?limit=1" }, "is no path"],
  [{ status: 503, path: "/v1/pets", operation: "getPet" }, "is no path"],
  [{ status: 503, body: ["Rex"] }, "must be an object"],
  [{ status: 503, body: {}, operation: "listPets" }, "have no body"],
])("a condition that no request can meet is refused: %j", async (fault, message) => {
  await using sandbox = await startSandbox();
  const response = await sandbox.control("PUT", "/faults", { faults: [fault] });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain(message);
});

test("a fault's probability is kept, and the same seed affects the same requests", () => {
  const hits = (seed: number) => {
    const plan = new FaultPlan();
    plan.replace([{ fault: "500", probability: 0.25, seed }]);
    const ids = Array.from({ length: 1000 }, (_, id) => id);
    return ids.filter((id) => plan.take({ ...ANY, id }).length > 0);
  };
  expect(hits(7)).toEqual(hits(7));
  expect(hits(7)).not.toEqual(hits(8));
  expect(hits(7).length).toBeGreaterThan(200);
  expect(hits(7).length).toBeLessThan(300);
});

test("delays are spread between their bounds", () => {
  const plan = new FaultPlan();
  plan.replace([{ fault: "delay", delayMs: 100, delayMaxMs: 200, seed: 3 }]);
  const delays = Array.from({ length: 200 }, () => plan.take(ANY)[0]?.fault.delayMs ?? 0);
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(100);
  expect(Math.max(...delays)).toBeLessThanOrEqual(200);
  expect(new Set(delays).size).toBeGreaterThan(50);
});

test("a request outside the API uses up no fault", async () => {
  await using sandbox = await startSandbox();
  await sandbox.plan({ fault: "500", count: 1 });
  const preflight = { origin: "https://shop.example.com", "access-control-request-method": "GET" };
  expect((await sandbox.call("/v1/pets", { method: "OPTIONS", headers: preflight })).status).toBe(204);
  expect((await sandbox.call("/v1/nothing")).status).toBe(404);
  expect((await sandbox.call("/livez")).status).toBe(200);
  expect(await sandbox.faultsLeft()).toBe(1);
});

test("a long Prefer costs no more than its length", () => {
  // If each quote were searched to the end of the header, this would not end.
  for (const part of ['"', '\\"', '"\\', " ", ";", ",", "=", 'a="'])
    for (const [before, after] of [
      ["", ""],
      ["fault=429;", "!"],
      ['fault="', '"'],
      ["fault=", "x y"],
    ])
      preferredFaults(`${before}${part.repeat(200_000)}${after}`);
  expect(preferredFaults('a="b, fault=500", fault="4\\29" ; retryAfterSeconds = 7')).toMatchObject({
    faults: [{ fault: "429", retryAfterSeconds: 7 }],
  });
});

test("unknown preferences are ignored, and an unknown fault is refused", async () => {
  await using sandbox = await startSandbox();
  const status = async (prefer: string) => (await sandbox.call("/v1/pets", { headers: { prefer } })).status;
  for (const prefer of [
    "respond-async",
    "return=minimal, wait=10",
    "faulty=500",
    "fault-tolerant=500",
    'note="a, fault=500", wait=1',
    String.raw`note="\", fault=500"`,
    "wait=10; fault=500",
  ])
    expect([prefer, await status(prefer)]).toEqual([prefer, 200]);
  for (const prefer of [
    "return=minimal, FAULT=500, wait=1",
    "fault=500;",
    "fault=500 ; ; ",
    "fault = 500, fault=503",
    String.raw`note="a\"b", fault="\500"`,
  ])
    expect([prefer, await status(prefer)]).toEqual([prefer, 500]);
  const refused: [string, string][] = [
    ["fault=501", "`fault` must be one of `400`"],
    ["fault", "`fault` must be one of `400`"],
    ['fault="500, 503"', "`fault` must be one of `400`"],
    ["fault=500; delayMs=1", "`delayMs` belongs to"],
    ["fault=delay; delayMs=0", "`delayMs` must be a whole number"],
    ["fault=delay; delay=5", "`delay=5` is none of `fault`, `delayMs`, `delayMaxMs`, `retryAfterSeconds`"],
  ];
  for (const [prefer, message] of refused) {
    const response = await sandbox.call("/v1/pets", { headers: { prefer } });
    expect(await response.json()).toEqual({
      code: "invalid_header",
      status: 400,
      message: expect.stringContaining(message),
    });
  }
});

test("a page of another origin may ask for a fault, and read that it was applied", async () => {
  await using sandbox = await startSandbox();
  const origin = "https://shop.example.com";
  const response = await fetch(`${sandbox.address}/v1/pets`, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "GET",
      "access-control-request-headers": "prefer",
    },
  });
  expect(response.headers.get("access-control-allow-headers")).toContain("Prefer");
  const faulty = await sandbox.call("/v1/pets", { headers: { origin, prefer: "fault=500" } });
  expect(faulty.headers.get("access-control-expose-headers")).toContain("Preference-Applied");
});
