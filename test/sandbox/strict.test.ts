import { expect, test } from "bun:test";
import { SANDBOX_KEYS } from "../../sandbox/keys.ts";
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
  expect(message).toContain(
    "`stauts` is none of `name`, `categoryId`, `status`; the nearest to `stauts` is `status`",
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

test("a strict sandbox checks the key first, and its document is that of every sandbox", async () => {
  await using sandbox = await strict();
  await using usual = await startSandbox();
  const ask = async (key: string) =>
    (await sandbox.call("/v1/pets?statsu=sold", { headers: { authorization: `Bearer ${key}` } })).status;
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
  expect((await sandbox.call("/v1/pets?statsu=sold")).status).toBe(200);
  const created = await sandbox.call("/v1/pets", {
    ...post({ name: "Rex", categoryId: 1, id: 7 }),
    headers: { "content-type": "application/json" },
  });
  expect(created.status).toBe(201);
});
