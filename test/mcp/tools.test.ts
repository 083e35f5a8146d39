import { expect, test } from "bun:test";
import { ConnectionError } from "../../client/errors.ts";
import { explained } from "../../mcp/tool.ts";
import { SANDBOX_KEYS } from "../../sandbox/keys.ts";
import { ANIMAL_MEMBERS } from "../../src/domain/animal.ts";
import { operationsOffered } from "../../src/operations/catalogue.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startService } from "../support/service.ts";
import { startAgent } from "./agent.ts";

const keyNamed = (name: string) => SANDBOX_KEYS.find((each) => each.name === name)?.key as string;

const OF_SANDBOX = [
  "sandbox_deleteFaults",
  "sandbox_getClock",
  "sandbox_getFaults",
  "sandbox_listRequests",
  "sandbox_planFaults",
  "sandbox_reset",
  "sandbox_resetClock",
  "sandbox_setClock",
];

async function toolsOf(of: Parameters<typeof startAgent>[0], readOnly = false): Promise<string[]> {
  const { result } = await (await startAgent(of, readOnly)).request("tools/list");
  return result.tools.map(({ name }: { name: string }) => name).sort();
}

test("an agent has the operations that its key may use as tools, and with a sandbox its control", async () => {
  await using sandbox = await startSandbox();
  const { address } = sandbox;
  const all = operationsOffered("experimental").map(({ id }) => id);
  expect(await toolsOf(sandbox)).toEqual([...all, ...OF_SANDBOX].sort());
  const pets = { address, key: keyNamed("animals only") };
  const ofPets = operationsOffered("experimental").filter(({ scope }) => !scope || scope.startsWith("pets:"));
  expect(await toolsOf(pets)).toEqual([...ofPets.map(({ id }) => id), ...OF_SANDBOX].sort());
  const { error } = await (await startAgent(pets)).call("placeOrder", { petId: "1" });
  expect(error.message).toStartWith(
    "placeOrder needs a key with the scope orders:write; there are listPets,",
  );
});

test("a service that is no sandbox, or does not say what a key may do, has its operations as tools", async () => {
  const operations = operationsOffered("stable");
  await using service = await startService({ operations });
  expect(await toolsOf(service)).toEqual(operations.map(({ id }) => id).sort());
});

test("with --read-only no tool changes anything", async () => {
  await using sandbox = await startSandbox();
  const reading = operationsOffered("experimental").filter(({ method }) => method === "GET");
  const ofSandbox = ["sandbox_getClock", "sandbox_getFaults", "sandbox_listRequests"];
  expect(await toolsOf(sandbox, true)).toEqual([...reading.map(({ id }) => id), ...ofSandbox].sort());
  const agent = await startAgent(sandbox, true);
  const { error } = await agent.call("createPet", { name: "Rex", categoryId: "1" });
  expect(error.message).toStartWith("createPet changes something, and --read-only is set;");
});

test("an int64 is a string of its digits in both directions, and the schemas say so", async () => {
  await using sandbox = await startSandbox();
  const agent = await startAgent(sandbox);
  for (const categoryId of ["9223372036854775807", "-9223372036854775808", "9007199254740993"]) {
    const { result } = await agent.call("createPet", { name: "Rex", categoryId });
    expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
    const { id } = result.structuredContent.result;
    expect([typeof id, result.structuredContent.result.categoryId]).toEqual(["string", categoryId]);
    const { result: found } = await agent.call("getPet", { petId: id });
    expect(found.structuredContent.result.categoryId).toBe(categoryId);
  }
  const { result } = await agent.request("tools/list");
  const { inputSchema, outputSchema } = result.tools.find(
    ({ name }: { name: string }) => name === "listOrders",
  );
  expect(inputSchema.properties.petId).toEqual({
    type: "string",
    pattern: "^-?[0-9]{1,19}$",
    description: expect.stringContaining("As a string of digits"),
  });
  expect(outputSchema.properties.result.items.properties.pet.properties.id.type).toBe("string");
  expect(JSON.stringify(result)).not.toContain("int64");
});

