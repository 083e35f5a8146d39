import { expect, test } from "bun:test";
import { Journal } from "../../sandbox/journal.ts";
import { JournalMemory } from "../../sandbox/journal-memory.ts";
import { SANDBOX_KEYS } from "../../sandbox/keys.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";

const [, , { key: READ_ONLY } = { key: "" }] = SANDBOX_KEYS;
const REX = '{"name":"Rex","categoryId":9223372036854775807}';

interface Shown {
  readonly id: number;
  readonly elapsedMs: number;
  readonly target: string;
  readonly operation: string | null;
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly bodyIsWhole: boolean;
  readonly fault: { readonly fault: string; readonly rule: number | null } | null;
  readonly response: {
    readonly status: number;
    readonly elapsedMs: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | null;
  } | null;
}

interface ShownJournal {
  readonly count: number;
  readonly dropped: number;
  readonly requests: readonly Shown[];
  readonly nearest?: readonly { readonly request: Shown; readonly differs: object }[];
}

async function journal(sandbox: TestSandbox, query = ""): Promise<ShownJournal> {
  const response = await sandbox.control("GET", `/requests${query}`);
  expect(response.status).toBe(200);
  return (await response.json()) as ShownJournal;
}

function create(sandbox: TestSandbox, headers: Record<string, string> = {}) {
  const all = { "content-type": "application/json", ...headers };
  return sandbox.call("/v1/pets", { method: "POST", headers: all, body: REX });
}

test("the journal shows each request in order, with its headers, body, response and fault", async () => {
  await using sandbox = await startSandbox();
  await sandbox.plan(
    { fault: "500", operation: "listOrders" },
    { fault: "lost", operation: "createPet", count: 1 },
  );
  await create(sandbox, { "idempotency-key": "rex-1" }).catch(() => {});
  await create(sandbox, { "idempotency-key": "rex-1", "accept-encoding": "gzip" });
  await sandbox.call("/v1/pets?limit=100", { headers: { "accept-encoding": "gzip" } });
  await sandbox.call("/v1/nothing");
  await sandbox.call("/v1/pets/1", { headers: { prefer: "fault=reset" }, keepalive: false }).catch(() => {});
  const { count, dropped, requests } = await journal(sandbox);
  expect([count, dropped]).toEqual([5, 0]);
  expect(requests.map(({ id, operation, fault }) => [id, operation, fault])).toEqual([
    [1, "createPet", { fault: "lost", rule: 1 }],
    [2, "createPet", null],
    [3, "listPets", null],
    [4, null, null],
    [5, "getPet", { fault: "reset", rule: null }],
  ]);
  const [lost, replayed, list, unknown, reset] = requests as [Shown, Shown, Shown, Shown, Shown];
  expect(lost).toMatchObject({
    method: "POST",
    target: "/v1/pets",
    key: "all scopes",
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    headers: { "content-type": "application/json", "idempotency-key": "rex-1" },
    body: REX,
    bodyIsWhole: true,
    response: {
      status: 201,
      headers: { location: "/v1/pets/25" },
      body: '{"id":25,"name":"Rex","categoryId":9223372036854775807,"status":"available"}',
    },
  });
  expect(replayed.response?.headers).toMatchObject({ "idempotent-replayed": "true" });
  expect(JSON.parse(list.response?.body ?? "").length).toBe(25);
  expect(unknown.response?.status).toBe(404);
  expect(reset.response).toBeNull();
  const times = requests.flatMap(({ elapsedMs, response }) => [elapsedMs, response?.elapsedMs ?? elapsedMs]);
  expect(times).toEqual(times.toSorted((one, other) => one - other));
  const { faults } = (await (await sandbox.control("GET", "/faults")).json()) as { faults: object[] };
  expect(faults).toMatchObject([{ hit: [] }, { hit: [1], count: 0 }]);
});

test.each(["429", "500", "502", "503", "reset"])(
  "the journal has the body of a create that the fault %s kept from the service",
  async (fault) => {
    await using sandbox = await startSandbox();
    await create(sandbox, { prefer: `fault=${fault}` }).catch(() => {});
    const { requests } = await journal(sandbox);
    expect(requests.map(({ body }) => body)).toEqual([REX]);
  },
);

