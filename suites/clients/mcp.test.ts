import { expect, test } from "bun:test";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { PROGRAM } from "../../test/support/program.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { startSandbox, type TestSandbox } from "../../test/support/sandbox.ts";
import { mcpInspector, mcpOpenApi, mcpSdk, NODE_VERSIONS, node } from "./tools.ts";

// biome-ignore lint/suspicious/noExplicitAny: the SDKs are no dependency, so neither are their types
type Sdk = any;

const SDK_1 = "@modelcontextprotocol/sdk@1.32.2";
const SDK_2 = "@modelcontextprotocol/client@2.4.0";

const environmentOf = ({ address, key }: TestSandbox) => ({
  PATH: process.env.PATH ?? "",
  HOME: process.env.HOME ?? "",
  API_KEY: key,
  ANIMAL_STORE_URL: `${address}/v1`,
});

/** Starts a command as an agent's host does; `await using` ends it. */
async function connect(
  line: typeof SDK_1 | typeof SDK_2,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  options: object = {},
): Promise<Sdk> {
  const folder = await mcpSdk(line);
  const [clientFile, transportFile] =
    line === SDK_1 ? ["esm/client/index.js", "esm/client/stdio.js"] : ["index.mjs", "stdio.mjs"];
  const { Client } = (await import(join(folder, clientFile as string))) as Sdk;
  const { StdioClientTransport } = (await import(join(folder, transportFile as string))) as Sdk;
  const client = new Client({ name: "test", version: "1" }, options);
  const [program, ...args] = command;
  await client.connect(new StdioClientTransport({ command: program, args, env, stderr: "ignore" }));
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

const LINES = [
  ["with a handshake, in the SDK's first line", SDK_1, {}, "2025-11-25"],
  [
    "with a handshake, in the SDK's second line",
    SDK_2,
    { versionNegotiation: { mode: "legacy" } },
    "2025-11-25",
  ],
  ["without one", SDK_2, { versionNegotiation: { mode: "auto" } }, "2026-07-28"],
] as const;

for (const [how, line, options, version] of LINES) {
  test(
    `the official client uses every reading tool and every resource, and finds each result as its schema says: ${how}`,
    async () => {
      await using sandbox = await startSandbox();
      await using client: Sdk = await connect(line, [PROGRAM, "mcp"], environmentOf(sandbox), options);
      // The first line shows the version to its transport alone.
      expect(client.getNegotiatedProtocolVersion?.() ?? version).toBe(version);
      // It validates each result against its tool's schema, once it has the list.
      const { tools } = await client.listTools();
      const given: Readonly<Record<string, object>> = {
        getPet: { petId: "1" },
        getOrder: { orderId: "1", include: "pet" },
      };
      const reading = tools.filter(({ annotations }: Sdk) => annotations.readOnlyHint);
      expect(reading.length).toBe(9);
      for (const { name } of reading) {
        const result = await client.callTool({ name, arguments: given[name] ?? {} });
        expect([name, result.isError, typeof result.structuredContent]).toEqual([name, undefined, "object"]);
      }
      const exact = { name: "Rex", categoryId: "-9223372036854775808" };
      const { structuredContent } = await client.callTool({ name: "createPet", arguments: exact });
      expect(structuredContent.result).toMatchObject(exact);
      const { resources } = await client.listResources();
      expect(resources.length).toBeGreaterThan(30);
      for (const { uri } of resources) {
        const { contents } = await client.readResource({ uri });
        expect([uri, contents[0].text.length > 100]).toEqual([uri, true]);
      }
      await expect(client.callTool({ name: "nothing" })).rejects.toThrow("There is no tool");
    },
    LONG_RUN_MS,
  );
}

test(
  "the official inspector lists the tools, and its number past 2^53, which it has rounded, is refused",
  async () => {
    await using sandbox = await startSandbox();
    using folder = temporaryFolder();
    const runtime = await node(NODE_VERSIONS.newest);
    const { API_KEY, ANIMAL_STORE_URL } = environmentOf(sandbox);
    const inspect = (...args: string[]) => {
      const variables = ["-e", `API_KEY=${API_KEY}`, "-e", `ANIMAL_STORE_URL=${ANIMAL_STORE_URL}`];
      const env = { HOME: folder.path, PATH: `${dirname(runtime)}:${process.env.PATH}` };
      return mcpInspector().then((launcher) =>
        runCommand([runtime, launcher, "--cli", ...variables, "--format", "json", PROGRAM, "mcp", ...args], {
          cwd: folder.path,
          env,
        }),
      );
    };
    const { stdout } = await inspect("--method", "tools/list");
    expect(JSON.parse(stdout).result.tools.map(({ name }: Sdk) => name)).toContain("createPet");
    const create = ["--method", "tools/call", "--tool-name", "createPet", "--tool-arg", "name=Rex"];
    // It ends with a status of its own where the result is an error.
    const refused = inspect(...create, "categoryId=9007199254740993");
    await expect(refused).rejects.toThrow(
      /the number 9007199254740992, which is past 2\^53.*as a string of its digits/,
    );
    const { stdout: exact } = await inspect(
      ...create.slice(0, -2),
      "--tool-args-json",
      '{"name":"Rex","categoryId":"9007199254740993"}',
    );
    expect(JSON.parse(exact).result.structuredContent.result.categoryId).toBe("9007199254740993");
  },
  LONG_RUN_MS,
);

test(
  "a generic bridge leaves out what a server's address has after its host, and finds nothing; docs/decisions/0019-agents.md",
  async () => {
    await using sandbox = await startSandbox();
    using folder = temporaryFolder();
    const document = await (await fetch(`${sandbox.address}/openapi.json`)).text();
    const { servers, paths, ...others } = JSON.parse(document);
    const rooted = Object.fromEntries(Object.entries(paths).map(([path, item]) => [`/v1${path}`, item]));
    const documents = {
      "as it is": document,
      "with a slash at the end of the address": document.replace('/v1"', '/v1/"'),
      "with /v1 in each path": JSON.stringify({
        ...others,
        servers: [{ url: sandbox.address }],
        paths: rooted,
      }),
    };
    const found: Record<string, string> = {};
    for (const [how, text] of Object.entries(documents)) {
      await Bun.write(join(folder.path, "openapi.json"), text);
      const spec = [
        "--spec",
        join(folder.path, "openapi.json"),
        "--auth-type",
        "bearer",
        "--auth-token",
        sandbox.key,
      ];
      const bridge = [await node(NODE_VERSIONS.newest), await mcpOpenApi(), ...spec];
      await using client: Sdk = await connect(SDK_1, bridge, environmentOf(sandbox));
      const { content } = await client.callTool({ name: "list_pets", arguments: { limit: 1 } });
      found[how] = content[0].text;
      if (content[0].text.startsWith("HTTP Error")) continue;
      // A page has no way to the next one, an integer arrives as a string, and an integer in a response is rounded.
      expect(found[how]).not.toContain("cursor");
      const given = { name: "Rex", categoryId: "9007199254740993" };
      const { content: refused } = await client.callTool({ name: "create_pet", arguments: given });
      expect(refused[0].text).toStartWith("HTTP Error 400");
      const body = '{"name":"Rex","categoryId":9007199254740993}';
      await sandbox.call("/v1/pets", {
        method: "POST",
        body,
        headers: { "content-type": "application/json" },
      });
      const { content: read } = await client.callTool({ name: "list_pets", arguments: { sort: "-id" } });
      expect(read[0].text).toContain('"categoryId": 9007199254740992');
    }
    expect(servers).toMatchObject([{ url: `${sandbox.address}/v1` }]);
    const nothing = expect.stringContaining("There is nothing at `/pets`");
    expect(found).toEqual({
      "as it is": nothing,
      "with a slash at the end of the address": nothing,
      "with /v1 in each path": expect.stringContaining('"Luna"'),
    });
  },
  LONG_RUN_MS,
);
