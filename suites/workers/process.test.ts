import { expect, test } from "bun:test";
import { temporaryFolder } from "../../test/support/folder.ts";
import { run, type ServiceProcess, serve } from "../../test/support/program.ts";
import { until } from "../../test/support/until.ts";
import { Conversation } from "../../verify/wire/conversation.ts";

const TWO = { WORKERS: "2" };

/** Connections on which requests are answered, by the worker that answers them. */
async function connectToEach(service: ServiceProcess): Promise<Map<number, Conversation>> {
  const connections = new Map<number, Conversation>();
  for (let count = 0; connections.size < service.workers().length; count++) {
    const connection = await Conversation.open(service.address);
    const id = `probe-${count}`;
    await ask(connection, service, id);
    await service.says(id);
    const line = service
      .output()
      .split("\n")
      .find((line) => line.includes(`"requestId":"${id}"`));
    const { worker } = JSON.parse(line ?? "") as { worker: number };
    if (connections.has(worker)) connection[Symbol.dispose]();
    else connections.set(worker, connection);
  }
  return connections;
}

async function ask(
  connection: Conversation,
  { key }: ServiceProcess,
  requestId = "x",
): Promise<number | undefined> {
  connection.send(
    `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nX-Request-Id: ${requestId}\r\n\r\n`,
  );
  return (await connection.next())?.status;
}

test("a worker that is killed is replaced, and the clients of its sibling notice nothing", async () => {
  using folder = temporaryFolder();
  await using service = await serve({ cwd: folder.path, env: { ...TWO, LOG_LEVEL: "debug" } });
  const connections = await connectToEach(service);
  expect([...connections.keys()].sort()).toEqual([1, 2]);
  expect(JSON.parse(service.output().split("\n")[0] as string)).toMatchObject({ workers: 2 });
  const [one, two] = service.workers() as [number, number];
  process.kill(one, "SIGKILL");
  await service.says('"how":"SIGKILL"');
  const [, dead = ""] = /"worker":(\d),"how":"SIGKILL"/.exec(service.output()) ?? [];
  expect(await connections.get(Number(dead))?.closed()).toBe("");
  connections.delete(Number(dead));
  const [sibling] = connections.values();
  for (let count = 0; count < 20; count++) expect(await ask(sibling as Conversation, service)).toBe(200);

  await service.says(`"msg":"worker ${dead} is replaced"`);
  expect(service.workers()).toContain(two);
  expect(service.workers()).not.toContain(one);
  const again = await connectToEach(service);
  expect([...again.keys()].sort()).toEqual([1, 2]);
  for (const connection of [...connections.values(), ...again.values()]) connection[Symbol.dispose]();
  service.kill("SIGTERM");
  expect(await service.exited).toBe(0);
});

test("all workers killed at once are replaced, on the same port", async () => {
  using folder = temporaryFolder();
  await using service = await serve({ cwd: folder.path, env: TWO });
  const before = service.workers();
  for (const worker of before) process.kill(worker, "SIGKILL");
  await service.says('"msg":"worker 1 is replaced"');
  await service.says('"msg":"worker 2 is replaced"');
  expect(service.workers()).toHaveLength(2);
  const headers = { authorization: `Bearer ${service.key}` };
  expect((await fetch(`${service.address}/v1/pets`, { headers })).status).toBe(200);
});

test("a worker that dies again and again is replaced after a pause", async () => {
  using folder = temporaryFolder();
  await using service = await serve({ cwd: folder.path, env: TWO });
  for (let time = 1; time <= 4; time++) {
    const [oldest = 0] = service.workers();
    process.kill(oldest, "SIGKILL");
    await until(() => service.output().split("is replaced").length > time);
  }
  const pauses = service.output().match(/takes its place (?:at once|in \d+ ms)/g);
  expect(pauses).toContain("takes its place in 100 ms");
});

test("workers end with the process that started them, however that ends", async () => {
  using folder = temporaryFolder();
  await using service = await serve({ cwd: folder.path, env: TWO });
  const workers = service.workers();
  expect(workers).toHaveLength(2);
  process.kill(service.pid, "SIGKILL");
  await until(() => workers.every(hasEnded));
  await expect(Conversation.open(service.address)).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

test("a signal that reaches workers too stops them together with the rest, and loses nothing", async () => {
  using folder = temporaryFolder();
  await using service = await serve({ cwd: folder.path, env: TWO });
  for (const pid of [...service.workers(), service.pid]) process.kill(pid, "SIGINT");
  expect(await service.exited).toBe(0);
  expect(service.output()).not.toContain("another takes its place");
  await service.says('"msg":"stopped"');
});

test("of two services with workers on one port the second says that it is taken", async () => {
  using folder = temporaryFolder();
  await using service = await serve({ cwd: folder.path, env: TWO });
  const { port } = new URL(service.address);
  for (const WORKERS of ["1", "2"]) {
    expect(await run(["serve", "--port", port], { cwd: folder.path, env: { WORKERS } })).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `animal-store: port ${port} on 127.0.0.1 is in use; choose another with PORT or --port (0 picks a free one).\n`,
    });
  }
});

test("auto starts a worker for each processor, and serves in one process where there is one", async () => {
  using folder = temporaryFolder();
  const taskset = Bun.which("taskset");
  await using all = await serve({ cwd: folder.path, env: { WORKERS: "auto" } });
  const processors = Math.min(navigator.hardwareConcurrency, 8);
  expect(all.workers()).toHaveLength(processors === 1 ? 0 : processors);
  if (!taskset) return;
  await using one = await serve({
    cwd: folder.path,
    env: { WORKERS: "auto" },
    before: [taskset, "-c", "0"],
  });
  expect(one.workers()).toEqual([]);
});

test("a worker that was started by hand names the command that starts workers", async () => {
  using folder = temporaryFolder();
  expect(await run(["worker"], { cwd: folder.path })).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: "animal-store: a worker is started by `serve`, with WORKERS or --workers.\n",
  });
});