test("a filter selects requests and counts them, however few are shown", async () => {
  await using sandbox = await startSandbox();
  for (const key of ["a", "b", "b"]) await create(sandbox, { "idempotency-key": key });
  await sandbox.call("/v1/pets?limit=1");
  await sandbox.call("/v1/orders", {
    headers: { authorization: `Bearer ${READ_ONLY}`, prefer: "fault=503" },
  });
  await sandbox.call("/v1/orders", { headers: { authorization: "Bearer as_test_unknown" } });
  const found = async (query: string) => {
    const { count, requests } = await journal(sandbox, query);
    return [count, ...requests.map(({ id }) => id)];
  };
  expect(await found("")).toEqual([6, 1, 2, 3, 4, 5, 6]);
  expect(await found("?operation=createPet&idempotencyKey=b")).toEqual([2, 2, 3]);
  expect(await found("?operation=createPet&limit=1")).toEqual([3, 1]);
  expect(await found("?operation=createPet&limit=0")).toEqual([3]);
  expect(await found("?method=GET&after=4")).toEqual([2, 5, 6]);
  expect(await found("?path=/v1/pets&method=GET")).toEqual([1, 4]);
  expect(await found("?key=read%20only")).toEqual([1, 5]);
  expect(await found("?fault=503")).toEqual([1, 5]);
  expect(await found("?status=401")).toEqual([1, 6]);
  expect((await sandbox.control("DELETE", "/requests")).status).toBe(204);
  expect(await found("")).toEqual([0]);
  await sandbox.call("/v1/pets");
  expect(await journal(sandbox)).toMatchObject({ count: 1, dropped: 0, requests: [{ id: 7 }] });
});

test("the journal shows the requests that come nearest to a filter, and in what they differ", async () => {
  await using sandbox = await startSandbox();
  await create(sandbox, { "idempotency-key": "rex-2" });
  await sandbox.call("/v1/pets");
  await create(sandbox);
  await create(sandbox, { "idempotency-key": "rex-1" });
  const nearest = async (count: number) =>
    (await journal(sandbox, `?operation=createPet&idempotencyKey=rex-1&nearest=${count}`)).nearest?.map(
      ({ request, differs }) => [request.id, differs],
    );
  expect(await nearest(9)).toEqual([
    [3, { idempotencyKey: null }],
    [1, { idempotencyKey: "rex-2" }],
    [2, { operation: "listPets", idempotencyKey: null }],
  ]);
  expect(await nearest(1)).toEqual([[3, { idempotencyKey: null }]]);
  expect(await nearest(0)).toBeUndefined();
});

test("the journal shows no API key, wherever the client put it", async () => {
  await using sandbox = await startSandbox();
  const { key } = sandbox;
  await sandbox.call(`/v1/pets?api_key=${key}`, { headers: { "user-agent": `mine (${key})` } });
  await sandbox.call("/v1/pets", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: key, categoryId: 1 }),
  });
  const text = await (await sandbox.control("GET", "/requests")).text();
  expect(text).toContain('"target":"/v1/pets?api_key=as_test_***"');
  expect(text).toContain('"authorization":"Bearer as_test_***"');
  expect(text).not.toContain(key.slice("as_test_".length));
});

test("the journal shows 304s, refused bodies and bodies that are too long", async () => {
  await using sandbox = await startSandbox();
  const etag = (await sandbox.call("/v1/pets")).headers.get("etag") ?? "";
  expect((await sandbox.call("/v1/pets", { headers: { "if-none-match": etag } })).status).toBe(304);
  const post = (body: string) =>
    sandbox.call("/v1/pets", { method: "POST", headers: { "content-type": "application/json" }, body });
  await post('{"name"');
  await post(JSON.stringify({ name: "R".repeat(20_000), categoryId: 1 }));
  const { requests } = await journal(sandbox, "?after=1");
  expect(requests[0]?.response).toMatchObject({ status: 304, body: null, headers: { etag } });
  expect(requests[1]).toMatchObject({ body: '{"name"', bodyIsWhole: true, response: { status: 400 } });
  expect([requests[2]?.body?.length, requests[2]?.bodyIsWhole]).toEqual([16_384, false]);
});

test("a journal keeps the last 10,000 requests, and the bodies of the last 1000", () => {
  const journal = new Journal(() => "createPet", new JournalMemory());
  const request = new Request("http://127.0.0.1/v1/pets", { method: "POST" });
  for (let n = 0; n < 11_050; n++) journal.add(request, "/v1/pets", null).received(Buffer.from(REX));
  const { count, dropped, requests } = journal.find({}, 0, 10_000);
  expect([count, dropped, requests[0]?.id]).toEqual([10_000, 1050, 1051]);
  const bodies = requests.map((entry) => entry.toJSON().body);
  expect(bodies.filter((body) => body === REX).length).toBe(1000);
  expect(bodies.lastIndexOf("")).toBe(8999);
});

