import { describe, expect, test } from "bun:test";
import { offerOf } from "../../mcp/offer.ts";
import { Session } from "../../mcp/session.ts";
import { startSandbox } from "../support/sandbox.ts";
import { HANDSHAKE, startAgent } from "./agent.ts";

const META = "io.modelcontextprotocol/";
const STATELESS = { [`${META}protocolVersion`]: "2026-07-28", [`${META}clientCapabilities`]: {} };

const requestOf = (id: unknown, method: string, params?: unknown) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });

test("a handshake settles on the version that the client asks for, or on the latest with a handshake", async () => {
  await using sandbox = await startSandbox();
  const agent = await startAgent(sandbox);
  for (const [asked, settled] of [
    ["2025-11-25", "2025-11-25"],
    ["2025-06-18", "2025-06-18"],
    ["2024-11-05", "2024-11-05"],
    ["2025-03-26", "2025-11-25"],
    ["1900-01-01", "2025-11-25"],
  ]) {
    const [response] = await agent.exchange(requestOf(1, "initialize", { protocolVersion: asked }));
    expect(response.result).toMatchObject({
      protocolVersion: settled,
      serverInfo: { name: "animal-store", version: "1.2.3" },
      capabilities: { tools: {}, resources: {} },
      instructions: expect.stringContaining("strings of digits"),
    });
  }
  const before = await agent.exchange(requestOf(1, "ping"), requestOf(2, "tools/list"));
  expect(before).toMatchObject([
    { id: 1, result: {} },
    { id: 2, error: { code: -32602, message: expect.stringContaining("initialize") } },
  ]);
});

test("a request that says its version itself needs no handshake", async () => {
  await using sandbox = await startSandbox();
  const agent = await startAgent(sandbox);
  const [discovered, listed, called, pinged] = (
    await agent.exchange(
      requestOf(1, "server/discover", { _meta: STATELESS }),
      requestOf(2, "tools/list", { _meta: STATELESS }),
      requestOf(3, "tools/call", { _meta: STATELESS, name: "getKey" }),
      requestOf(4, "ping", { _meta: STATELESS }),
    )
  ).toSorted((one, other) => one.id - other.id);
  const serverInfo = { name: "animal-store", title: "Animal Store", version: "1.2.3" };
  const common = { resultType: "complete", _meta: { [`${META}serverInfo`]: serverInfo } };
  const cached = { ttlMs: expect.any(Number), cacheScope: "private" };
  expect(discovered.result).toMatchObject({
    ...common,
    ...cached,
    supportedVersions: expect.arrayContaining(["2026-07-28"]),
  });
  expect(listed.result).toMatchObject({ ...common, ...cached, tools: expect.any(Array) });
  expect(called.result).toMatchObject({ ...common, structuredContent: { result: { name: "all scopes" } } });
  expect(pinged.error.code).toBe(-32601);
  const [unsupported, incomplete] = await agent.exchange(
    requestOf(1, "tools/list", { _meta: { ...STATELESS, [`${META}protocolVersion`]: "2027-01-01" } }),
    requestOf(2, "tools/list", { _meta: { [`${META}protocolVersion`]: "2026-07-28" } }),
  );
  expect(unsupported.error).toMatchObject({
    code: -32022,
    data: { requested: "2027-01-01", supported: expect.arrayContaining(["2026-07-28"]) },
  });
  expect(incomplete.error).toMatchObject({
    code: -32602,
    message: expect.stringContaining("clientCapabilities"),
  });
});

