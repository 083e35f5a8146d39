import { expect, test } from "bun:test";
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { SANDBOX_KEYS } from "../../sandbox/keys.ts";
import { isApiKey } from "../../src/domain/api-key.ts";
import { sendCurlLine } from "../support/curl-line.ts";
import { temporaryFolder } from "../support/folder.ts";
import { run, type ServiceProcess, sandbox, serve } from "../support/program.ts";
import { until } from "../support/until.ts";

const [{ key: ALL }] = SANDBOX_KEYS;
const JSON_TYPE = { "content-type": "application/json" };

function call({ address }: ServiceProcess, path: string, key: string, init: RequestInit = {}) {
  const headers = { authorization: `Bearer ${key}`, ...JSON_TYPE };
  return fetch(address + path, { headers, ...init });
}

test("a sandbox prints its keys and a command that works, and makes no file", async () => {
  using folder = temporaryFolder();
  await using service = await sandbox({ cwd: folder.path });
  for (const { key } of SANDBOX_KEYS) expect(service.output()).toContain(key);
  const [, example = ""] = /try it: (curl [^"]+)"/.exec(service.output()) ?? [];
  const [first] = (await (await sendCurlLine(example)).json()) as unknown[];
  expect(first).toMatchObject({ id: 1, name: "Luna", categoryId: 1, status: "available" });
  expect(readdirSync(folder.path)).toEqual([]);
  service.kill("SIGTERM");
  expect(await service.exited).toBe(0);
});

test("a sandbox breaks connections, however the program was installed", async () => {
  using folder = temporaryFolder();
  await using service = await sandbox({ cwd: folder.path });
  for (const fault of ["reset", "lost", "cut"]) {
    const headers = { authorization: `Bearer ${ALL}`, prefer: `fault=${fault}` };
    const body = fetch(`${service.address}/v1/pets`, { headers }).then((response) => response.text());
    expect(await body.catch(({ code }) => code)).toBe("ECONNRESET");
  }
});

test("a second signal ends a sandbox at once", async () => {
  using folder = temporaryFolder();
  await using service = await sandbox({ cwd: folder.path });
  const headers = { authorization: `Bearer ${ALL}`, prefer: "fault=delay; delayMs=100000" };
  const waiting = fetch(`${service.address}/v1/pets`, { headers }).catch(() => {});
  await service.says("fault delay");
  service.kill("SIGTERM");
  await service.says("stopping");
  service.kill("SIGTERM");
  expect(await service.exited).toBe(1);
  await waiting;
});

test("a sandbox takes its address from flags alone, so that no configuration of a service publishes its keys", async () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, ".env"), "HOST=0.0.0.0\nPORT=1\n");
  await using service = await sandbox({ cwd: folder.path, env: { HOST: "0.0.0.0", PORT: "1" } });
  expect(service.output()).toContain("http://127.0.0.1:");
  const here = new URL(service.address).port;
  const elsewhere = fetch(`http://127.0.0.2:${here}/v1/pets`, {
    headers: { authorization: `Bearer ${ALL}` },
  });
  expect(elsewhere).rejects.toThrow();
});

test("flags give each space its first faults, and a seed repeats them", async () => {
  using folder = temporaryFolder();
  const statuses = async (seed: string) => {
    const args = [
      "--delay",
      "1-3",
      "--fault",
      "503:0.5",
      "--fault",
      "rounded_id",
      "--fault",
      "delivery_twice:0.5",
      "--seed",
      seed,
      "--strict",
    ];
    await using service = await sandbox({ cwd: folder.path }, args);
    const control = (path: string, init?: RequestInit) => fetch(`${service.address}/_sandbox${path}`, init);
    const planned = async () => ((await (await control("/faults")).json()) as { faults: object[] }).faults;
    expect(await planned()).toEqual([
      { fault: "delay", delayMs: 1, delayMaxMs: 3, seed: Number(seed), hit: [] },
      { fault: "503", probability: 0.5, seed: Number(seed) + 1, hit: [] },
      { fault: "rounded_id", seed: Number(seed) + 2, hit: [] },
      { fault: "delivery_twice", probability: 0.5, seed: Number(seed) + 3, hit: [] },
    ]);
    const seen: number[] = [];
    while (seen.length < 30) seen.push((await call(service, "/v1/pets", ALL)).status);
    await control("/faults", { method: "DELETE" });
    expect((await call(service, "/v1/pets?x=1", ALL)).status).toBe(400);
    await control("/reset", { method: "POST" });
    expect((await planned()).length).toBe(4);
    return seen;
  };
  const first = await statuses("7");
  expect(first.toSorted()[0]).toBe(200);
  expect(first.toSorted()[29]).toBe(503);
  expect(await statuses("7")).toEqual(first);
  expect(await statuses("8")).not.toEqual(first);
});

