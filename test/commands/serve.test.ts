import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { API_KEY_PATTERN } from "../../src/domain/api-key.ts";
import { Child } from "../../verify/child.ts";
import { Conversation } from "../../verify/wire/conversation.ts";
import { type TemporaryFolder, temporaryFolder } from "../support/folder.ts";
import { freePort } from "../support/free-port.ts";
import { PROGRAM, run, type ServiceProcess, serve, TIED } from "../support/program.ts";
import { createStore, folderWithStore } from "../support/store-place.ts";

type Line = Readonly<Record<string, unknown>>;

const PRINT = ["--first-key", "print"];

/** The log so far. */
function linesOf(service: ServiceProcess): Line[] {
  return service
    .output()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** Waits for the line about the first key. */
async function keyLine(
  service: ServiceProcess,
): Promise<Line & { readonly key: string; readonly msg: string }> {
  await service.says("try it");
  return linesOf(service).find((line) => line.key !== undefined) as Awaited<ReturnType<typeof keyLine>>;
}

async function keysIn(folder: TemporaryFolder): Promise<unknown[]> {
  const { stdout } = await run(["keys", "list", "--json"], { cwd: folder.path });
  return JSON.parse(stdout);
}

function statusOf(service: ServiceProcess, key = service.key): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  return fetch(`${service.address}/v1/pets`, { headers }).then(({ status }) => status);
}

/** A port that somebody else listens on. */
function takenPort(): Disposable & { readonly port: number } {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  return { port: server.port, [Symbol.dispose]: () => server.stop(true) };
}

describe("a start on an empty store, with its output in a log,", () => {
  test("prints JSON lines: the address, that of the docs, one key, and a curl line", async () => {
    using folder = temporaryFolder();
    await using service = await serve({ cwd: folder.path }, PRINT);
    const { key, msg } = await keyLine(service);
    const lines = linesOf(service);
    expect(lines).toHaveLength(2);
    const { address } = service;
    const common = { level: "info", environment: "production", time: expect.stringMatching(/^\d{4}-.*Z$/) };
    expect(lines[0]).toEqual({
      ...common,
      address,
      docs: `${address}/docs`,
      version: manifest.version,
      store: expect.stringMatching(/^[0-9a-f]{32}$/),
      msg: `listening on ${address}`,
    });
    expect(lines[1]).toEqual({ ...common, key, msg });
    expect(key).toMatch(API_KEY_PATTERN);
    expect(msg).toEndWith(`curl -H 'Authorization: Bearer ${key}' '${address}/v1/pets'`);
    expect(await statusOf(service, key)).toBe(200);
    expect((await fetch(`${address}/docs`)).status).toBe(200);
    expect(new Set(service.output().match(/as_live_\w+/g))).toEqual(new Set([key]));
    expect(await keysIn(folder)).toHaveLength(1);
  });

  test.each(["warn", "silent"])("the key is printed at LOG_LEVEL=%s, and nothing else", async (level) => {
    using folder = temporaryFolder();
    const before = ["sh", "-c", 'exec "$@" > log', "sh"];
    const env = { LOG_LEVEL: level, PORT: "0" };
    await using shell = Bun.spawn([...TIED, ...before, PROGRAM], {
      cwd: folder.path,
      env: { PATH: process.env.PATH ?? "", ...env },
    });
    const log = join(folder.path, "log");
    while (!existsSync(log) || !readFileSync(log, "utf8").endsWith("\n")) await Bun.sleep(5);
    shell.kill("SIGTERM");
    expect(await shell.exited).toBe(0);
    const lines = readFileSync(log, "utf8").trim().split("\n");
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] as string).key).toMatch(API_KEY_PATTERN);
  });

  test("makes a key for staging if the service is one", async () => {
    using folder = temporaryFolder();
    await using service = await serve({ cwd: folder.path, env: { ENVIRONMENT: "staging" } });
    expect(service.key).toStartWith("as_test_");
    expect(linesOf(service)[0]?.environment).toBe("staging");
    expect(await statusOf(service)).toBe(200);
  });
});

