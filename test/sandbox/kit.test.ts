import { afterAll, beforeAll, expect, test } from "bun:test";
import type { RunningSandbox, SandboxSpace } from "../../bin/sandbox.cjs";
import { startSandbox } from "../../bin/sandbox.cjs";
import { SECRET, startReceiver } from "../relay/receiver.ts";
import { requiredProgram } from "../support/installed-programs.ts";
import { runCommand } from "../support/run-command.ts";

// What `animal-store/sandbox` gives the tests of a client.

let sandbox: RunningSandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.stop());

const list = ({ baseUrl, apiKey }: SandboxSpace, query = "") =>
  // Bun repeats a request whose connection was used before.
  fetch(`${baseUrl}/pets${query}`, { headers: { authorization: `Bearer ${apiKey}` }, keepalive: false });

function create({ baseUrl, apiKey }: SandboxSpace, idempotencyKey?: string) {
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  return fetch(`${baseUrl}/pets`, {
    method: "POST",
    headers: { ...headers, ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }) },
    body: '{"name":"Rex","categoryId":1}',
  });
}

test("a space has faults and a journal of its own, and is gone with its block", async () => {
  let gone: SandboxSpace;
  {
    await using space = await sandbox.space();
    await using other = await sandbox.space();
    gone = space;
    const [planned] = await space.faults({ operation: "createPet", status: 503, count: 2 });
    expect(planned).toEqual({ operation: "createPet", fault: "503", count: 2, hit: [] });
    const statuses = [];
    for (const each of [space, other, space, space]) statuses.push((await create(each)).status);
    expect(statuses).toEqual([503, 201, 503, 201]);
    expect((await space.requests({ operation: "createPet" })).map(({ id, fault }) => [id, fault])).toEqual([
      [1, { fault: "503", rule: 0 }],
      [2, { fault: "503", rule: 0 }],
      [3, null],
    ]);
    await space.faults({ fault: "lost" });
    await space.faults();
    expect((await list(space)).status).toBe(200);
    await space.reset();
    expect(await space.requests()).toEqual([]);
  }
  expect((await list(gone)).status).toBe(401);
});

test("withSpace ends its space also when what uses it fails", async () => {
  const gone: SandboxSpace[] = [];
  const status = await sandbox.withSpace(async (space) => {
    gone.push(space);
    return (await list(space)).status;
  });
  expect(status).toBe(200);
  const failing = sandbox.withSpace((space) => {
    gone.push(space);
    throw new Error("a failed test");
  });
  await expect(failing).rejects.toThrow("a failed test");
  for (const space of gone) expect((await list(space)).status).toBe(401);
});

test("a space has every kind of key", async () => {
  await using space = await sandbox.space();
  const revoked = space.keys.find(({ state }) => state === "revoked");
  expect(space.keys.map(({ name }) => name)).toEqual(sandbox.keys.map(({ name }) => name));
  expect((await list({ ...space, apiKey: revoked?.key ?? "" })).status).toBe(401);
});

test("the clock of a space can be set, advanced, frozen and released", async () => {
  await using space = await sandbox.space();
  const { clock } = space;
  await clock.freeze();
  expect((await clock.set("2030-12-04T23:59:59Z")).toISOString()).toBe("2030-12-04T23:59:59.000Z");
  expect((await clock.advance("1s")).getTime()).toBe(Date.UTC(2030, 11, 5));
  expect((await clock.set(new Date(Date.UTC(2031, 0, 1)))).toISOString()).toBe("2031-01-01T00:00:00.000Z");
  expect((await clock.now()).getTime()).toBe(Date.UTC(2031, 0, 1));
  await clock.reset();
  expect((await clock.now()).getTime()).toBeLessThan(Date.UTC(2031, 0, 1));
});

