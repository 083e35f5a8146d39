import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Conversation } from "../../verify/wire/conversation.ts";
import type { Engine } from "../support/engines.ts";
import { onEveryEngine } from "../support/engines.ts";
import { EventReader } from "../support/event-reader.ts";
import type { Service, ServiceOptions } from "../support/service.ts";
import { until } from "../support/until.ts";
import { change, order, place } from "./contract/orders.ts";

const REX = '{"name":"Rex","categoryId":12}';
const REX_STORED = { name: "Rex", categoryId: 12n, status: "available" } as const;
const STREAM = { accept: "text/event-stream" };

onEveryEngine(({ startService }) => {
  const start: Engine["startService"] = async (options: ServiceOptions = {}) => {
    const service = await startService(options);
    await service.store.recordEvents(true);
    return service;
  };
  const listen = (service: Service, path?: string, headers?: Record<string, string>) =>
    EventReader.open(service.address, service.key, path, headers);

  test("a stream sends the events that pages show, then each change as it is committed", async () => {
    await using service = await start();
    await order(service);
    const pages = (await (await service.call("/v1/events")).json()) as { id: number; type: string }[];
    await using reader = await listen(service);
    expect(Object.fromEntries(reader.response.headers)).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
      vary: "Accept, Origin",
    });
    expect(reader.response.headers.get("etag")).toBeNull();
    for (const { id, type, data } of await reader.take(pages.length)) {
      const event = pages.shift();
      expect([id, type, JSON.parse(data ?? "")]).toEqual([String(event?.id), event?.type, event]);
    }
    await service.create(REX);
    await change(service, 1, "cancelled");
    expect((await reader.take(3)).map(({ type }) => type)).toEqual([
      "animal.created",
      "order.status_changed",
      "animal.status_changed",
    ]);
  });

  test("a stream resumes after Last-Event-ID, even if the URL says otherwise", async () => {
    await using service = await start();
    for (let n = 0; n < 30; n++) await service.create(REX);
    const ids = ((await (await service.call("/v1/events?limit=100")).json()) as { id: number }[]).map(
      ({ id }) => String(id),
    );
    await using reader = await listen(service, "/v1/events?from=latest&limit=2", {
      "last-event-id": ids[4] as string,
    });
    expect((await reader.take(25)).map(({ id }) => id)).toEqual(ids.slice(5));
    await using latest = await listen(service, "/v1/events?from=latest");
    await service.create(REX);
    expect(Number((await latest.next())?.id)).toBeGreaterThan(Number(ids.at(-1)));
    expect(Number((await reader.next())?.id)).toBeGreaterThan(Number(ids.at(-1)));
  });

  test("clients that read from different positions while others write get every event once", async () => {
    await using service = await start();
    for (let n = 0; n < 50; n++) await service.create(REX);
    const before = ((await (await service.call("/v1/events?limit=100")).json()) as { id: number }[]).map(
      ({ id }) => id,
    );
    const writing = Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let n = 0; n < 50; n++)
          await place(service, ((await (await service.create(REX)).json()) as { id: number }).id);
      }),
    );
    const readers = await Promise.all(
      before.slice(0, 40).map((id) => listen(service, "/v1/events", { "last-event-id": String(id) })),
    );
    await writing;
    const all: string[] = [];
    for (let page = "/v1/events?limit=100"; ; ) {
      const answer = await service.call(page);
      const items = (await answer.json()) as { id: number }[];
      if (items.length === 0) break;
      all.push(...items.map(({ id }) => String(id)));
      page = /<([^>]+)>/.exec(answer.headers.get("link") ?? "")?.[1] ?? "";
    }
    expect(all).toHaveLength(50 + 4 * 50 * 3);
    for (const [at, reader] of readers.entries()) {
      const expected = all.slice(at + 1);
      expect((await reader.take(expected.length)).map(({ id }) => id)).toEqual(expected);
      await reader[Symbol.asyncDispose]();
    }
  });

  test("streams that catch up read one after the other, and requests are served in between", async () => {
    await using service = await start();
    const { store } = service;
    const created = 3000;
    await Promise.all(Array.from({ length: created }, () => store.addAnimal(REX_STORED)));
    let turn = 0;
    let isCounting = true;
    setImmediate(function count() {
      turn++;
      if (isCounting) setImmediate(count);
    });
    const readsByTurn = new Map<number, number>();
    const listEvents = store.listEvents.bind(store);
    store.listEvents = (query) => {
      readsByTurn.set(turn, (readsByTurn.get(turn) ?? 0) + 1);
      return listEvents(query);
    };
    const readers = await Promise.all(Array.from({ length: 5 }, () => listen(service)));
    for (const reader of readers) expect(await reader.take(created)).toHaveLength(created);
    isCounting = false;
    // In one turn there may also be a read for those that have caught up, and for requests.
    expect(Math.max(...readsByTurn.values())).toBeLessThanOrEqual(8);
    for (const reader of readers) await reader[Symbol.asyncDispose]();
  });

  test("a stream has the filter of pages, and includes events of orders only with their scope", async () => {
    await using service = await start();
    const { key } = await service.issueKey(["events:read"]);
    await using placed = await listen(service, "/v1/events?type=order.placed");
    await using animals = await EventReader.open(service.address, key);
    await order(service, "cancelled");
    await place(service, 1);
    expect((await placed.take(2)).map(({ type }) => type)).toEqual(["order.placed", "order.placed"]);
    expect((await animals.take(4)).map(({ type }) => type)).toEqual([
      "animal.created",
      "animal.status_changed",
      "animal.status_changed",
      "animal.status_changed",
    ]);
    const refused = await service.call("/v1/events?type=order.placed", {
      headers: { ...STREAM, authorization: `Bearer ${key}` },
    });
    expect(refused.status).toBe(403);
    expect(refused.headers.get("content-type")).toBe("application/json");
  });

  test("a stream ends when its key is revoked, even by another process, and no other stream does", async () => {
    await using service = await start();
    const { id, key } = await service.issueKey(["events:read"]);
    await using revoked = await EventReader.open(service.address, key, "/v1/events?from=latest");
    await using other = await listen(service, "/v1/events?from=latest");
    await service.store.revokeKey(id, Date.now());
    expect(await revoked.next()).toBeUndefined();
    await service.create(REX);
    expect((await other.next())?.type).toBe("animal.created");
  });

  test("a stream ends when its key is revoked between two turns of its request", async () => {
    await using service = await start();
    const { id, key } = await service.issueKey(["events:read"]);
    const findKey = service.store.findKey.bind(service.store);
    service.store.findKey = async (hash) => {
      service.store.findKey = findKey;
      const found = await findKey(hash);
      await service.store.revokeKey(id, Date.now());
      return found;
    };
    await using reader = await EventReader.open(service.address, key);
    expect(reader.response.status).toBe(200);
    expect(await reader.next()).toBeUndefined();
  });

  test("a stream ends when its key expires", async () => {
    let now = Date.now();
    await using service = await start({ clock: () => now });
    const { key } = await service.issueKey(["events:read"], now + 60_000);
    await using reader = await EventReader.open(service.address, key);
    now += 60_000;
    expect(await reader.next()).toBeUndefined();
  });

  test("a stream sends regular comments, which show that an idle stream is open", async () => {
    await using service = await start({ heartbeatMs: 150 });
    await using reader = await listen(service, "/v1/events?from=latest");
    expect(await reader.block()).toMatchObject({ isComment: false, id: undefined, type: undefined });
    const position = `${await service.store.newestEventId()}`;
    expect(await reader.block()).toMatchObject({ isComment: false, id: position, data: undefined });
    for (let n = 0; n < 3; n++) {
      expect(await reader.block()).toMatchObject({ isComment: true, type: undefined, data: undefined });
    }
  });

  test("a stream ends when the feed cannot be read, and the log has the cause", async () => {
    await using service = await start();
    await using reader = await listen(service, "/v1/events?from=latest");
    const { id } = await service.issueKey(["events:read"]);
    await service.database.query("ALTER TABLE event RENAME TO elsewhere");
    // SQLite's feed is read after a change only.
    await service.store.revokeKey(id, Date.now());
    expect(await reader.next()).toBeUndefined();
    const reports = service.events.filter(({ event }) => event === "feed_failed");
    expect(reports.map((event) => "error" in event && String(event.error))).toEqual([
      expect.stringMatching(/no such table|does not exist/),
    ]);
    await service.database.query("ALTER TABLE elsewhere RENAME TO event");
  });

  test("a stream above MAX_STREAMS gets 503 at once, until another client disconnects", async () => {
    await using service = await start({ maxStreams: 2 });
    const first = await listen(service);
    await using _ = await listen(service);
    const refused = await service.call("/v1/events", { headers: STREAM });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await refused.json()).toMatchObject({ code: "overloaded" });
    expect((await service.call("/v1/events")).status).toBe(200);
    await first[Symbol.asyncDispose]();
    await until(async () => {
      await using again = await listen(service);
      return again.response.status === 200;
    });
  });

  test("a stream does not count towards MAX_REQUESTS", async () => {
    await using service = await start({ maxRequests: 3 });
    const readers = await Promise.all(Array.from({ length: 10 }, () => listen(service)));
    for (let n = 0; n < 5; n++) expect((await service.call("/v1/pets")).status).toBe(200);
    for (const reader of readers) await reader[Symbol.asyncDispose]();
  });

  test("HEAD gets the headers of a stream, and the response ends", async () => {
    await using service = await start();
    const answer = await service.call("/v1/events", { method: "HEAD", headers: STREAM });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    expect(await answer.text()).toBe("");
    // The length of a stream is not known (RFC 9110, section 8.6).
    expect(answer.headers.get("content-length")).toBeNull();
  });

  // The runtime does this, as for every response that is not complete: SECURITY.md says so.
  const GIVEN_UP: Record<string, (conversation: Conversation) => void> = {
    "sends another request on its connection": (conversation) =>
      conversation.send("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"),
    "ends its sending side": (conversation) => conversation.end(),
  };
  for (const [what, giveUp] of Object.entries(GIVEN_UP)) {
    test(`a stream ends when its client ${what}`, async () => {
      await using service = await start();
      using conversation = await Conversation.open(service.address);
      conversation.send(streamRequest(service));
      expect(await conversation.heard(/\nid: \d+\n\n/)).toStartWith("HTTP/1.1 200 ");
      giveUp(conversation);
      expect(await conversation.closed()).not.toContain('"live"');
    });
  }

  test("a stream is sent only if Accept prefers server-sent events to JSON", async () => {
    await using service = await start();
    const types = {
      "text/event-stream": "text/event-stream",
      "TEXT/Event-Stream": "text/event-stream",
      "text/event-stream, */*": "text/event-stream",
      "text/event-stream;q=0.9, application/json;q=0.5": "text/event-stream",
      "application/json": "application/json",
      "*/*": "application/json",
      "text/*": "application/json",
      "application/json, text/event-stream": "application/json",
      "text/event-stream;q=0": "application/json",
      "text/event-stream;q=0.1, */*": "application/json",
      "text/event-stream;q=x": "application/json",
      "": "application/json",
    };
    for (const [accept, type] of Object.entries(types)) {
      const answer = await service.call("/v1/events", { method: "HEAD", headers: { accept } });
      expect([accept, answer.headers.get("content-type")]).toEqual([accept, type]);
    }
    // No other operation has a stream.
    const pets = await service.call("/v1/pets", { headers: STREAM });
    expect(pets.headers.get("content-type")).toBe("application/json");
  });

  test("a client that does not read its stream is disconnected, and delays no other client", async () => {
    await using service = await start({ maxStreams: 2, heartbeatMs: 500 });
    using _ = await silentListener(service);
    await using reader = await listen(service);
    const body = JSON.stringify({ name: "x".repeat(255), categoryId: 1 });
    const isFull = async () => {
      await using third = await listen(service, "/v1/events?from=latest");
      return third.response.status === 503;
    };
    expect(await isFull()).toBe(true);
    // The kernel's buffers take some megabytes before the service notices. Few at a time: this process reads as well, and has
    // the other client cut off too if it is busy for two heartbeats.
    for (let created = 0; await isFull(); created += 50) {
      expect(created).toBeLessThan(100_000);
      const creates = Array.from({ length: 50 }, () => service.create(body));
      const [events] = await Promise.all([reader.take(50), ...creates]);
      expect(events).toHaveLength(50);
    }
  });

  describe("a service that stops", () => {
    let service: Service;
    beforeAll(async () => {
      service = await start();
    });
    afterAll(() => service[Symbol.asyncDispose]());

    test("ends its streams at once", async () => {
      const readers = await Promise.all(Array.from({ length: 5 }, () => listen(service)));
      const stopping = service.stop(60);
      for (const reader of readers) expect(await reader.next()).toBeUndefined();
      await stopping;
    });
  });
});

/** A client that asks for a stream and reads nothing of it. */
async function silentListener(service: Service): Promise<Disposable> {
  const { hostname, port } = new URL(service.address);
  const request = streamRequest(service);
  const open = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open: (socket) => void socket.write(request),
      data(socket) {
        socket.pause();
        open.resolve();
      },
    },
  });
  await open.promise;
  return { [Symbol.dispose]: () => socket.terminate() };
}

function streamRequest({ key }: Service): string {
  return `GET /v1/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${key}\r\n\r\n`;
}