test("prints no key the second time, and the first one still works", async () => {
  using folder = temporaryFolder();
  await using first = await serve({ cwd: folder.path });
  const { key } = first;
  first.kill("SIGTERM");
  await first.exited;
  await using second = await serve({ cwd: folder.path }, PRINT);
  expect(await statusOf(second, key)).toBe(200);
  second.kill("SIGTERM");
  expect(await second.exited).toBe(0);
  expect(second.output()).not.toContain("as_live_");
  expect(await keysIn(folder)).toHaveLength(1);
});

describe("the port", () => {
  test("0 is replaced by a free port, which the log names", async () => {
    using folder = temporaryFolder();
    using other = temporaryFolder();
    await using one = await serve({ cwd: folder.path });
    await using two = await serve({ cwd: other.path });
    expect(one.address).toMatch(/^http:\/\/127\.0\.0\.1:[1-9][0-9]+$/);
    expect(one.address).not.toBe(two.address);
  });

  test("that is taken gets one clear line, and no key is spent on it", async () => {
    using folder = temporaryFolder();
    using taken = takenPort();
    expect(await run(["serve", "--port", String(taken.port)], { cwd: folder.path })).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `animal-store: port ${taken.port} on 127.0.0.1 is in use; choose another with PORT or --port (0 picks a free one).\n`,
    });
    expect(await keysIn(folder)).toEqual([]);
  });

  test.each([
    ["no.such.host.invalid", "0"],
    ["no.such.host.invalid", "18080"],
    ["192.0.2.1", "0"],
  ])("of a host that is not this one, %s, with port %s gets one clear line", async (host, port) => {
    using folder = temporaryFolder();
    expect(await run(["serve", "--port", port, "--host", host], { cwd: folder.path })).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `animal-store: ${host} is not an address of this machine; name one with HOST or --host, for example 127.0.0.1.\n`,
    });
  });
});