test("if the journals of all spaces take too much together, the largest loses its oldest requests", () => {
  const memory = new JournalMemory(100_000);
  const [large, small, ended] = Array.from({ length: 3 }, () => new Journal(() => null, memory)) as [
    Journal,
    Journal,
    Journal,
  ];
  const request = new Request("http://127.0.0.1/v1/pets");
  const add = (journal: Journal, times: number) => {
    for (let time = 0; time < times; time++)
      journal.add(request, "/v1/pets", null).received(Buffer.alloc(1000));
  };
  add(small, 5);
  add(ended, 20);
  ended.end();
  expect(memory.bytes).toBe(small.bytes);
  add(large, 1000);
  expect(memory.bytes).toBeLessThan(103_000);
  expect(memory.bytes).toBe(small.bytes + large.bytes);
  expect(small.find({}, 0, 10)).toMatchObject({ count: 5, dropped: 0 });
  const { count, dropped } = large.find({}, 0, 0);
  expect(count).toBeGreaterThan(30);
  expect(count + dropped).toBe(1000);
  large.clear();
  expect(large.bytes).toBe(0);
});

test("a request that has left the journal no longer counts in its memory", () => {
  const memory = new JournalMemory();
  const journal = new Journal(() => null, memory);
  const entry = journal.add(new Request("http://127.0.0.1/v1/pets"), "/v1/pets", null);
  journal.clear();
  entry.received(Buffer.alloc(1000));
  entry.answered(new Response(), "[]", 0);
  entry.forgetBodies();
  expect([journal.bytes, memory.bytes]).toEqual([0, 0]);
});

test("the journal shows the scheme of other credentials, and not the credentials", async () => {
  await using sandbox = await startSandbox();
  const shown = async (authorization: string) => {
    await sandbox.call("/v1/pets", { headers: { authorization } });
    return (await journal(sandbox)).requests.at(-1)?.headers.authorization;
  };
  expect(await shown("Basic cm9vdDpzZWNyZXQ=")).toBe("Basic ***");
  expect(await shown("Bearer eyJhbGciOiJIUzI1NiJ9.e30.secret")).toBe("Bearer ***");
  expect(await shown("Digest username=root, response=secret")).toBe("Digest ***");
  expect(await shown("secret")).toBe("***");
  expect(await shown(`bearer   ${sandbox.key}`)).toBe("bearer   as_test_***");
});

test.each([
  "?operation=getPet&method=HEAD",
  "?operation=getPet&path=/v1/pets/7",
  "?method=OPTIONS&status=204",
  "?path=/v1",
  "?status=304",
  "?status=502&fault=502",
  "?idempotencyKey=no%20such%20key",
])("a filter that a later request may match is taken before there is one: %s", async (query) => {
  await using sandbox = await startSandbox();
  expect(await journal(sandbox, query)).toEqual({ count: 0, dropped: 0, requests: [] });
});

test.each([
  ["?operaton=createPet", "`operaton` is none of `operation`, `method`"],
  ["?operaton=createPet", "the nearest to `operaton` is `operation`"],
  ["?operation=createPets", "the nearest to `createPets` is `createPet`"],
  ["?fault=5O3", "the nearest to `5O3` is `503`"],
  ["?fault=nope", "`fault` is none of `400`, `401`"],
  ["?status=abc", "`status` is none of `200`, `201`"],
  ["?status=402", "the nearest to `402` is `40"],
  ["?method=FETCH", "`method` is none that exist; the nearest to `FETCH` is"],
  ["?method=post", "the nearest to `post` is `POST`"],
  ["?key=readonly", "the nearest to `readonly` is `read only`"],
  ["?path=/pets", "`path` must be a path below /v1, without a query"],
  ["?path=/v1/pets?limit=1", "`path` must be a path below /v1, without a query"],
  ["?idempotencyKey=%0A", "`idempotencyKey` matches nothing"],
  ["?operation=createPet&method=GET", "`method` matches nothing: `createPet` has POST"],
  ["?operation=getPet&path=/v1/orders/7", "`path` matches nothing: `getPet` has /v1/pets/{petId}"],
  ["?limit=abc", "`limit` must be a whole number from 0 to 1000"],
  ["?limit=", "`limit` must be a whole number from 0 to 1000"],
  ["?limit=1001", "`limit` must be a whole number from 0 to 1000"],
  ["?after=-1", "`after` must be a whole number from 0"],
  ["?status=200&status=201", "`status` must be given once"],
])("a query that makes no sense is refused: %s", async (query, message) => {
  await using sandbox = await startSandbox();
  const response = await sandbox.control("GET", `/requests${query}`);
  expect(await response.json()).toEqual({
    code: "invalid_parameter",
    status: 400,
    message: expect.stringContaining(message),
  });
});

test.each(["?fault=nope", "?status=abc", "?method=POSTPONE", "?zzz=1"])(
  "a name or a value that is near no other gets the list, and no guess: %s",
  async (query) => {
    await using sandbox = await startSandbox();
    const { message } = (await (await sandbox.control("GET", `/requests${query}`)).json()) as {
      message: string;
    };
    expect(message).toMatch(/`\w+` is none of (?:`[\w -]+`, )+`[\w -]+`\.$/);
  },
);
