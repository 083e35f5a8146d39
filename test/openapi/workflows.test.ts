import { expect, test } from "bun:test";
import { lintOpenApi } from "../../scripts/lint-openapi.ts";
import { arazzoDocument } from "../../src/http/openapi/workflows.ts";
import { operationsOffered } from "../../src/operations/catalogue.ts";
import { runWorkflow } from "../support/arazzo.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { startService } from "../support/service.ts";

/** Both documents, as a client fetches them. */
async function documentsOf({ address }: { readonly address: string }) {
  const arazzo = JSON.parse(await (await fetch(`${address}/arazzo.json`)).text());
  const [{ url }] = arazzo.sourceDescriptions;
  return [arazzo, await (await fetch(new URL(url, `${address}/arazzo.json`))).json()] as const;
}

async function runIn(sandbox: TestSandbox, workflow: string, inputs: Record<string, unknown>) {
  return runWorkflow(...(await documentsOf(sandbox)), workflow, inputs, sandbox);
}

async function requestsOf(sandbox: TestSandbox, operation: string): Promise<number> {
  const { count } = (await (await sandbox.control("GET", `/requests?operation=${operation}`)).json()) as {
    count: number;
  };
  return count;
}

test("a linter finds nothing against the workflows, and something against a wrong one", async () => {
  const document = arazzoDocument(operationsOffered("beta"));
  expect(await lintOpenApi(document)).toEqual([]);
  expect(await lintOpenApi(document.replace('"stepId": "approve"', '"stepId": "place"'))).toEqual([
    expect.stringContaining("stepId"),
  ]);
});

test("a service has the workflows of the operations that it offers", async () => {
  const workflowsOf = async (stability: "stable" | "beta") => {
    await using service = await startService({ operations: operationsOffered(stability) });
    const [{ workflows }] = await documentsOf(service);
    return workflows.map(({ workflowId }: { workflowId: string }) => workflowId);
  };
  expect(await workflowsOf("stable")).toEqual(["addOnce", "walkStock"]);
  expect(await workflowsOf("beta")).toEqual(["sellAnimal", "addOnce", "walkStock"]);
});

test("the workflow of a sale sells an animal once, although responses are lost and requests refused", async () => {
  await using sandbox = await startSandbox();
  await sandbox.plan(
    { fault: "lost", operation: "placeOrder", count: 1 },
    { fault: "503", operation: "updateOrder", count: 1 },
    { fault: "lost", operation: "updateOrder", count: 1 },
  );
  const { orderId, soldAt } = await runIn(sandbox, "sellAnimal", { petId: 1n, saleId: "sale-1" });
  expect([orderId, soldAt]).toEqual([5n, expect.stringMatching(/^\d{4}-/)]);
  expect(await (await sandbox.call("/v1/orders?petId=1&include=pet")).json()).toMatchObject([
    { id: 5, status: "delivered", pet: { id: 1, status: "sold" } },
  ]);
  expect([await requestsOf(sandbox, "placeOrder"), await requestsOf(sandbox, "updateOrder")]).toEqual([2, 4]);
  // What the service refuses is not repeated.
  const again = runIn(sandbox, "sellAnimal", { petId: 1n, saleId: "sale-2" });
  await expect(again).rejects.toThrow(/^sellAnimal\.place failed: 409 .*animal_not_available/);
  expect(await requestsOf(sandbox, "placeOrder")).toBe(3);
});

test("the workflow of a create adds an animal once, with the greatest category, although two responses are lost", async () => {
  await using sandbox = await startSandbox();
  await sandbox.plan({ fault: "lost", operation: "createPet", count: 2 });
  const inputs = { name: "Rex", categoryId: 9223372036854775807n, requestName: "rex-1" };
  expect(await runIn(sandbox, "addOnce", inputs)).toEqual({ petId: 25n });
  const stored = await (await sandbox.call("/v1/pets?sort=-id&limit=2")).text();
  expect(stored).toStartWith(
    '[{"id":25,"name":"Rex","categoryId":9223372036854775807,"status":"available"},{"id":24,',
  );
  expect(await requestsOf(sandbox, "createPet")).toBe(4);
});

test("the workflow of a walk visits each animal once, while others are added", async () => {
  await using sandbox = await startSandbox();
  const body = '{"name":"Rex","categoryId":1}';
  const add = () =>
    sandbox.call("/v1/pets", { method: "POST", body, headers: { "content-type": "application/json" } });
  for (let left = 230; left > 0; left--) await add();
  const visited: unknown[] = [];
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor; isFirst = false) {
    const { animals, link } = await runIn(sandbox, "walkStock", cursor ? { cursor } : {});
    visited.push(...(animals as { id: bigint }[]).map(({ id }) => id));
    const target = /<([^>]*)>; rel="next"/.exec(`${link}`)?.[1];
    cursor = target && (new URL(target, sandbox.address).searchParams.get("cursor") ?? undefined);
    await add();
  }
  // The pages after an animal was added have it too.
  expect(visited).toEqual(Array.from({ length: 256 }, (_, at) => BigInt(at + 1)));
});