describe("FIRST_KEY", () => {
  test("`none` makes no key", async () => {
    using folder = temporaryFolder();
    await using service = await serve({ cwd: folder.path }, ["--first-key", "none"]);
    expect(await keysIn(folder)).toEqual([]);
    expect(service.output()).not.toContain("as_live_");
  });

  describe("a store without a key that works says so at the start, with the command that makes one:", () => {
    /** Starts a service, runs the command that it tells of, and returns the reason and what the new key is given. */
    async function startWithout(
      folder: TemporaryFolder,
      env: Record<string, string> = {},
    ): Promise<[reason: string, status: number]> {
      await using service = await serve({ cwd: folder.path, env }, ["--first-key", "none"]);
      await service.says("make one with: ");
      const line =
        service
          .output()
          .split("\n")
          .find((line) => line.includes("make one with")) ?? "";
      const { level, msg, command } = JSON.parse(line);
      expect(level).toBe("warn");
      const made = await run(command.split(" ").slice(1), { cwd: "/" });
      return [msg.split(";")[0], await statusOf(service, made.stdout.trim())];
    }

    test("no key", async () => {
      using folder = temporaryFolder();
      expect(await startWithout(folder)).toEqual(["the store has no API key", 200]);
    });

    test("keys that have ended", async () => {
      using folder = await folderWithStore();
      await run(["keys", "create", "--name", "x"], { cwd: folder.path });
      await run(["keys", "revoke", "1"], { cwd: folder.path });
      expect(await startWithout(folder)).toEqual(["every API key of the store has ended", 200]);
    });

    test("keys of the other environment, as in a clone of production", async () => {
      using folder = await folderWithStore();
      await run(["keys", "create", "--name", "x"], { cwd: folder.path });
      expect(await startWithout(folder, { ENVIRONMENT: "staging" })).toEqual([
        "every valid API key of the store is for production, and this service is staging",
        200,
      ]);
    });

    test("but says nothing if a key works", async () => {
      using folder = await folderWithStore();
      await run(["keys", "create", "--name", "x"], { cwd: folder.path });
      await using service = await serve({ cwd: folder.path }, ["--first-key", "none"]);
      service.kill("SIGTERM");
      await service.exited;
      expect(service.output()).not.toContain("make one with");
    });
  });

  test("with a path, the key is in a file for its owner alone, in a new folder, and not in the log", async () => {
    using folder = temporaryFolder();
    const before = ["sh", "-c", 'umask 0; exec "$@"', "sh"];
    await using service = await serve({ cwd: folder.path, before }, ["--first-key", "./secrets/deep/key"]);
    await service.says('"msg":"the first API key is in ./secrets/deep/key"');
    const secrets = join(folder.path, "secrets/deep");
    expect(readdirSync(secrets)).toEqual(["key"]);
    expect(statSync(join(secrets, "key")).mode & 0o777).toBe(0o600);
    const text = readFileSync(join(secrets, "key"), "utf8");
    expect(text).toEndWith("\n");
    expect(await statusOf(service, text.trim())).toBe(200);
    expect(service.output()).not.toContain("as_live_");
  });

  test("with a path that has another key, the file stays unchanged if the store has a key already", async () => {
    using folder = temporaryFolder();
    await createStore(`sqlite:${folder.path}/data/animal-store.db`);
    await run(["keys", "create", "--name", "earlier"], { cwd: folder.path });
    await Bun.write(join(folder.path, "first-key"), "something else\n");
    await using service = await serve({ cwd: folder.path });
    expect(service.key).toBe("something else");
    expect(readdirSync(folder.path).sort()).toEqual(["data", "first-key"]);
  });

  test("with a path that cannot be written, the service starts if the store has a key already", async () => {
    using folder = temporaryFolder();
    await createStore(`sqlite:${folder.path}/data/animal-store.db`);
    await run(["keys", "create", "--name", "earlier"], { cwd: folder.path });
    await Bun.write(join(folder.path, "file"), "");
    await using service = await serve({ cwd: folder.path }, ["--first-key", "./file/key"]);
    expect((await fetch(`${service.address}/livez`)).status).toBe(200);
  });

  test("with a path, one of several services that start at once on an empty store writes a key", async () => {
    using folder = temporaryFolder();
    await createStore(`sqlite:${folder.path}/data/animal-store.db`);
    await Promise.all(
      [1, 2, 3].map(async (service) => {
        await using _ = await serve({ cwd: folder.path }, ["--first-key", `./keys/${service}`]);
      }),
    );
    expect(readdirSync(join(folder.path, "keys"))).toHaveLength(1);
    expect(await keysIn(folder)).toHaveLength(1);
  });

  test("with the path of the store, nothing is overwritten", async () => {
    using folder = temporaryFolder();
    const env = { DATABASE_URL: "sqlite:./animals.db", FIRST_KEY: "./animals.db", PORT: "0" };
    const refused = await run(["serve"], { cwd: folder.path, env });
    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      "animal-store: cannot write ./animals.db: ./animals.db-wal is beside it, and SQLite would take that for a part of " +
        "any database of this name; name another file.\n",
    ]);
    expect((await run(["keys", "list", "--json"], { cwd: folder.path, env })).stdout).toBe("[]\n");
  });

  test.each([
    ["./file/key", "EEXIST: file already exists, mkdir './file'."],
    ["./folder", "it is a folder; name a file."],
  ])(
    "a path that cannot be written, %s, stops the start: one clear line, and no key is made",
    async (path, reason) => {
      using folder = temporaryFolder();
      await Bun.write(join(folder.path, "file"), "");
      mkdirSync(join(folder.path, "folder"));
      expect(await run(["serve", "--port", "0", "--first-key", path], { cwd: folder.path })).toEqual({
        exitCode: 1,
        stdout: "",
        stderr: `animal-store: FIRST_KEY: cannot write ${path}: ${reason}\n`,
      });
      expect(await keysIn(folder)).toEqual([]);
      expect(readdirSync(folder.path).sort()).toEqual(["data", "file", "folder"]);
    },
  );
});

