import { expect, test } from "bun:test";
import { DECLARED_STATUSES } from "../../sandbox/faults.ts";
import { FAILURE_TABLE } from "../../src/http/response/failure-table.ts";
import { CATALOGUE } from "../../src/operations/catalogue.ts";
import { failuresOf } from "../../src/operations/operation.ts";
import { startSandbox } from "../support/sandbox.ts";

test.each(CATALOGUE.map((operation) => [operation.id, operation] as const))(
  "%s refuses with each status that it declares, and with no other",
  async (id, operation) => {
    await using sandbox = await startSandbox();
    const path = `/v1${operation.path.replace(/\{.*\}/, "77")}`;
    for (const status of DECLARED_STATUSES) {
      const declared = failuresOf(operation).filter((code) => `${FAILURE_TABLE[code].status}` === status);
      const response = await sandbox.call(path, {
        method: operation.method,
        headers: { prefer: `code=${status}` },
      });
      const error = (await response.json()) as { code: string; status: number };
      const planned = await sandbox.control("PUT", "/faults", { faults: [{ fault: status, operation: id }] });
      if (declared.length > 0) {
        expect([response.status, error.status, planned.status]).toEqual([
          Number(status),
          Number(status),
          200,
        ]);
        expect(declared.map(String)).toContain(error.code);
      } else {
        expect([error.code, planned.status]).toEqual(["invalid_header", 400]);
      }
    }
  },
);

test("a declared refusal speaks of the request, and nothing is done", async () => {
  await using sandbox = await startSandbox();
  const refused = async (method: string, path: string, code: string) => {
    const body = method === "POST" ? '{"name":"Rex","categoryId":1,"petId":1}' : null;
    const headers = { prefer: `code=${code}`, "content-type": "application/json" };
    const response = await sandbox.call(path, { method, headers, body });
    return [
      ((await response.json()) as { message: string }).message,
      response.headers.get("www-authenticate"),
    ];
  };
  expect((await refused("GET", "/v1/pets/7", "404"))[0]).toContain("7");
  expect((await refused("GET", "/v1/pets/7", "410"))[0]).toContain("GET /pets");
  expect((await refused("POST", "/v1/pets", "403"))[1]).toContain('scope="pets:write"');
  expect((await refused("POST", "/v1/pets", "401"))[1]).toBe("Bearer");
  await refused("POST", "/v1/orders", "409");
  expect(((await (await sandbox.call("/v1/pets?limit=100")).json()) as unknown[]).length).toBe(24);
  expect(((await (await sandbox.call("/v1/orders")).json()) as unknown[]).length).toBe(4);
});

test("a plan has one operation fail in turn with each of several statuses, and then succeed", async () => {
  await using sandbox = await startSandbox();
  await sandbox.plan(
    ...["403", "503", "409"].map((fault) => ({ fault, operation: "placeOrder", count: 1 })),
    { fault: "409", count: 1 },
  );
  const order = async () =>
    (
      await sandbox.call("/v1/orders", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"petId":1}',
      })
    ).status;
  // A fault without an operation meets only those that declare it.
  expect((await sandbox.call("/v1/pets")).status).toBe(200);
  expect([await order(), await order(), await order(), await order(), await order()]).toEqual([
    403, 503, 409, 409, 201,
  ]);
});