test.each([
  [["--delay", "0"], "--delay"],
  [["--delay", "300-200"], "--delay"],
  [["--delay", "1s"], "500 or 200-800"],
  [["--fault", "5o3"], "the nearest to `5o3` is `503`"],
  [["--fault", "503:2"], "503:0.1"],
  [["--fault", "503:0.1:0.2"], "503:0.1"],
  [["--seed", "7"], "--delay"],
])("flags for faults that make no sense are refused: %j", async (args, message) => {
  using folder = temporaryFolder();
  const { exitCode, stderr } = await run(["sandbox", ...args], { cwd: folder.path });
  expect(exitCode).toBe(2);
  expect(stderr).toContain(message);
});

test("each key may do what its scopes say, and expired and revoked keys nothing", async () => {
  using folder = temporaryFolder();
  await using service = await sandbox({ cwd: folder.path });
  const animal = { method: "POST", body: '{"name":"Rex","categoryId":1}' };
  const statuses: Record<string, number[]> = {};
  for (const { name, key } of SANDBOX_KEYS) {
    expect(isApiKey(key)).toBe(true);
    const responses = [
      await call(service, "/v1/pets", key),
      await call(service, "/v1/pets", key, animal),
      await call(service, "/v1/orders", key),
      await call(service, "/v1/events", key),
    ];
    statuses[name] = responses.map(({ status }) => status);
  }
  expect(statuses).toEqual({
    "all scopes": [200, 201, 200, 200],
    "another client": [200, 201, 200, 200],
    "read only": [200, 403, 200, 200],
    "animals only": [200, 201, 403, 403],
    "no scopes": [403, 403, 403, 403],
    expired: [401, 401, 401, 401],
    revoked: [401, 401, 401, 401],
  });
});

test("a named store keeps its data, and gets animals and keys only once", async () => {
  using folder = temporaryFolder();
  const args = ["--store", join(folder.path, "shop.db")];
  const seen: unknown[] = [];
  for (let round = 0; round < 2; round++) {
    await using service = await sandbox({ cwd: folder.path }, args);
    seen.push(await (await call(service, "/v1/pets?limit=100", ALL)).json());
    service.kill("SIGTERM");
    await service.exited;
  }
  expect(seen[1]).toEqual(seen[0]);
  expect(existsSync(join(folder.path, "shop.db"))).toBe(true);
});

test("a store whose sandbox was killed during its start is filled again", async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "shop.db");
  writeFileSync(file, "");
  writeFileSync(`${file}-new`, "half a st");
  await using service = await sandbox({ cwd: folder.path }, ["--store", file]);
  const animals = (await (await call(service, "/v1/pets?limit=100", ALL)).json()) as unknown[];
  expect(animals.length).toBe(24);
});

test("two sandboxes do not share a store, whatever path leads to it", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  const file = join(cwd, "shop.db");
  {
    await using service = await sandbox({ cwd }, ["--store", file]);
    symlinkSync(file, join(cwd, "link.db"));
    for (const store of ["./shop.db", "./link.db"]) {
      const { exitCode, stderr } = await run(["sandbox", "--port", "0", "--store", store], { cwd });
      expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/another sandbox uses \S*shop\.db\. /)]);
    }
    expect((await call(service, "/v1/pets", ALL)).status).toBe(200);
    service.kill("SIGKILL");
    await service.exited;
  }
  await using again = await sandbox({ cwd }, ["--store", "./link.db"]);
  expect((await fetch(`${again.address}/_sandbox/reset`, { method: "POST" })).status).toBe(204);
  expect(lstatSync(join(cwd, "link.db")).isSymbolicLink()).toBe(true);
  again.kill("SIGTERM");
  expect(await again.exited).toBe(0);
  expect(readdirSync(cwd).sort()).toEqual(["link.db", "shop.db"]);
});

test("a sandbox that cannot reset ends, and says why", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  await using service = await sandbox({ cwd }, ["--store", "./shop/shop.db"]);
  rmSync(join(cwd, "shop"), { recursive: true });
  writeFileSync(join(cwd, "shop"), "");
  await fetch(`${service.address}/_sandbox/reset`, { method: "POST" }).catch(() => {});
  expect(await service.exited).toBe(1);
  await expect(service.says("what it never says")).rejects.toThrow(/cannot (?:remove|write) \S*shop\.db: /);
});

