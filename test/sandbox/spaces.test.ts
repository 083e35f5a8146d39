import { beforeEach, describe, expect, test } from "bun:test";
import { Journal } from "../../sandbox/journal.ts";
import { JournalMemory } from "../../sandbox/journal-memory.ts";
import { SANDBOX_KEYS } from "../../sandbox/keys.ts";
import { Space } from "../../sandbox/space.ts";
import { Spaces } from "../../sandbox/spaces.ts";
import { isApiKey } from "../../src/domain/api-key.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { until } from "../support/until.ts";

interface MadeSpace {
  readonly space: string;
  readonly keys: readonly { readonly name: string; readonly key: string }[];
}

const JSON_TYPE = { "content-type": "application/json" };

/** A space of its own, called with its first key. */
async function space(sandbox: TestSandbox) {
  const response = await sandbox.control("POST", "/spaces");
  expect(response.status).toBe(201);
  const { space: id, keys } = (await response.json()) as MadeSpace;
  const [{ key } = { key: "" }] = keys;
  const authorization = `Bearer ${key}`;
  return {
    id,
    keys,
    call: (path: string, headers: Record<string, string> = {}, signal?: AbortSignal) =>
      fetch(sandbox.address + path, { headers: { authorization, ...headers }, ...(signal && { signal }) }),
    create: (headers: Record<string, string> = {}) =>
      fetch(`${sandbox.address}/v1/pets`, {
        method: "POST",
        headers: { authorization, ...JSON_TYPE, ...headers },
        body: '{"name":"Rex","categoryId":1}',
      }),
    control: (method: string, path: string, body?: unknown) =>
      fetch(`${sandbox.address}/_sandbox${path}`, {
        method,
        headers: { authorization, ...JSON_TYPE },
        body: body === undefined ? null : JSON.stringify(body),
      }),
  };
}

const count = async (response: Response) => ((await response.json()) as unknown[]).length;

test("a space has the same animals, and keys of its own with the names and scopes of the fixed ones", async () => {
  await using sandbox = await startSandbox();
  const own = await space(sandbox);
  const alike = ({ key: _, ...rest }: { key: string }) => rest;
  expect(own.keys.map(alike)).toEqual(SANDBOX_KEYS.map(alike) as object[]);
  for (const { key } of own.keys) {
    expect(isApiKey(key)).toBe(true);
    expect(SANDBOX_KEYS.some((fixed) => fixed.key === key)).toBe(false);
  }
  expect(await (await own.call("/v1/pets?limit=100")).json()).toEqual(
    await (await sandbox.call("/v1/pets?limit=100")).json(),
  );
  const statuses = await Promise.all(
    own.keys.map(
      async ({ key }) => (await own.call("/v1/orders", { authorization: `Bearer ${key}` })).status,
    ),
  );
  expect(statuses).toEqual([200, 200, 200, 403, 403, 401, 401]);
});

describe("what happens in one space is never noticed in another", () => {
  test("neither its animals, nor its Idempotency-Keys, nor its events", async () => {
    await using sandbox = await startSandbox();
    const [one, other] = [await space(sandbox), await space(sandbox)];
    const stream = await other.call("/v1/events", { accept: "text/event-stream" });
    const reader = stream.body?.getReader();
    for (const each of [one, one]) await each.create({ "idempotency-key": "rex" });
    expect(await (await one.create()).json()).toMatchObject({ id: 26 });
    const created = await other.create({ "idempotency-key": "rex" });
    expect(await created.json()).toMatchObject({ id: 25 });
    expect(created.headers.has("idempotent-replayed")).toBe(false);
    expect(await count(await sandbox.call("/v1/pets?limit=100"))).toBe(24);
    let heard = "";
    while (!heard.includes('"animal":{"id":25,'))
      heard += new TextDecoder().decode((await reader?.read())?.value);
    expect(heard).not.toContain('"animal":{"id":26,');
    await reader?.cancel();
  });

  test("neither its faults, nor its clock, nor its journal, nor its reset", async () => {
    await using sandbox = await startSandbox();
    const [one, other] = [await space(sandbox), await space(sandbox)];
    await one.control("PUT", "/faults", { faults: [{ fault: "500" }] });
    await one.control("PUT", "/clock", { now: "2031-01-01" });
    expect((await one.call("/v1/pets")).status).toBe(500);
    expect((await other.call("/v1/pets/1")).status).toBe(200);
    await other.create();
    const { count: seen } = (await (await one.control("GET", "/requests")).json()) as { count: number };
    expect(seen).toBe(1);
    expect((await one.control("POST", "/reset")).status).toBe(204);
    expect((await one.call("/v1/pets/1")).status).toBe(200);
    expect(await count(await other.call("/v1/pets?limit=100"))).toBe(25);
    const requests = await (await other.control("GET", "/requests?operation=createPet")).json();
    expect(requests).toMatchObject({ count: 1, requests: [{ key: "all scopes" }] });
    expect(await (await sandbox.control("GET", "/requests")).json()).toMatchObject({ count: 0 });
  });

  test("neither its open streams, nor its requests in progress, which take no room from it", async () => {
    await using sandbox = await startSandbox({ MAX_REQUESTS: "1" });
    const [one, other] = [await space(sandbox), await space(sandbox)];
    const stream = { accept: "text/event-stream" };
    const streams = [await other.call("/v1/events", stream), await other.call("/v1/events", stream)];
    await other.control("PUT", "/faults", { faults: [{ fault: "delay", delayMs: 60_000 }] });
    const gone = new AbortController();
    const delayed = other.call("/v1/pets", {}, gone.signal).catch(() => undefined);
    await until(async () => {
      const { requests } = (await (await other.control("GET", "/requests?fault=delay")).json()) as {
        requests: unknown[];
      };
      return requests.length === 1;
    });
    expect((await one.call("/v1/pets")).status).toBe(200);
    expect((await other.call("/livez")).status).toBe(200);
    expect(await (await other.call("/v1/nothing")).json()).toMatchObject({ code: "overloaded" });
    gone.abort();
    await delayed;
    await Promise.all(streams.map(({ body }) => body?.cancel()));
  });

  test("not even an open stream or a request in progress notices another's reset", async () => {
    await using sandbox = await startSandbox();
    const [one, other] = [await space(sandbox), await space(sandbox)];
    const slow = other.call("/v1/pets", { prefer: "fault=delay; delayMs=150" });
    const late = one.call("/v1/pets", { prefer: "fault=delay; delayMs=150" });
    await Bun.sleep(20);
    await one.control("POST", "/reset");
    expect((await slow).status).toBe(200);
    expect(await (await late).json()).toMatchObject({ code: "not_ready", status: 503 });
  });
});

