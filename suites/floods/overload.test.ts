import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { Caller } from "../../test/support/caller.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { Metrics } from "../../test/support/metrics.ts";
import { residentMb } from "../../test/support/processes.ts";
import { serve } from "../../test/support/program.ts";
import { until } from "../../test/support/until.ts";
import { Conversation, type WireResponse } from "../../verify/wire/conversation.ts";
import { mayOpen } from "./open-files.ts";

const onLinux = process.platform === "linux";
const RUNTIME = join(import.meta.dir, "../../bin/runtime");

test("100,000 creates at once, five times, are each stored or refused, and memory stays flat", async () => {
  using folder = temporaryFolder();
  const script = join(import.meta.dir, "./queue-creates.ts");
  await using child = Bun.spawn([RUNTIME, script, join(folder.path, "store.db"), "100000", "5"], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const { overloaded, stored, unasked, lost, residentMb } = JSON.parse(await child.stdout.text());
  expect({ asked: overloaded + stored, unasked, lost }).toEqual({ asked: 500_000, unasked: 0, lost: 0 });
  expect(stored).toBeGreaterThan(0);
  expect(overloaded).toBeGreaterThan(0);
  // 100,000 of these names alone are 100 MB.
  expect(Math.max(...residentMb)).toBeLessThan(250);
});

const WAITING_LARGE = 2400;

/** More than wait for the disk at once, and than go to it together. */
const CONNECTIONS = 11_500;
/** In one step, so that the backlog of the listening socket holds them. */
const CONNECT_AT_ONCE = 250;
const OPEN_FILES = CONNECTIONS + 500;

test.skipIf(!mayOpen(OPEN_FILES))(
  "creates over HTTP beyond the number that may wait for the disk are refused at once, and the others stored",
  async () => {
    using folder = temporaryFolder();
    await using service = await serve({ cwd: folder.path, env: { DATABASE_URL: "sqlite:./store.db" } });
    const caller = new Caller(service);
    expect((await caller.create("before")).status).toBe(201);
    const residentBefore = residentMb(service.pid);
    using connections = new DisposableStack();
    const clients: Conversation[] = [];
    while (clients.length < CONNECTIONS) {
      const some = Array.from({ length: CONNECT_AT_ONCE }, () => Conversation.open(service.address));
      for (const client of await Promise.all(some)) clients.push(connections.use(client));
    }

    using other = new Database(join(folder.path, "store.db"));
    other.run("BEGIN IMMEDIATE");
    const head =
      `POST /v1/pets HTTP/1.1\r\nHost: shop\r\nAuthorization: Bearer ${service.key}\r\n` +
      "Content-Type: application/json\r\n";
    for (const [at, client] of clients.entries()) {
      const body = JSON.stringify({ name: `animal ${at}`, categoryId: at });
      client.send(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
    }
    // Nothing has been written, and yet the first answers come: those that the queue has no room for.
    const answers = clients.map((client) => client.next());
    await Promise.any(answers.map(async (answer) => expectOverloaded(await answer)));
    expect(await caller.names()).toEqual(["before"]);
    other.run("ROLLBACK");

    const stored: string[] = [];
    const doubtful: string[] = [];
    let overloaded = 0;
    for (const [at, answer] of (await Promise.all(answers)).entries()) {
      if (answer?.status === 201) stored.push(`animal ${at}`);
      else if (answer?.body.includes("overloaded")) {
        expectOverloaded(answer);
        overloaded++;
      } else {
        // On a slow machine the lock may be held for longer than a create waits.
        expect(answer?.body).toContain("store_unavailable");
        doubtful.push(`animal ${at}`);
      }
    }
    expect(overloaded).toBeGreaterThan(0);
    expect(stored.length + doubtful.length).toBeGreaterThan(0);
    const names = new Set(await caller.names());
    for (const name of doubtful) names.delete(name);
    expect([...names].sort()).toEqual(["before", ...stored].sort());
    // Some 10 KB a connection, and the queue.
    expect(residentMb(service.pid) - residentBefore).toBeLessThan(400);
    expect(await caller.createInTheEnd("after")).toBe(0);
  },
);

test.if(onLinux)("creates that wait for the disk hold no memory for the rest of their bodies", async () => {
  using folder = temporaryFolder();
  await using service = await serve({
    cwd: folder.path,
    env: { DATABASE_URL: "sqlite:./store.db", WORKERS: "1", METRICS_PORT: "0" },
  });
  const metrics = /"metrics":"([^"]+)"/.exec(service.output())?.[1] ?? "";
  const body = JSON.stringify({ name: "Rex, of the large body", other: "x".repeat(60_000), categoryId: 1 });
  const head = `POST /v1/pets HTTP/1.1\r\nHost: shop\r\nAuthorization: Bearer ${service.key}\r\n`;
  const request = `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const create = async () => {
    using client = await Conversation.open(service.address);
    client.send(request);
    return (await client.next())?.status;
  };
  for (let round = 0; round < 20; round++) expect(await create()).toBe(201);
  const before = residentMb(service.pid);
  using other = new Database(join(folder.path, "store.db"));
  other.run("BEGIN IMMEDIATE");
  let answered = 0;
  const creating = Array.from({ length: WAITING_LARGE }, () => create().finally(() => answered++));
  // A create waits for 7 s at most: on a slow machine some are answered before the last one has come.
  const waiting = async () => (await Metrics.at(metrics)).sum("animal_store_write_queue_length");
  await until(async () => answered > 0 || (await waiting()) > WAITING_LARGE - 1100);
  const grownMb = residentMb(service.pid) - before;
  other.run("ROLLBACK");
  for (const status of await Promise.all(creating)) expect([201, 503]).toContain(status ?? 0);
  // Their bodies have 144 MB.
  expect(grownMb < 80 || grownMb).toBe(true);
});

function expectOverloaded(answer: WireResponse | undefined): void {
  expect(JSON.parse(answer?.body ?? "")).toEqual({
    code: "overloaded",
    message: expect.stringContaining("Nothing was stored"),
    status: 503,
  });
  expect(answer?.headers.get("retry-after")).toMatch(/^[1-9][0-9]*$/);
}