test("every other command refuses a sandbox's store, and a sandbox refuses the store of a service", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  {
    await using _ = await sandbox({ cwd }, ["--store", "./sandbox.db"]);
    await using __ = await serve({ cwd }, ["--database", "sqlite:./service.db"]);
  }
  const database = ["--database", "sqlite:./sandbox.db"];
  const commands = [
    ["serve", "--port", "0", ...database],
    ["keys", "list", ...database],
    ["keys", "create", "--name", "x", ...database],
    ["animals", "remove", "1", ...database],
    ["seed", "--count", "1", ...database],
    ["export", "-", "--format", "csv", ...database],
    ["backup", "copy.bak", ...database],
    ["migrate", ...database],
    ["events", ...database],
    ["copy", "--from", "sqlite:./sandbox.db", "--to", "sqlite:./copy.db"],
    ["copy", "--from", "sqlite:./service.db", "--to", "sqlite:./sandbox.db"],
  ];
  for (const command of commands) {
    const { exitCode, stdout, stderr } = await run(command, { cwd });
    expect([command.join(" "), exitCode, stdout]).toEqual([command.join(" "), 1, ""]);
    expect(stderr).toMatch(
      /sandbox\.db is a sandbox's store, and its API keys are public: only `animal-store sandbox/,
    );
  }
  const backup = await run(["backup", "service.bak", "--database", "sqlite:./service.db"], { cwd });
  expect(backup.exitCode).toBe(0);
  const onto = await run(["restore", "service.bak", "--force", ...database], { cwd });
  expect([onto.exitCode, onto.stderr]).toEqual([1, expect.stringContaining("is a sandbox's store")]);
  const from = await run(["restore", "sandbox.db", "--database", "sqlite:./restored.db"], { cwd });
  expect([from.exitCode, from.stderr]).toEqual([1, expect.stringContaining("is a sandbox's store")]);
  const given = await run(["sandbox", "--port", "0", "--store", "./service.db"], { cwd });
  expect([given.exitCode, given.stderr]).toEqual([
    1,
    expect.stringMatching(
      /service\.db is the store of a service, and a sandbox would give it public API keys/,
    ),
  ]);
});

test("serve knows nothing of the sandbox: neither its paths, nor its keys, nor Prefer", async () => {
  using folder = temporaryFolder();
  await using service = await serve({ cwd: folder.path });
  for (const path of ["/_sandbox", "/_sandbox/faults", "/_sandbox/reset"]) {
    expect((await call(service, path, service.key)).status).toBe(404);
    expect((await call(service, path, service.key, { method: "POST" })).status).toBe(404);
  }
  for (const { key } of SANDBOX_KEYS) expect((await call(service, "/v1/pets", key)).status).toBe(401);
  const headers = { authorization: `Bearer ${service.key}`, prefer: "fault=500" };
  expect((await fetch(`${service.address}/v1/pets`, { headers })).status).toBe(200);
  const preflight = await fetch(`${service.address}/v1/pets`, {
    method: "OPTIONS",
    headers: { origin: "https://shop.example.com", "access-control-request-method": "GET" },
  });
  expect(preflight.headers.get("access-control-allow-headers")).not.toContain("Prefer");
});

test("a port in use, a host of another machine and an invalid path are refused", async () => {
  using folder = temporaryFolder();
  await using service = await sandbox({ cwd: folder.path });
  const before = readdirSync(folder.path);
  const { port } = new URL(service.address);
  const taken = await run(["sandbox", "--port", port], { cwd: folder.path, env: { TMPDIR: folder.path } });
  expect(taken).toMatchObject({
    exitCode: 1,
    stderr: `animal-store: port ${port} on 127.0.0.1 is in use; choose another with PORT or --port (0 picks a free one).\n`,
  });
  expect(readdirSync(folder.path)).toEqual(before);
  const elsewhere = await run(["sandbox", "--host", "nobody.invalid"], { cwd: folder.path });
  expect([elsewhere.exitCode, elsewhere.stderr]).toEqual([
    1,
    expect.stringContaining("nobody.invalid is not an address of this machine"),
  ]);
  for (const path of ["", "./folder/", "sqlite:./shop.db", "postgres://localhost/shop"]) {
    const { exitCode, stderr } = await run(["sandbox", "--store", path], { cwd: folder.path });
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/--store .*must name a file/)]);
  }
});

