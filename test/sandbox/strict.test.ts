import { expect, test } from "bun:test";
import { SANDBOX_KEYS } from "../../sandbox/keys.ts";
import { ANIMAL_MEMBERS } from "../../src/domain/animal.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";

const strict = () => startSandbox({}, [], undefined, true);
const keyOf = (name: string) => SANDBOX_KEYS.find((key) => key.name === name)?.key ?? "";

async function messageOf(
  sandbox: TestSandbox,
  path: string,
  init: RequestInit = {},
): Promise<[number, string]> {
  const headers = { "content-type": "application/json", ...(init.headers as Record<string, string>) };
  const response = await sandbox.call(path, { ...init, headers });
  return [response.status, ((await response.json()) as { message: string }).message];
}

const post = (body: object) => ({ method: "POST", body: JSON.stringify(body) });

test("a strict sandbox names a query parameter that the operation does not declare", async () => {
  await using sandbox = await strict();
  expect(await messageOf(sandbox, "/v1/pets?statsu=sold")).toEqual([
    400,
    expect.stringMatching(/`statsu` is none of `limit`, .*; the nearest to `statsu` is `status`/),
  ]);
  expect(await messageOf(sandbox, "/v1/pets/1?limit=1")).toEqual([
    400,
    expect.stringContaining("`getPet` has no query parameters"),
  ]);
  expect((await sandbox.call("/v1/pets?limit=2&status=sold")).status).toBe(200);
});

test("a strict sandbox names members of a body that the operation does not declare, and stores nothing", async () => {
  await using sandbox = await strict();
  const [status, message] = await messageOf(
    sandbox,
    "/v1/pets",
    post({ name: "Rex", categoryId: 1, stauts: "sold", id: 7 }),
  );
  expect(status).toBe(400);
  const members = Object.keys(ANIMAL_MEMBERS).map((name) => `\`${name}\``);
  expect(message).toContain(
    `\`stauts\` is none of ${members.join(", ")}; the nearest to \`stauts\` is \`status\``,
  );
  expect(message).toContain("`id` is none of");
  expect((await messageOf(sandbox, "/v1/orders", post({ petId: 1, pet: 1 })))[0]).toBe(400);
  const update = { method: "PATCH", body: '{"status":"approved","note":"x"}' };
  expect((await messageOf(sandbox, "/v1/orders/1", update))[1]).toContain("`note` is none of `status`");
  expect((await messageOf(sandbox, "/v1/pets", post({ categoryId: 1 })))[1]).toContain("`name` is required");
  const created = await sandbox.call("/v1/pets", {
    ...post({ name: "Rex", categoryId: 1 }),
    headers: { "content-type": "application/json" },
  });
  expect(((await created.json()) as { id: number }).id).toBe(25);
});

test("a strict sandbox names a header that nobody declares, and stores nothing", async () => {
  await using sandbox = await strict();
  const rex = post({ name: "Rex", categoryId: 1 });
  for (const [given, meant] of [
    ["Idempotency-Kye", "Idempotency-Key"],
    ["If-None-Mach", "If-None-Match"],
    ["User-Agnet", "User-Agent"],
  ] as const) {
    const [status, message] = await messageOf(sandbox, "/v1/pets", { ...rex, headers: { [given]: "rex-1" } });
    const name = given.toLowerCase();
    expect(status).toBe(400);
    expect(message).toStartWith(`The header \`${name}\` is none of \`Accept\`, `);
    expect(message).toEndWith(`; the nearest to \`${name}\` is \`${meant}\`.`);
  }
  const animals = await sandbox.call("/v1/pets?limit=100", { headers: { "last-event-id": "7" } });
  expect(((await animals.json()) as unknown[]).length).toBe(24);
  const journal = await (await sandbox.control("GET", "/requests?status=400&operation=createPet")).json();
  expect((journal as { requests: { body: string }[] }).requests.map(({ body }) => body)).toEqual(
    Array(3).fill(rex.body),
  );
});

test("a strict sandbox takes the headers that browsers, libraries, tracers and proxies add", async () => {
  await using sandbox = await strict();
  const headers = {
    accept: "application/json, text/plain, */*",
    "accept-encoding": "gzip, deflate, br",
    "accept-language": "en",
    "cache-control": "no-cache",
    cookie: "a=b",
    "idempotency-key": "rex-1",
    origin: "https://shop.example",
    prefer: "return=minimal",
    priority: "u=1, i",
    referer: "https://shop.example/",
    "sec-fetch-mode": "cors",
    "sec-ch-ua-platform": '"Linux"',
    traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "user-agent": "axios/1.13.2",
    via: "1.1 proxy",
    "x-forwarded-for": "192.0.2.1",
    "x-request-id": "7",
    "content-type": "application/json",
  };
  const created = await sandbox.call("/v1/pets", { ...post({ name: "Rex", categoryId: 1 }), headers });
  expect(created.status).toBe(201);
});

test("a strict sandbox refuses the same where a fault slows a request or changes its response", async () => {
  await using sandbox = await strict();
  for (const fault of [
    { fault: "delay", delayMs: 1 },
    { fault: "slow", delayMs: 1 },
    { fault: "rounded_id" },
  ]) {
    await sandbox.plan(fault);
    expect((await messageOf(sandbox, "/v1/pets?statsu=sold"))[1]).toContain("is `status`");
  }
  await sandbox.plan({ fault: "503" });
  expect((await sandbox.call("/v1/pets?statsu=sold")).status).toBe(503);
});

test("a strict sandbox checks the key first, and its document is that of every sandbox", async () => {
  await using sandbox = await strict();
  await using usual = await startSandbox();
  const ask = async (key: string) =>
    (
      await sandbox.call("/v1/pets?statsu=sold", {
        headers: { authorization: `Bearer ${key}`, "x-odd": "1" },
      })
    ).status;
  expect(await ask(keyOf("revoked"))).toBe(401);
  expect(await ask("as_test_unknown")).toBe(401);
  expect(await ask(keyOf("no scopes"))).toBe(403);
  const documents = [sandbox, usual].map(async ({ address }) => {
    const text = await (await fetch(`${address}/openapi.json`)).text();
    return text.replaceAll(address, "");
  });
  expect(await documents[0]).toBe((await documents[1]) ?? "");
});

test("a sandbox that is not strict ignores what it does not know", async () => {
  await using sandbox = await startSandbox();
  expect((await sandbox.call("/v1/pets?statsu=sold", { headers: { "x-odd": "1" } })).status).toBe(200);
  const created = await sandbox.call("/v1/pets", {
    ...post({ name: "Rex", categoryId: 1, id: 7 }),
    headers: { "content-type": "application/json" },
  });
  expect(created.status).toBe(201);
});