test("a deleted space is gone, and its keys with it", async () => {
  await using sandbox = await startSandbox();
  const own = await space(sandbox);
  await own.create();
  const list = async () =>
    ((await (await sandbox.control("GET", "/spaces")).json()) as { spaces: MadeSpace[] }).spaces.map(
      (each) => each.space,
    );
  expect(await list()).toEqual(["first", own.id]);
  expect((await sandbox.control("DELETE", `/spaces/${own.id}`)).status).toBe(204);
  expect(await list()).toEqual(["first"]);
  expect((await own.call("/v1/pets")).status).toBe(401);
  const refusals = [
    [await own.control("POST", "/reset"), 401, "unknown_key"],
    [await sandbox.control("DELETE", `/spaces/${own.id}`), 404, "space_not_found"],
    [await sandbox.control("DELETE", "/spaces/first"), 409, "first_space"],
  ] as const;
  for (const [response, status, code] of refusals)
    expect(await response.json()).toEqual({ code, status, message: expect.any(String) });
});

test("a body that arrives after its space was deleted changes nothing, and gets 401", async () => {
  await using sandbox = await startSandbox();
  const own = await space(sandbox);
  await own.create();
  const { promise: deleted, resolve: send } = Promise.withResolvers<void>();
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode('{"advance":'));
      await deleted;
      controller.enqueue(new TextEncoder().encode('"1s"}'));
      controller.close();
    },
  });
  const headers = { ...JSON_TYPE, authorization: `Bearer ${own.keys[0]?.key}` };
  const late = fetch(`${sandbox.address}/_sandbox/clock`, { method: "PUT", headers, body });
  await Bun.sleep(50);
  expect((await sandbox.control("DELETE", `/spaces/${own.id}`)).status).toBe(204);
  send();
  expect(await (await late).json()).toMatchObject({ code: "unknown_key", status: 401 });
});

test("a space without requests for an hour is removed, and the first space stays", () => {
  const never = () => Promise.reject(new Error("it is not used"));
  const memory = new JournalMemory();
  const others = {
    rateLimit: undefined,
    port: 0,
    calls: undefined,
    operationOf: () => undefined,
    emit() {},
    start: never,
  };
  const spaces = new Spaces((id, keys) => {
    return new Space({ id, keys, ...others, memory, journal: new Journal(() => null, memory) });
  });
  const added = spaces.add() as Space;
  const authorization = `Bearer ${added.keys[0].key}`;
  spaces.removeIdle(3_600_000);
  expect(spaces.choose(authorization)).toMatchObject({ space: added, key: "all scopes" });
  spaces.removeIdle(0);
  expect(spaces.choose(authorization)).toEqual({ space: spaces.first, key: null });
  expect([...spaces]).toEqual([spaces.first]);
  spaces.refuse();
});

describe("a space whose service does not start", () => {
  let starts = 0;
  const memory = new JournalMemory();
  const spaceThatFails = () =>
    new Space({
      id: "failing",
      keys: SANDBOX_KEYS,
      rateLimit: undefined,
      port: 0,
      calls: undefined,
      operationOf: () => undefined,
      emit() {},
      start: () => Promise.reject(new Error(`started ${++starts} times`)),
      memory,
      journal: new Journal(() => null, memory),
    });

  beforeEach(() => {
    starts = 0;
  });

  test("is started again by the next use", async () => {
    const space = spaceThatFails();
    for (let time = 1; time <= 3; time++) {
      await expect(space.clockChanged()).rejects.toThrow(`started ${time} times`);
    }
    await Promise.allSettled([space.begin(), space.begin()]);
    expect(starts).toBe(5);
    await space.end();
  });

  test("is not started by a reset that was on its way when the space was removed", async () => {
    const space = spaceThatFails();
    await space.end();
    await space.reset(new Uint8Array());
    expect(starts).toBe(0);
  });
});

test("there are at most 1000 spaces beside the first", async () => {
  await using sandbox = await startSandbox();
  for (let made = 0; made < 1000; made += 100) {
    const responses = await Promise.all(
      Array.from({ length: 100 }, () => sandbox.control("POST", "/spaces")),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
  }
  const refused = await sandbox.control("POST", "/spaces");
  expect(await refused.json()).toMatchObject({ code: "too_many_spaces", status: 503 });
  expect((await sandbox.call("/v1/pets")).status).toBe(200);
});