describe("a line that is no request gets an error, and the next one its response:", () => {
  const cases: readonly (readonly [name: string, line: string | Uint8Array, code: number, says: RegExp])[] = [
    ["torn JSON", '{"jsonrpc":"2.0","id":1,', -32700, /whole message as JSON in UTF-8/],
    ["no UTF-8", new Uint8Array([0x22, 0xff, 0x22]), -32700, /UTF-8/],
    ["a batch", `[${requestOf(1, "ping")}]`, -32600, /batch/],
    ["a text", '"ping"', -32600, /must be an object/],
    ["another version of JSON-RPC", '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600, /"jsonrpc": "2\.0"/],
    ["an id that is null", requestOf(null, "ping"), -32600, /id of a request must be a string or an integer/],
    ["an id that is a fraction", requestOf(1.5, "ping"), -32600, /id of a request/],
    ["a method that is no text", '{"jsonrpc":"2.0","id":1,"method":7}', -32600, /method/],
    ["params in a list", requestOf(1, "tools/call", ["listPets"]), -32602, /params must be an object/],
    ["a line of more than a megabyte", `"${"x".repeat(1024 * 1024)}"`, -32600, /1048576 bytes/],
    ["a line of 30 MB", "x".repeat(30_000_000), -32600, /1048576 bytes/],
    [
      "an unknown method",
      requestOf(1, "prompts/list"),
      -32601,
      /no method "prompts\/list"; there are tools\/list/,
    ],
    ["a tool without a name", requestOf(1, "tools/call", {}), -32602, /name of the tool/],
    [
      "arguments that are no object",
      requestOf(1, "tools/call", { name: "getKey", arguments: [] }),
      -32602,
      /arguments must be/,
    ],
  ];
  for (const [name, line, code, says] of cases) {
    test(name, async () => {
      await using sandbox = await startSandbox();
      const agent = await startAgent(sandbox);
      const responses = await agent.exchange(HANDSHAKE, line, requestOf("next", "ping"));
      expect(responses).toHaveLength(3);
      const failed = responses.find(({ error }) => error);
      expect(failed.error).toMatchObject({ code, message: expect.stringMatching(says) });
      expect("id" in failed).toBe(code === -32601 || code === -32602 || name.startsWith("a method"));
      expect(responses.find(({ id }) => id === "next").result).toEqual({});
    });
  }
});

test("notifications, responses and empty lines get no response, and an id is echoed to its last digit", async () => {
  await using sandbox = await startSandbox();
  const agent = await startAgent(sandbox);
  const silent = [
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    "",
  ];
  expect(await agent.exchange(...silent, '{"jsonrpc":"2.0","method":"notifications/cancelled"}')).toEqual([]);
  const session = new Session({ tools: new Map(), withheld: new Map(), resources: new Map() } as never, "1");
  const line = new TextEncoder().encode('{"jsonrpc":"2.0","id":9223372036854775807,"method":"ping"}');
  expect(await session.handle(line)).toBe('{"jsonrpc":"2.0","id":9223372036854775807,"result":{}}');
});

/** A call of `listPets` as a line, for which a sandbox takes longer than any test. */
const slowCall = (id: number) => requestOf(id, "tools/call", { name: "listPets" });
const SLOW = { fault: "delay", delayMs: 100_000, operation: "listPets" };

test("a request that is cancelled ends at once, without a response", async () => {
  await using sandbox = await startSandbox();
  await sandbox.plan(SLOW);
  const options = { baseUrl: `${sandbox.address}/v1`, apiKey: sandbox.key, readOnly: false, agent: "test" };
  const session = new Session(await offerOf(options), "1");
  const send = (line: string) => session.handle(new TextEncoder().encode(line));
  await send(HANDSHAKE);
  const called = send(slowCall(7));
  await send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}');
  expect(await called).toBeUndefined();
});

test("what is in progress at the end of the input gets no response", async () => {
  await using sandbox = await startSandbox();
  const agent = await startAgent(sandbox);
  await sandbox.plan(SLOW);
  const responses = await agent.exchange(HANDSHAKE, slowCall(1), requestOf(2, "ping"));
  expect(responses.map(({ id }) => id)).toEqual(["handshake", 2]);
});

test("five hundred requests at once each get their response", async () => {
  await using sandbox = await startSandbox();
  const agent = await startAgent(sandbox);
  const calls = Array.from({ length: 500 }, (_, at) =>
    requestOf(at, "tools/call", { name: "getPet", arguments: { petId: `${(at % 24) + 1}` } }),
  );
  const responses = await agent.exchange(HANDSHAKE, ...calls);
  for (const { id, result } of responses.filter(({ id }) => id !== "handshake")) {
    expect(result.structuredContent.result.id).toBe(`${(id % 24) + 1}`);
  }
  expect(responses).toHaveLength(501);
});
