import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Caller } from "../../test/support/caller.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { startPostgres } from "../../test/support/postgres.ts";
import { type ServiceProcess, serve, TIED } from "../../test/support/program.ts";
import { createStore } from "../../test/support/store-place.ts";
import { until } from "../../test/support/until.ts";
import { Child } from "../../verify/child.ts";
import { Conversation } from "../../verify/wire/conversation.ts";

// A service that may open few files, and clients that take all of them.

const FILES_MAX = 64;
const EXHAUSTED = "no file descriptor is left";
const AVAILABLE = "file descriptors are available again";

const ENGINES: Readonly<Record<string, () => Promise<AsyncDisposable & { readonly url: string }>>> = {
  async SQLite() {
    const folder = temporaryFolder();
    return {
      url: `sqlite:${folder.path}/store.db`,
      [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
    };
  },
  async PostgreSQL() {
    const server = await startPostgres();
    return {
      url: await server.createDatabase(),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  },
};

for (const [engine, create] of Object.entries(ENGINES)) {
  describe(`a service on ${engine} that can open no more files`, () => {
    test("serves its connected clients, and others as soon as descriptors are free", async () => {
      using folder = temporaryFolder();
      await using database = await create();
      await using service = await startWithFewFiles(folder.path, database.url);
      using client = await Conversation.open(service.address);
      expect(await createOn(client, service, "first")).toMatchObject({ status: 201 });

      using crowd = await takeAllFiles(service);
      const waiting = fetch(`${service.address}/livez`);
      await service.says(EXHAUSTED);
      for (let count = 0; count < 50; count++) {
        expect(await ask(client, service, `GET /v1/pets?limit=${1 + count}`)).toMatchObject({ status: 200 });
        expect(await ask(client, service, "GET /readyz")).toMatchObject({ status: 200 });
        expect(await createOn(client, service, `${count}`)).toMatchObject({ status: 201 });
        expect(await ask(client, service, "GET /openapi.json")).toMatchObject({ status: 200 });
        // The page's file was never opened, and cannot be now.
        const page = await ask(client, service, "GET /docs");
        expect(page).toMatchObject({ status: 503 });
        expect(JSON.parse(page.body)).toMatchObject({ code: "overloaded", status: 503 });
        expect(page.headers.get("retry-after")).toMatch(/^[1-9][0-9]*$/);
      }
      crowd[Symbol.dispose]();

      expect((await waiting).status).toBe(200);
      const caller = new Caller(service);
      expect(await caller.names()).toEqual([
        "first",
        ...Array.from({ length: 50 }, (_, count) => `${count}`),
      ]);
      await until(async () => (await caller.get("/docs")).status === 200);
      await service.says(AVAILABLE);
    });

    test("logs that once, and again when it is over", async () => {
      using folder = temporaryFolder();
      await using database = await create();
      await using service = await startWithFewFiles(folder.path, database.url);
      for (let flood = 0; flood < 3; flood++) {
        using _crowd = await takeAllFiles(service);
        await service.says(EXHAUSTED);
      }
      await service.says(AVAILABLE);
      const lines = service.output().trim().split("\n");
      expect(lines.filter((line) => line.includes(EXHAUSTED))).toHaveLength(1);
      expect(lines.filter((line) => line.includes(AVAILABLE))).toHaveLength(1);
      expect(lines.length).toBeLessThan(10);
    });

    test("refuses at most its first creates, until descriptors are free", async () => {
      using folder = temporaryFolder();
      await using database = await create();
      await using service = await startWithFewFiles(folder.path, database.url);
      using client = await Conversation.open(service.address);
      expect(await ask(client, service, "GET /v1/pets")).toMatchObject({ status: 200 });
      const crowd = await takeAllFiles(service);
      // What it opens at its first create may be open already, or not.
      for (let count = 0; count < 20; count++) {
        const { status } = await createOn(client, service, `${count}`);
        expect([201, 503]).toContain(status);
      }
      crowd[Symbol.dispose]();
      await until(async () => (await createOn(client, service, "last")).status === 201);
    });

    test("stops on SIGTERM with exit code 0", async () => {
      using folder = temporaryFolder();
      await using database = await create();
      await using service = await startWithFewFiles(folder.path, database.url);
      using _crowd = await takeAllFiles(service);
      service.kill("SIGTERM");
      expect(await service.exited).toBe(0);
    });
  });
}

// With some of these numbers the runtime ended the process, with others it never found the pages' packages again.
test.each([0, 1, 2, 3, 4, 5])(
  "with %d descriptors left, the pages and the YAML document are refused until more are free",
  async (free) => {
    using folder = temporaryFolder();
    await using service = await startWithFewFiles(folder.path, "sqlite:./store.db");
    using client = await Conversation.open(service.address);
    expect(await ask(client, service, "GET /livez")).toMatchObject({ status: 200 });
    const crowd = await leaveFiles(service, free);
    for (const path of ["/openapi.yaml", "/docs", "/"])
      expect(await ask(client, service, `GET ${path}`)).toMatchObject({ status: 503 });
    crowd[Symbol.dispose]();
    for (const path of ["/openapi.yaml", "/docs", "/"])
      await until(async () => (await ask(client, service, `GET ${path}`)).status === 200);
  },
);

function startWithFewFiles(
  cwd: string,
  url: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess> {
  return serve({
    cwd,
    // Long enough that no idle connection ends by itself during a test.
    env: { DATABASE_URL: url, KEEP_ALIVE_SECONDS: "240", ...env },
    before: ["sh", "-c", `ulimit -n ${FILES_MAX}; exec "$@"`, "sh"],
  });
}

/** Opens connections until the service can open no more; each holds its descriptor until it is disposed of. */
async function takeAllFiles(service: ServiceProcess): Promise<Disposable> {
  const crowd = new DisposableStack();
  const opening = Array.from({ length: FILES_MAX + 20 }, () => Conversation.open(service.address));
  for (const client of await Promise.all(opening)) {
    crowd.use(client).send(requestOf(service, "GET /v1/pets"));
  }
  await until(() => openFiles(service.pid) >= FILES_MAX);
  return crowd;
}

/** Opens connections until the service can open this many files more, whatever it opens and closes meanwhile. */
async function leaveFiles(service: ServiceProcess, free: number): Promise<Disposable> {
  const crowd = new DisposableStack();
  const isReached = () => openFiles(service.pid) >= FILES_MAX - free;
  while (!isReached()) {
    const client = crowd.use(await Conversation.open(service.address));
    client.send(requestOf(service, "GET /v1/pets"));
    let isAccepted = false;
    void client.next().then(() => (isAccepted = true));
    await until(() => isAccepted || isReached());
  }
  return crowd;
}

function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Sends one request on a connection that is open already, and returns its answer. */
async function ask(client: Conversation, service: ServiceProcess, line: string, body = "") {
  client.send(requestOf(service, line, body));
  const answer = await client.next();
  if (!answer) throw new Error("the service has closed the connection");
  return answer;
}

function requestOf({ key }: ServiceProcess, line: string, body = ""): string {
  const about = body ? `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n` : "";
  return `${line} HTTP/1.1\r\nHost: shop\r\nAuthorization: Bearer ${key}\r\n${about}\r\n${body}`;
}

function createOn(client: Conversation, service: ServiceProcess, name: string) {
  return ask(client, service, "POST /v1/pets", JSON.stringify({ name, categoryId: 1 }));
}

test("a scheduled backup that finds no file descriptor is reported, and made later", async () => {
  using folder = temporaryFolder();
  const env = { BACKUP_EVERY: "1s", BACKUP_DIR: "./backups" };
  await using service = await startWithFewFiles(folder.path, "sqlite:./store.db", env);
  const crowd = await takeAllFiles(service);
  await service.says("the backup failed");
  crowd[Symbol.dispose]();
  await service.says("backed up to");
});

test("if the writer thread cannot load code for a worker, that worker is refused at once and the next one served", async () => {
  using folder = temporaryFolder();
  const store = join(folder.path, "store.db");
  await createStore(`sqlite:${store}`);
  const script = join(import.meta.dir, "serve-without-files.ts");
  const limited = ["sh", "-c", `ulimit -n ${FILES_MAX}; exec "$@"`, "sh"];
  const command = [...TIED, ...limited, process.execPath, script, store];
  await using child = new Child(command, { cwd: folder.path, env: process.env });
  const { stdout, stderr } = await child.ended();
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual(["", '{"first":"1"}\n', { tried: true }]);
});

test("a start that finds too few file descriptors listens or ends, and never hangs", async () => {
  using folder = temporaryFolder();
  for (let files = 12; files <= 24; files += 2) {
    const before = ["sh", "-c", 'ulimit -n "$0" && exec "$@"', `${files}`];
    // It rejects when the service ends without listening.
    const started = await serve({ cwd: folder.path, before }).catch(String);
    if (typeof started === "string") expect(started).toContain("ended and did not say");
    else await started[Symbol.asyncDispose]();
  }
});
