import { expect, test } from "bun:test";
import { Caller } from "../../test/support/caller.ts";
import { EventReader } from "../../test/support/event-reader.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { type ServiceProcess, serve } from "../../test/support/program.ts";
import { Conversation, type WireResponse } from "../../verify/wire/conversation.ts";

const CLIENTS = 64;

/** What became of the requests of many clients. */
interface Tally {
  answered: number;
  /** Requests whose connection was made, and ended without an answer. */
  lost: number;
  /** The names of the animals that were acknowledged. */
  readonly stored: string[];
}

/** Asks again and again, on one connection for as long as it lasts or on one each, until none is made any more. */
async function keepAsking(service: ServiceProcess, id: number, reuse: boolean, tally: Tally): Promise<void> {
  const fields =
    `Host: shop\r\nAuthorization: Bearer ${service.key}\r\nContent-Type: application/json\r\n` +
    (reuse ? "" : "Connection: close\r\n");
  for (let count = 0; ; ) {
    const connection = await Conversation.open(service.address).catch((error) => {
      expect(error.code).toBe("ECONNREFUSED");
    });
    if (!connection) return;
    using _ = connection;
    for (let last = false; !last; count++) {
      const name = count % 2 === 0 ? `${id}.${count}` : undefined;
      const body = name ? JSON.stringify({ name, categoryId: 1 }) : "";
      const line = name ? "POST /v1/pets HTTP/1.1" : "GET /v1/pets HTTP/1.1";
      connection.send(`${line}\r\n${fields}Content-Length: ${body.length}\r\n\r\n${body}`);
      const answer = await connection.next();
      if (answer) tally.answered++;
      else tally.lost++;
      if (name && answer?.status === 201) tally.stored.push(name);
      else expect([200, undefined]).toContain(answer?.status);
      last = !reuse || answer === undefined || isLast(answer);
    }
  }
}

function isLast({ headers }: WireResponse): boolean {
  return headers.get("connection") === "close";
}

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  for (const reuse of [true, false]) {
    const how = reuse ? "that keep their connections" : "with a connection for each request";
    test(`${signal} under load loses no request of clients ${how}`, async () => {
      using folder = temporaryFolder();
      const tally: Tally = { answered: 0, lost: 0, stored: [] };
      {
        await using service = await serve({ cwd: folder.path });
        const clients = Array.from({ length: CLIENTS }, (_, id) => keepAsking(service, id, reuse, tally));
        while (tally.answered < 20 * CLIENTS) await Bun.sleep(1);
        service.kill(signal);
        expect(await service.exited).toBe(0);
        await Promise.all(clients);
      }
      expect(tally.lost).toBe(0);
      // And what was answered is there, once.
      await using again = await serve({ cwd: folder.path, env: { FIRST_KEY: "none" } });
      expect((await new Caller(again).names()).sort()).toEqual(tally.stored.sort());
    });
  }
}

const UNFINISHED = {
  "half a head": "GET /v1/pets HTTP/1.1\r\nHost: sh",
  "half a body":
    'POST /v1/pets HTTP/1.1\r\nHost: shop\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\nContent-Length: 30\r\n\r\n{"name"',
  nothing: "",
};

for (const [what, bytes] of Object.entries(UNFINISHED)) {
  test(`a client that has sent ${what} does not hold up a stop beyond its time; a second signal ends it at once`, async () => {
    using folder = temporaryFolder();
    using another = temporaryFolder();
    await using patient = await serve({ cwd: folder.path, env: { SHUTDOWN_SECONDS: "3600" } });
    await using hasty = await serve({ cwd: another.path, env: { SHUTDOWN_SECONDS: "1" } });
    using waiting = await clientThatSends(bytes, patient);
    using client = await clientThatSends(bytes, hasty);
    patient.kill("SIGTERM");
    hasty.kill("SIGTERM");
    expect(await hasty.exited).toBe(0);
    // A connection that has sent nothing may never have reached the service: Linux waits with that for the first byte.
    if (bytes === "") return;
    expect(await client.closed()).toBe("");
    // The other was told first, and is still at it.
    expect(waiting.over).toBe(false);
    patient.kill("SIGTERM");
    expect(await patient.exited).toBe(1);
  });
}

async function clientThatSends(bytes: string, service: ServiceProcess): Promise<Conversation> {
  const client = await Conversation.open(service.address);
  client.send(bytes.replace("KEY", service.key));
  await isServed(service);
  return client;
}

test("a request that arrives completely while the service stops gets its response", async () => {
  using folder = temporaryFolder();
  await using service = await serve({ cwd: folder.path });
  const [head = "", body = ""] = UNFINISHED["half a body"].replace("KEY", service.key).split(/(?={)/);
  using client = await Conversation.open(service.address);
  client.send(head + body);
  await isServed(service);
  service.kill("SIGTERM");
  while (await canConnect(service)) await Bun.sleep(5);
  client.send(':"Rex","categoryId":12}');
  const answer = await client.next();
  expect(answer?.status).toBe(201);
  expect(await client.closed()).toBe("");
  expect(await service.exited).toBe(0);
});

/** Resolves when the service has answered another: what was sent before has been read. */
async function isServed({ address }: ServiceProcess): Promise<void> {
  using other = await Conversation.open(address);
  other.send("GET /livez HTTP/1.1\r\nHost: shop\r\n\r\n");
  expect((await other.next())?.status).toBe(200);
}

async function canConnect({ address }: ServiceProcess): Promise<boolean> {
  const connection = await Conversation.open(address).catch(() => undefined);
  connection?.[Symbol.dispose]();
  return connection !== undefined;
}

for (const workers of ["1", "2"])
  test(`SIGTERM ends each stream of events, with ${workers} workers, so that clients continue elsewhere`, async () => {
    using folder = temporaryFolder();
    const env = { STABILITY: "experimental", WORKERS: workers, SHUTDOWN_SECONDS: "3600" };
    await using service = await serve({ cwd: folder.path, env });
    const path = "/v1/events?from=latest";
    const readers = await Promise.all(
      Array.from({ length: 8 }, () => EventReader.open(service.address, service.key, path)),
    );
    expect(readers.map(({ response }) => response.status)).toEqual(readers.map(() => 200));
    expect((await new Caller(service).create("Rex")).status).toBe(201);
    for (const reader of readers) expect((await reader.next())?.type).toBe("animal.created");
    service.kill("SIGTERM");
    for (const reader of readers) expect(await reader.next()).toBeUndefined();
    expect(await service.exited).toBe(0);
  });