test("a number past 2^53 is refused with the advice to send a string, and smaller ones are exact", async () => {
  await using sandbox = await startSandbox();
  const agent = await startAgent(sandbox);
  for (const digits of ["9007199254740993", "9007199254740992", "-9223372036854775808", "1e400"]) {
    const { result } = await agent.call("createPet", `{"name":"Rex","categoryId":${digits}}`);
    expect(result).toEqual({
      isError: true,
      content: [
        {
          type: "text",
          text: `\`categoryId\` is the number ${digits}, which is past 2^53 and may have been rounded on its way: send the integer that is meant as a string of its digits, for example "9007199254740993".`,
        },
      ],
    });
  }
  const { result } = await agent.call("createPet", '{"name":"Rex","categoryId":9007199254740991}');
  expect(result.structuredContent.result).toMatchObject({ id: "25", categoryId: "9007199254740991" });
  const limit = await agent.call("listPets", '{"limit":9007199254740993}');
  expect(limit.result.content[0].text).toStartWith("`limit` must be an integer:");
  const deep = await agent.call(
    "sandbox_planFaults",
    '{"faults":[{"fault":"503","count":9007199254740993}]}',
  );
  expect(deep.result.content[0].text).toBe("`faults[0].count` must be an integer.");
});

test("arguments that are wrong are named at once, each with what would be right", async () => {
  await using sandbox = await startSandbox();
  const agent = await startAgent(sandbox);
  const { result } = await agent.call("createPet", { nam: "Rex", categoryId: "1.5", status: 7 });
  expect(result.isError).toBe(true);
  for (const part of [
    `createPet has no argument "nam": it has idempotencyKey, ${Object.keys(ANIMAL_MEMBERS).join(", ")}.`,
    "`name` is missing; it must be a string: The animal's name",
    "`categoryId` must be an integer as a string of digits:",
    "`status` must be one of available, pending, sold:",
  ]) {
    expect(result.content[0].text).toContain(part);
  }
  const { error } = await agent.call("createPets");
  expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("listPets, createPet") });
});

test("a call without arguments may leave them out, or have null", async () => {
  await using sandbox = await startSandbox();
  const agent = await startAgent(sandbox);
  for (const params of ['{"name":"getKey"}', '{"name":"getKey","arguments":null}']) {
    const { result } = await agent.request("tools/call", params);
    expect(result.structuredContent.result.name).toBe("all scopes");
  }
});

test("an error of the service is a result with its code, its status and its advice", async () => {
  await using sandbox = await startSandbox();
  const agent = await startAgent(sandbox);
  const textOf = async (name: string, given: object) =>
    (await agent.call(name, given)).result.content[0].text;
  expect(await textOf("getPet", { petId: "4096" })).toMatch(
    /^animal_not_found \(404\): There is no animal with the id `4096`\. \(request \S+\)$/,
  );
  expect(await textOf("createPet", { name: " ", categoryId: "1" })).toStartWith(
    "invalid_body (400): `name` must",
  );
  expect(await textOf("listPets", { cursor: "x" })).toStartWith("invalid_parameter (400): ");
  expect(await textOf("listOrders", { petId: "0" })).toStartWith("invalid_parameter (400): ");
  expect(await textOf("createPet", { name: "Rex", categoryId: "1", idempotencyKey: "é" })).toBe(
    "idempotencyKey must be printable ASCII without spaces around it",
  );
});

test("a create whose response is lost is repeated by the client, and by an agent with its idempotencyKey", async () => {
  await using sandbox = await startSandbox();
  const agent = await startAgent(sandbox);
  await sandbox.plan({ fault: "lost", operation: "createPet", count: 1 });
  const rex = { name: "Rex", categoryId: "1", idempotencyKey: "rex-1" };
  const { result } = await agent.call("createPet", rex);
  expect(result.structuredContent).toMatchObject({ result: { id: "25" }, replayed: true, attempts: 2 });
  const { result: again } = await agent.call("createPet", rex);
  expect(again.structuredContent).toEqual({ result: result.structuredContent.result, replayed: true });
  const call = { operation: "createPet", requestId: "r", idempotencyKey: "rex-2", attempts: 3 };
  expect(explained(new ConnectionError("no response", call), "createPet")).toBe(
    "no response (after 3 attempts, request r). It may have happened or not: call createPet again with the same arguments and " +
      'idempotencyKey "rex-2", and it happens once.',
  );
});

test("a list is read page by page with nextCursor, and the feed goes on at it", async () => {
  await using sandbox = await startSandbox();
  const agent = await startAgent(sandbox);
  const ids: string[] = [];
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor; isFirst = false) {
    const { result } = await agent.call("listPets", { limit: 10, ...(cursor && { cursor }) });
    ids.push(...result.structuredContent.result.map(({ id }: { id: string }) => id));
    cursor = result.structuredContent.nextCursor;
  }
  expect(ids).toEqual(Array.from({ length: 24 }, (_, at) => `${at + 1}`));
  const latest = await agent.call("listEvents", { from: "latest" });
  const { nextCursor: cursor } = latest.result.structuredContent;
  await agent.call("createPet", { name: "Rex", categoryId: "1" });
  const { result } = await agent.call("listEvents", { cursor });
  expect(result.structuredContent.result).toMatchObject([
    { type: "animal.created", animal: { name: "Rex" } },
  ]);
});