test("an expectation that fails shows the requests that it counted, and those that come nearest", async () => {
  await using space = await sandbox.space();
  await space.faults({ fault: "reset", operation: "listPets", count: 1 });
  await create(space, "rex-1");
  await create(space, "rex-2");
  await list(space, "?limit=1").catch(() => {});
  await create(space);
  const filter = { operation: "createPet", idempotencyKey: "rex-1" } as const;
  expect(await space.expectRequests(filter, 1)).toMatchObject([
    { id: 1, body: '{"name":"Rex","categoryId":1}' },
  ]);
  expect(await space.expectRequests({ operation: "createPet" })).toHaveLength(3);
  await expect(space.expectRequests(filter, 2)).rejects.toThrow(
    `expected 2 requests with operation "createPet", idempotencyKey "rex-1", and there was 1
  #1 POST /v1/pets got 201
these come nearest:
  #4 POST /v1/pets got 201: it has no idempotencyKey
  #2 POST /v1/pets got 201: its idempotencyKey is "rex-2"
  #3 GET /v1/pets?limit=1 got no response with the fault reset: its operation is "listPets", it has no idempotencyKey`,
  );
  await expect(space.expectRequests({ status: 404 })).rejects.toThrow(
    /^expected some requests with status "404", and there were none\nthese come nearest:\n {2}#4 /,
  );
  await expect(space.expectRequests({ operation: "placeOrder" }, 1)).rejects.toThrow(
    "expected 1 request with",
  );
  await space.expectRequests({ operation: "placeOrder" }, 0);
});

test("all requests are found, however many there are", async () => {
  await using space = await sandbox.space();
  for (let sent = 0; sent < 1100; sent += 50)
    await Promise.all(Array.from({ length: 50 }, () => list(space)));
  expect((await space.requests({ operation: "listPets" })).map(({ id }) => id)).toEqual(
    Array.from({ length: 1100 }, (_, at) => at + 1),
  );
});

test.each([
  ["a fault that an operation does not declare", { operation: "listPets", status: 409 }, "faults.0.fault"],
  ["a status that is none", { status: 599 }, "faults.0.fault"],
  ["a misspelt member", { fault: "lost", cuont: 1 }, "no other members"],
  ["a fault and a status", { fault: "lost", status: 503 }, "no other members"],
])("%s is refused with what is wrong", async (_what, fault, message) => {
  await using space = await sandbox.space();
  await expect(space.faults(fault as never)).rejects.toThrow(message);
});

test("a filter or a time that makes no sense is refused with what is wrong", async () => {
  await using space = await sandbox.space();
  await expect(space.requests({ operation: "createPets" as never })).rejects.toThrow("is `createPet`");
  await expect(space.clock.set("tomorrow")).rejects.toThrow("RFC 3339");
});

test("a space works in Node", async () => {
  const program = `
const { startSandbox } = require("animal-store/sandbox");
(async () => {
  const sandbox = await startSandbox();
  const space = await sandbox.space();
  await space.faults({ status: 503, count: 1 });
  const ask = () => fetch(space.baseUrl + "/pets", { headers: { authorization: "Bearer " + space.apiKey } });
  console.log((await ask()).status, (await ask()).status, (await space.requests()).length);
  await space.remove();
  await sandbox.stop();
})();`;
  const { stdout } = await runCommand([requiredProgram("node"), "-e", program], { cwd: import.meta.dir });
  expect(stdout).toBe("503 200 2\n");
});

test("a space delivers to a receiver of the test, and shows what became of it", async () => {
  await using space = await sandbox.space();
  using receiver = startReceiver((_, number) => new Response(null, { status: number === 1 ? 400 : 204 }));
  const options = { secret: SECRET, types: ["animal.created"] } as const;
  const target = await space.deliverTo(new URL(receiver.url), options);
  expect(target).toMatchObject({ target: 1, url: receiver.url, timeoutMs: 15_000, ended: null, ...options });
  await space.faults({ fault: "delivery_old_timestamp", event: "animal.created", count: 1 });
  await create(space);
  const found = await space.deliveries({ event: "animal.created", atLeast: 2 });
  expect(found.map(({ attempt, fault, response }) => [attempt, fault?.fault, response?.status])).toEqual([
    [1, "delivery_old_timestamp", 400],
    [2, undefined, 204],
  ]);
  expect(await space.deliveries({ outcome: "failed" })).toEqual(found.slice(0, 1));
  await expect(space.deliveries({ outcome: "failed", atLeast: 2, waitMs: 1 })).rejects.toThrow(
    /at least 2 deliveries, and 1 had ended\n {2}#1 animal.created \d+, attempt 1 with the fault delivery_old_timestamp: got 400$/,
  );
  await expect(space.deliverTo("http://example.com/")).rejects.toThrow("its own machine alone");
});
