import { describe, expect, test } from "bun:test";
import { readMcpOptions } from "../../src/commands/mcp.ts";
import type { ClientEnvironment } from "../../src/config/client-environment.ts";
import { CommandFailure } from "../../src/process/errors.ts";
import { PROGRAM, TIED } from "../support/program.ts";
import { startSandbox } from "../support/sandbox.ts";
import { HANDSHAKE } from "./agent.ts";

/** Runs `mcp` with a text as its whole input. */
async function runMcp(input: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const { PATH = "", HOME = "" } = process.env;
  const child = Bun.spawn([...TIED, PROGRAM, "mcp", ...args], {
    env: { PATH, HOME, ...env },
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { stdout, stderr, exitCode };
}

test("the end of standard input ends the program, which has written nothing but messages", async () => {
  await using sandbox = await startSandbox();
  const call = {
    jsonrpc: "2.0",
    id: 2,
    method: "tools/call",
    params: { name: "getPet", arguments: { petId: "1" } },
  };
  const input = [HANDSHAKE, JSON.stringify(call), "not JSON", ""].join("\n");
  const env = { API_KEY: sandbox.key, ANIMAL_STORE_URL: `${sandbox.address}/v1` };
  const { stdout, stderr, exitCode } = await runMcp(input, [], env);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  const messages = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(messages.map(({ id, error }) => id ?? error.code).sort()).toEqual([-32700, 2, "handshake"]);
  expect(stdout).not.toContain(sandbox.key);
});

test("a service on this machine is asked directly, and no proxy of the network gets the key", async () => {
  await using sandbox = await startSandbox();
  const asked: string[] = [];
  const fetch = ({ url }: Request) => {
    asked.push(url);
    return new Response("the proxy's page", { status: 502 });
  };
  await using proxy = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch });
  const env = { API_KEY: sandbox.key, http_proxy: `${proxy.url}`, no_proxy: "example.com" };
  const { stderr, exitCode } = await runMcp("", ["--url", `${sandbox.address}/v1`], env);
  expect({ stderr, exitCode, asked }).toEqual({ stderr: "", exitCode: 0, asked: [] });
});

test("a service that cannot be used ends the program with one line, which has no key", async () => {
  await using sandbox = await startSandbox();
  const refused = await runMcp("", ["--url", `${sandbox.address}/v1`], { API_KEY: "as_test_wrong" });
  expect(refused).toMatchObject({ exitCode: 1, stdout: "" });
  expect(refused.stderr).toMatch(/^animal-store: http:\S+\/v1 cannot be used: .*API key.*\n$/);
  expect(refused.stderr).not.toContain("as_test_wrong");
  await using other = Bun.serve({ port: 0, fetch: () => new Response("<p>Hello") });
  const foreign = await runMcp("", ["--url", `${other.url}v1`], { API_KEY: sandbox.key });
  expect(foreign).toMatchObject({ exitCode: 1, stdout: "" });
  expect(foreign.stderr).toMatch(/^animal-store: http:\S+\/v1 cannot be used: getKey: .*\n$/);
});

describe("wrong use is refused with what would be right:", () => {
  const KEY = { API_KEY: "as_test_1" };
  const cases: readonly (readonly [
    name: string,
    options: Readonly<Record<string, unknown>>,
    environment: Partial<ClientEnvironment>,
    says: RegExp,
  ])[] = [
    ["no key", { url: "http://127.0.0.1:1/v1" }, {}, /^API_KEY is not set/],
    ["no service", {}, KEY, /--url, or set ANIMAL_STORE_URL/],
    ["an address without version", { url: "http://127.0.0.1:1/" }, KEY, /^--url is .*ends in \/v1/],
    [
      "a variable without version",
      {},
      { ...KEY, ANIMAL_STORE_URL: "here" },
      /^ANIMAL_STORE_URL is .*ends in \/v1/,
    ],
  ];
  for (const [name, options, environment, says] of cases) {
    test(name, () => {
      const read = () => readMcpOptions(options, environment as ClientEnvironment);
      expect(read).toThrow(CommandFailure);
      expect(read).toThrow(says);
    });
  }
});