test("the etag of an order lets a change fail that another one came before", async () => {
  await using sandbox = await startSandbox();
  const agent = await startAgent(sandbox);
  const { result } = await agent.call("getOrder", { orderId: "1" });
  const approve = { orderId: "1", status: "approved", ifMatch: result.structuredContent.etag };
  expect((await agent.call("updateOrder", approve)).result.structuredContent.result.status).toBe("approved");
  const { result: late } = await agent.call("updateOrder", { ...approve, status: "delivered" });
  expect(late.content[0].text).toStartWith("precondition_failed (412): ");
});

test("an agent resets its sandbox, sets its clock, plans faults and reads its journal, in the space of its key", async () => {
  await using sandbox = await startSandbox();
  const { address } = sandbox;
  const space = (await (await sandbox.control("POST", "/spaces")).json()) as { keys: { key: string }[] };
  const agent = await startAgent({ address, key: space.keys[0]?.key as string });
  await agent.call("createPet", { name: "Rex", categoryId: "1" });
  const { result: clock } = await agent.call("sandbox_setClock", {
    now: "2030-12-05T00:00:00Z",
    frozen: true,
  });
  expect(clock.structuredContent).toMatchObject({ frozen: true });
  await agent.call("sandbox_planFaults", { faults: [{ fault: "503", operation: "listPets", count: 1 }] });
  expect((await agent.call("listPets")).result.structuredContent.attempts).toBe(2);
  const { result: journal } = await agent.call("sandbox_listRequests", { operation: "listPets", limit: 10 });
  expect(
    journal.structuredContent.requests.map(
      ({ response }: { response: { status: number } }) => response.status,
    ),
  ).toEqual([503, 200]);
  expect((await agent.call("sandbox_reset")).result.content).toEqual([{ type: "text", text: "Done." }]);
  expect(
    (await agent.call("listPets", { sort: "-id", limit: 1 })).result.structuredContent.result[0].id,
  ).toBe("24");
  const wrong = await agent.call("sandbox_planFaults", { faults: [{ fault: "5O3" }] });
  expect(wrong.result).toMatchObject({ isError: true });
  expect(wrong.result.content[0].text).toMatch(/^invalid_body \(400\): .*`faults/);
  // The first space has seen nothing of all this.
  expect(await (await sandbox.control("GET", "/clock")).json()).toMatchObject({ frozen: false });
});

test("the resources are the reference, the errors and the guides, and nothing else can be read", async () => {
  await using sandbox = await startSandbox();
  const agent = await startAgent(sandbox);
  const { result } = await agent.request("resources/list");
  const uris: string[] = result.resources.map(({ uri }: { uri: string }) => uri);
  const { address } = sandbox;
  for (const path of ["/openapi.json", "/docs/reference.md", "/docs/errors.md", "/docs/guides/retries.md"]) {
    const { result } = await agent.request("resources/read", { uri: address + path });
    expect(uris).toContain(address + path);
    expect(result.contents).toEqual([
      {
        uri: address + path,
        mimeType: path.endsWith("json") ? "application/json" : "text/markdown",
        text: await (await fetch(address + path)).text(),
      },
    ]);
  }
  expect(uris).toContain(`${address}/_sandbox/openapi.json`);
  for (const uri of [`${address}/v1/pets`, "file:///etc/passwd", `${address}/docs/../v1/key`, 7]) {
    const { error } = await agent.request("resources/read", { uri });
    expect(error).toMatchObject({ code: -32002, data: { uri } });
  }
});

test("what an agent reads has no API key, even where the stock or a journal has it", async () => {
  await using sandbox = await startSandbox();
  const agent = await startAgent(sandbox);
  // `exchange` throws where a line has the key.
  const { result } = await agent.call("createPet", { name: sandbox.key, categoryId: "1" });
  expect(result.structuredContent.result.name).toBe("(the API key)");
  await agent.call("sandbox_listRequests");
  const { error } = await agent.call(sandbox.key);
  expect(error.message).toStartWith('There is no tool "(the API key)"');
});