test.each([
  ["a folder", "mkdir shop", /is a folder; name a file as the store\.$/],
  ["a named pipe", "mkfifo shop", /is not a regular file; name a file as the store\.$/],
  ["a text", "echo Rex > shop", /^animal-store: cannot open .*: file is not a database$/],
])("--store refuses %s in one line", async (_, make, says) => {
  using folder = temporaryFolder();
  expect(Bun.spawnSync(["sh", "-c", make], { cwd: folder.path }).exitCode).toBe(0);
  const { exitCode, stderr } = await run(["sandbox", "--port", "0", "--store", "./shop"], {
    cwd: folder.path,
  });
  expect([exitCode, stderr.trimEnd()]).toEqual([1, expect.stringMatching(says)]);
});

test("the ready file appears with the address and keys once the sandbox serves, and disappears when it ends", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  const file = join(cwd, "ready.json");
  const stale = '{"kind":"animal-store sandbox","address":"http://127.0.0.1:1"}';
  writeFileSync(file, stale);
  const args = ["--ready-file", "./ready.json"];
  await using service = await sandbox({ cwd }, args);
  const text = () => (existsSync(file) ? readFileSync(file, "utf8") : stale);
  await until(() => text() !== stale);
  const ready = JSON.parse(text());
  expect(ready).toEqual({
    kind: "animal-store sandbox",
    address: service.address,
    baseUrl: `${service.address}/v1`,
    control: `${service.address}/_sandbox`,
    pid: service.pid,
    keys: JSON.parse(JSON.stringify(SANDBOX_KEYS)),
  });
  const response = await fetch(`${ready.baseUrl}/pets`, { headers: { authorization: `Bearer ${ALL}` } });
  expect(response.status).toBe(200);
  service.kill("SIGTERM");
  expect(await service.exited).toBe(0);
  expect(existsSync(file)).toBe(false);
});

test("a sandbox that ends leaves the ready file that another has written meanwhile", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  const file = join(cwd, "ready.json");
  const args = ["--ready-file", "./ready.json"];
  const pid = () => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).pid : undefined);
  await using first = await sandbox({ cwd }, args);
  await until(() => pid() === first.pid);
  await using second = await sandbox({ cwd }, args);
  await until(() => pid() === second.pid);
  first.kill("SIGTERM");
  expect(await first.exited).toBe(0);
  expect(pid()).toBe(second.pid);
});

test("a ready file replaces nothing that a sandbox has not written", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  writeFileSync(join(cwd, "package.json"), "{}");
  for (const [name, reason] of [
    ["./package.json", "exists, and no sandbox has written it; name another file."],
    [".", "it is a folder; name a file."],
    ["./none/ready.json", "there is no folder ./none; make it, or name another."],
  ] as const) {
    const { exitCode, stderr } = await run(["sandbox", "--port", "0", "--ready-file", name], { cwd });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(reason)]);
  }
  expect(readFileSync(join(cwd, "package.json"), "utf8")).toBe("{}");
});

test("a sandbox that cannot write its ready file says so and ends", async () => {
  using folder = temporaryFolder();
  // In these folders the system lets nobody make a file.
  const name = process.platform === "linux" ? "/proc/self/ready.json" : "/dev/fd/ready.json";
  const { exitCode, stderr } = await run(["sandbox", "--port", "0", "--ready-file", name], {
    cwd: folder.path,
  });
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`cannot write ${name}: `)]);
});

test("README's request works in a sandbox as it stands", async () => {
  using folder = temporaryFolder();
  await using service = await sandbox({ cwd: folder.path });
  const readme = readFileSync(join(import.meta.dir, "../../README.md"), "utf8");
  const [line = ""] = /^curl -H .* 'http:\/\/127\.0\.0\.1:8080\/v1\/pets'$/m.exec(readme) ?? [];
  const response = await sendCurlLine(line.replace("http://127.0.0.1:8080", service.address));
  expect(await response.json()).toHaveLength(20);
});

test("the guide names every key", async () => {
  const guide = await Bun.file(join(import.meta.dir, "../../docs/guides/sandbox.md")).text();
  const named = [...guide.matchAll(/^\| `(as_test_\w+)` \|/gm)].map(([, key]) => key);
  expect(named).toEqual(SANDBOX_KEYS.map(({ key }) => key));
});