describe("a stop signal", () => {
  test.each(["SIGTERM", "SIGINT"] as const)(
    "%s lets the service finish the requests in progress and exit with 0",
    async (signal) => {
      using folder = temporaryFolder();
      await using service = await serve({ cwd: folder.path });
      using create = await halfSentCreate(service);
      service.kill(signal);
      await service.says(`"msg":"stopping on ${signal}"`);
      expect((await create.finish())?.status).toBe(201);
      expect(await service.exited).toBe(0);
      await service.says('"msg":"stopped"');
    },
  );

  test("that is repeated ends the service at once", async () => {
    using folder = temporaryFolder();
    await using service = await serve({ cwd: folder.path }, ["--shutdown-seconds", "3600"]);
    using _create = await halfSentCreate(service);
    service.kill("SIGTERM");
    await service.says('"msg":"stopping on SIGTERM"');
    service.kill("SIGINT");
    expect(await service.exited).toBe(1);
    expect(service.output()).not.toContain('"msg":"stopped"');
  });

  test("ends the service after SHUTDOWN_SECONDS, even if clients stay connected", async () => {
    using folder = temporaryFolder();
    // A fifth of the time is for closing the store: a second, also enough on a busy machine.
    await using service = await serve({ cwd: folder.path }, ["--shutdown-seconds", "5"]);
    using _create = await halfSentCreate(service);
    service.kill("SIGTERM");
    expect(await service.exited).toBe(0);
    await service.says('"msg":"stopped"');
  });
});

/** A create whose service has begun with it, and waits for the last byte of its body. */
async function halfSentCreate(service: ServiceProcess) {
  const body = '{"name":"Rex","categoryId":1}';
  const conversation = await Conversation.open(service.address);
  conversation.send(
    `POST /v1/pets HTTP/1.1\r\nHost: shop\r\nAuthorization: Bearer ${service.key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  // The service has read the head of the request: from here on it has begun.
  expect((await conversation.next())?.status).toBe(100);
  conversation.send(body.slice(0, -1));
  return {
    async finish() {
      conversation.send(body.slice(-1));
      return await conversation.next();
    },
    [Symbol.dispose]: () => conversation[Symbol.dispose](),
  };
}

test("output without a reader does not end the service", async () => {
  using folder = temporaryFolder();
  const before = ["sh", "-c", 'exec "$@" > /dev/full', "sh"];
  const port = freePort();
  await using service = Bun.spawn(
    [...TIED, ...before, PROGRAM, "--port", `${port}`, "--log-level", "debug"],
    { cwd: folder.path, env: { PATH: process.env.PATH ?? "" }, stderr: "pipe" },
  );
  const live = () => fetch(`http://127.0.0.1:${port}/livez`).then(({ status }) => status);
  while ((await live().catch(() => 0)) !== 200) await Bun.sleep(20);
  expect(await live()).toBe(200);
  service.kill("SIGTERM");
  expect(await service.exited).toBe(0);
  expect(await new Response(service.stderr).text()).toBe("");
});

test("environment variables of other programs are ignored; a misspelled setting is logged as a warning", async () => {
  using folder = temporaryFolder();
  const env = { WORKER: "2", host: "elsewhere", DATABSE_URL: "sqlite:./a.db" };
  await using service = await serve({ cwd: folder.path, env });
  expect((await fetch(`${service.address}/livez`)).status).toBe(200);
  await service.says("DATABSE_URL in the environment is not a setting; did you mean DATABASE_URL?");
  expect(
    service
      .output()
      .split("\n")
      .find((line) => line.includes("DATABSE_URL")),
  ).toContain('"level":"warn"');
});

test("LOG_FORMAT=pretty writes for people, also without a terminal", async () => {
  using folder = temporaryFolder();
  const env = { LOG_FORMAT: "pretty", FIRST_KEY: "none", PORT: "0" };
  await using child = new Child([PROGRAM, "serve"], {
    cwd: folder.path,
    env: { PATH: process.env.PATH, ...env },
  });
  await child.says("Make one with");
  const shown = child.output;
  expect(shown).toContain("is running. Ctrl+C stops it.");
  expect(shown).not.toContain('{"level"');
});
