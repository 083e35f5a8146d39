import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import type { SandboxDelivery } from "../../bin/sandbox.d.cts";
import { SYSTEM_CLOCK } from "../../relay/deliver.ts";
import { messageOf } from "../../relay/message.ts";
import { relay } from "../../relay/relay.ts";
import { readSecrets, type Secret } from "../../relay/secrets.ts";
import { serviceClient } from "../../relay/service-client.ts";
import { Target } from "../../relay/target.ts";
import { DeliveryList } from "../../sandbox/deliveries/delivery-list.ts";
import { DELIVERY_FAULT_NAMES, type DeliveryFault } from "../../sandbox/faults.ts";
import { JournalMemory } from "../../sandbox/journal-memory.ts";
import { SECRET, startReceiver } from "../relay/receiver.ts";
import { freePort } from "../support/free-port.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { until } from "../support/until.ts";

// A sandbox that delivers webhooks to real receivers.

interface Listed {
  readonly targets: readonly { readonly target: number; readonly ended: string | null }[];
  readonly count: number;
  readonly dropped: number;
  readonly deliveries: readonly SandboxDelivery[];
}

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox[Symbol.asyncDispose]());

/** A space of its own, so that tests do not meet each other's deliveries; gone with `await using`. */
async function makeSpace(at = sandbox) {
  const made = (await (await at.control("POST", "/spaces")).json()) as {
    space: string;
    keys: { key: string }[];
  };
  const headers = { authorization: `Bearer ${made.keys[0]?.key}`, "content-type": "application/json" };
  const send = (method: string, url: string, body?: unknown) =>
    fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  const post = (path: string, body: unknown) => send("POST", at.address + path, body);
  const control = (method: string, path: string, body?: unknown) =>
    send(method, `${at.address}/_sandbox${path}`, body);
  return {
    key: made.keys[0]?.key ?? "",
    control,
    get: (path: string) => send("GET", at.address + path),
    post,
    create: async (name = "Rex") => {
      expect((await post("/v1/pets", { name, categoryId: 1 })).status).toBe(201);
    },
    deliverTo: async (url: string, others: object = {}) => {
      const response = await control("POST", "/deliveries", { url, secret: SECRET, ...others });
      expect(response.status).toBe(201);
      return (await response.json()) as { target: number; secret: string; formerSecret: string };
    },
    deliveries: async (query = "") => (await (await control("GET", `/deliveries?${query}`)).json()) as Listed,
    plan: async (...faults: object[]) => {
      expect((await control("PUT", "/faults", { faults })).status).toBe(200);
    },
    remove: () => at.control("DELETE", `/spaces/${made.space}`),
    [Symbol.asyncDispose]: async () => void (await at.control("DELETE", `/spaces/${made.space}`)),
  };
}

/** Whether a delivery as it arrived is true, by another project's library. */
function isTrue(body: string, headers: Iterable<[string, string]>, secret = SECRET): boolean {
  try {
    new Webhook(secret).verify(body, Object.fromEntries(headers));
    return true;
  } catch {
    return false;
  }
}

/** A server of raw bytes; `talk` is called with each connection once a request has come. */
function listen(talk: (socket: Bun.Socket<unknown>) => void) {
  let closed = 0;
  const listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { data: talk, close: () => void closed++, error: () => {} },
  });
  return {
    url: `http://127.0.0.1:${listener.port}/`,
    closed: () => closed,
    [Symbol.dispose]: () => listener.stop(true),
  };
}

describe("a space that delivers", () => {
  test("posts each later event once, in order, signed, as the feed has it", async () => {
    await using space = await makeSpace();
    using receiver = startReceiver();
    await space.create("before");
    const { target } = await space.deliverTo(receiver.url);
    await space.create("Größe 🐕");
    await space.create("Rex");
    const { deliveries, count, targets } = await space.deliveries("atLeast=2");
    expect([count, targets]).toEqual([2, [expect.objectContaining({ target, ended: null, secret: SECRET })]]);
    expect(receiver.isSound).toBe(true);
    const feed = await (await space.get("/v1/events?limit=100")).text();
    for (const { body, id } of receiver.received) {
      expect(feed).toContain(body);
      expect(id).toMatch(/^evt_[0-9]+_[0-9a-f]{20}$/);
    }
    expect(receiver.received.map(({ event }) => (event.animal as { name: string }).name)).toEqual([
      "Größe 🐕",
      "Rex",
    ]);
    expect(deliveries[0]).toMatchObject({
      id: 1,
      target,
      event: "animal.created",
      eventId: receiver.ids()[0],
      attempt: 1,
      fault: null,
      body: receiver.received[0]?.body,
      outcome: "delivered",
      error: null,
      response: { status: 204, body: "", bodyIsWhole: true },
    });
    expect(deliveries[0]?.headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": expect.stringMatching(/^animal-store-relay\/\d/),
      "webhook-id": receiver.received[0]?.id,
      "webhook-signature": receiver.received[0]?.headers.get("webhook-signature"),
    });
    expect(deliveries[0]?.durationMs).toBeGreaterThanOrEqual(0);
  });

  test("delivers what a relay delivers of the same space, to the byte and with the same headers", async () => {
    await using space = await makeSpace();
    using receiver = startReceiver();
    await space.deliverTo(receiver.url);
    await space.create("Größe 🐕");
    await space.deliveries("atLeast=1");
    const [ours] = receiver.received;
    const stop = new AbortController();
    const relayed = relay({
      store: serviceClient(`${sandbox.address}/v1`, space.key, () => {}),
      delivery: {
        target: new Target({ url: new URL(receiver.url), allowPrivate: true }),
        secrets: readSecrets(SECRET) as readonly Secret[],
        agent: ours?.headers.get("user-agent") ?? "",
        notify: () => {},
        clock: SYSTEM_CLOCK,
        stop: stop.signal,
        cut: stop.signal,
      },
      atOnce: 1,
      start: "oldest",
      position: undefined,
      restarts: false,
      wants: (type) => type === "animal.created",
      keep: () => {},
      onReady: () => {},
    }).catch(() => {});
    await until(() => receiver.received.slice(1).some(({ id }) => id === ours?.id));
    stop.abort();
    await relayed;
    const theirs = receiver.received.slice(1).find(({ id }) => id === ours?.id);
    expect(theirs?.body).toBe(ours?.body as string);
    const stable = (headers = new Headers()) =>
      [...headers].filter(([name]) => name !== "webhook-timestamp" && name !== "webhook-signature");
    expect(stable(theirs?.headers)).toEqual(stable(ours?.headers));
    expect(receiver.isSound).toBe(true);
  });

  test("makes secrets where it gets none, and delivers the types that were asked for", async () => {
    await using space = await makeSpace();
    using receiver = startReceiver();
    const { secret, formerSecret } = await space.deliverTo(receiver.url, {
      secret: undefined,
      types: ["order.placed"],
    });
    for (const made of [secret, formerSecret]) expect(made).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(formerSecret).not.toBe(secret);
    await space.create();
    expect((await space.post("/v1/orders", { petId: 1 })).status).toBe(201);
    await space.deliveries("atLeast=1");
    expect(receiver.received.map(({ event }) => event.type)).toEqual(["order.placed"]);
    const [{ body, headers } = { body: "", headers: new Headers() }] = receiver.received;
    expect(isTrue(body, headers, secret)).toBe(true);
  });

  test("signs with both secrets while one replaces the other", async () => {
    await using space = await makeSpace();
    using receiver = startReceiver();
    const other = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
    await space.deliverTo(receiver.url, { secret: `${SECRET} ${other}` });
    await space.create();
    await space.deliveries("atLeast=1");
    const [{ body, headers } = { body: "", headers: new Headers() }] = receiver.received;
    expect([SECRET, other].map((secret) => isTrue(body, headers, secret))).toEqual([true, true]);
  });

  test("repeats what is refused, with the same id, until it is accepted, and holds back what follows", async () => {
    await using space = await makeSpace();
    using receiver = startReceiver((_, number) => new Response(null, { status: number < 3 ? 500 : 204 }));
    await space.deliverTo(receiver.url);
    await space.create();
    await space.create();
    const { deliveries } = await space.deliveries("atLeast=4");
    expect(deliveries.map(({ attempt, response }) => [attempt, response?.status])).toEqual([
      [1, 500],
      [2, 500],
      [3, 204],
      [1, 204],
    ]);
    expect(new Set(receiver.received.slice(0, 3).map(({ id }) => id)).size).toBe(1);
    expect(receiver.isSound).toBe(true);
    const failed = await space.deliveries("outcome=failed");
    expect(failed.deliveries.map(({ error }) => error)).toEqual(["status 500", "status 500"]);
  });

  test("respects Retry-After by the clock of the space", async () => {
    await using space = await makeSpace();
    using receiver = startReceiver((_, number) =>
      number === 1
        ? new Response(null, { status: 503, headers: { "retry-after": "3600" } })
        : new Response(null, { status: 204 }),
    );
    await space.deliverTo(receiver.url);
    await space.create();
    await space.deliveries("atLeast=1");
    expect((await space.control("PUT", "/clock", { advance: "59m" })).status).toBe(200);
    expect((await space.deliveries("atLeast=2&waitMs=100")).count).toBe(1);
    await space.control("PUT", "/clock", { advance: "2m" });
    expect((await space.deliveries("atLeast=2")).deliveries[1]?.outcome).toBe("delivered");
    // Receivers have the real time.
    expect(receiver.isSound).toBe(true);
  });

  test("ends where the receiver wants no more, and says so", async () => {
    await using space = await makeSpace();
    using receiver = startReceiver(() => new Response(null, { status: 410 }));
    await space.deliverTo(receiver.url);
    await space.create();
    await space.create();
    await space.deliveries("atLeast=1");
    await until(async () => (await space.deliveries()).targets[0]?.ended);
    const { targets, count } = await space.deliveries();
    expect(targets[0]?.ended).toContain("answered 410");
    expect([count, receiver.received.length]).toEqual([1, 1]);
  });

  test("delivers to several addresses, each at its own pace, and no more than ten", async () => {
    await using space = await makeSpace();
    using quick = startReceiver();
    using slow = startReceiver(() => new Promise<never>(() => {}));
    await space.deliverTo(slow.url);
    const { target } = await space.deliverTo(quick.url);
    await space.create();
    await space.create();
    const { deliveries } = await space.deliveries(`atLeast=2&target=${target}`);
    expect(deliveries.map(({ outcome }) => outcome)).toEqual(["delivered", "delivered"]);
    for (let number = 3; number <= 10; number++) await space.deliverTo(quick.url);
    const refused = await space.control("POST", "/deliveries", { url: quick.url });
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ code: "too_many_targets" });
    expect((await space.control("DELETE", `/deliveries/${target}`)).status).toBe(204);
    expect((await space.control("DELETE", `/deliveries/${target}`)).status).toBe(404);
    await space.deliverTo(quick.url);
  });
});

/** What arrives of two events when the first meets each fault, and what a true delivery would be. */
describe("a fault of deliveries arrives at the receiver:", () => {
  /** Has a receiver that refuses what is not true get two events, the first of them with a fault. */
  async function meet(fault: DeliveryFault, others: object = {}, deliveries = 3) {
    await using space = await makeSpace();
    using receiver = startReceiver(
      ({ body, headers }) => new Response(null, { status: isTrue(body, headers) ? 204 : 400 }),
    );
    const target = await space.deliverTo(receiver.url);
    await space.plan({ fault, count: 1, ...others });
    await space.create("first");
    await space.create("second");
    const listed = await space.deliveries(`atLeast=${deliveries}`);
    const { faults } = (await (await space.control("GET", "/faults")).json()) as {
      faults: { hit: number[]; count: number }[];
    };
    expect(faults[0]).toMatchObject({ hit: [1], count: 0 });
    expect(listed.deliveries[0]?.fault).toEqual({ fault, rule: 0 });
    expect(listed.deliveries.slice(1).map((each) => each.fault)).toEqual(Array(deliveries - 1).fill(null));
    const names = receiver.received.map(({ event }) => (event.animal as { name: string }).name);
    return { names, receiver, target, deliveries: listed.deliveries };
  }

  test("delivery_twice", async () => {
    const { names, receiver, deliveries } = await meet("delivery_twice");
    expect(names).toEqual(["first", "first", "second"]);
    expect(receiver.received[0]?.id).toBe(receiver.received[1]?.id as string);
    expect(deliveries.map(({ attempt }) => attempt)).toEqual([1, 2, 1]);
    expect(receiver.isSound).toBe(true);
  });

  test("delivery_late", async () => {
    const { names, deliveries, receiver } = await meet("delivery_late", { delayMs: 200 }, 2);
    expect(names).toEqual(["first", "second"]);
    expect(receiver.isSound).toBe(true);
    expect(deliveries.map(({ outcome }) => outcome)).toEqual(["delivered", "delivered"]);
  });

  test("delivery_swapped", async () => {
    const { names, deliveries, receiver } = await meet("delivery_swapped", {}, 2);
    expect(names).toEqual(["second", "first"]);
    expect(receiver.isSound).toBe(true);
    expect(deliveries[0]?.elapsedMs).toBeGreaterThan(deliveries[1]?.elapsedMs as number);
  });

  for (const fault of DELIVERY_FAULT_NAMES.filter((name) => /signature|timestamp|changed/.test(name))) {
    test(fault, async () => {
      const { names, receiver, deliveries, target } = await meet(fault);
      expect(names).toEqual(["first", "first", "second"]);
      expect(deliveries.map(({ response }) => response?.status)).toEqual([400, 204, 204]);
      const [wrong] = receiver.received;
      const { body = "", headers = new Headers() } = wrong ?? {};
      expect(isTrue(body, headers, target.formerSecret)).toBe(fault === "delivery_old_signature");
      const ageSeconds = Date.now() / 1000 - Number(headers.get("webhook-timestamp"));
      expect(ageSeconds > 86_000).toBe(fault === "delivery_old_timestamp");
      expect(body.endsWith(" ")).toBe(fault === "delivery_changed_body");
      // The list shows what left, and not what should have.
      expect(deliveries[0]?.headers["webhook-signature"]).toBe(headers.get("webhook-signature") ?? "");
    });
  }

  test("delivery_cut", async () => {
    const { names, deliveries } = await meet("delivery_cut");
    expect(names).toEqual(["first", "second"]);
    expect(deliveries[0]).toMatchObject({
      outcome: "failed",
      error: "the connection was closed in the middle of the body",
      response: null,
    });
  });

  test("delivery_slow", async () => {
    const { names, receiver } = await meet("delivery_slow", { delayMs: 5 }, 2);
    expect(names).toEqual(["first", "second"]);
    expect(receiver.isSound).toBe(true);
  });

  test("delivery_swapped once for each pair, and for no repetition", async () => {
    await using space = await makeSpace();
    using receiver = startReceiver((_, number) => new Response(null, { status: number === 1 ? 500 : 204 }));
    await space.deliverTo(receiver.url);
    await space.plan({ fault: "delivery_swapped", after: 1, count: 2 });
    for (const name of ["1", "2", "3", "4", "5"]) await space.create(name);
    await space.deliveries("atLeast=6");
    const names = receiver.received.map(({ event }) => (event.animal as { name: string }).name);
    expect(names).toEqual(["1", "1", "3", "2", "5", "4"]);
  });

  test("delivery_twice, whose second copy leaves only once the first was accepted", async () => {
    await using space = await makeSpace();
    using receiver = startReceiver(() => new Response(null, { status: 410 }));
    await space.deliverTo(receiver.url);
    await space.plan({ fault: "delivery_twice" });
    await space.create();
    await until(async () => (await space.deliveries()).targets[0]?.ended);
    expect(receiver.received.length).toBe(1);
  });

  test("of the type that its rule names, and requests do not meet it", async () => {
    await using space = await makeSpace();
    using receiver = startReceiver();
    await space.deliverTo(receiver.url);
    await space.plan(
      { fault: "delivery_twice", event: "order.placed", count: 1 },
      { fault: "delivery_old_signature", event: "animal.created", after: 1, count: 1 },
    );
    await space.create();
    await space.create();
    const { deliveries } = await space.deliveries("atLeast=2");
    expect(deliveries.map(({ fault }) => fault?.rule)).toEqual([undefined, 1]);
    const planned = (await (await space.control("GET", "/faults")).json()) as { faults: object[] };
    expect(planned.faults[0]).toMatchObject({ count: 1, hit: [] });
    const refused = await space.control("GET", "/requests?fault=delivery_twice");
    expect(refused.status).toBe(400);
  });
});

describe("a receiver that", () => {
  /** The first delivery to an address. */
  async function firstTo(url: string, others: object = {}) {
    await using space = await makeSpace();
    await space.deliverTo(url, others);
    await space.create();
    return (await space.deliveries("atLeast=1")).deliveries[0];
  }

  test("never responds is given up after the time for an attempt", async () => {
    using silent = listen(() => {});
    expect(await firstTo(silent.url, { timeoutMs: 100 })).toMatchObject({
      outcome: "failed",
      error: "no response within 0.1 s",
      response: null,
    });
  });

  test("responds with 100 MB is heard to its head, and the list keeps 16 KiB of it", async () => {
    // A client may read as much of it at once as it accepts of a body.
    const chunk = Buffer.alloc(256 * 1024, "x");
    using flood = listen((socket) => {
      const head = `HTTP/1.1 200 OK\r\nX-Long: ${"y".repeat(10_000)}\r\nContent-Length: 104857600\r\n\r\n`;
      socket.write(Buffer.concat([Buffer.from(head), chunk]));
      const timer = setInterval(() => socket.write(chunk) < 0 && clearInterval(timer), 1);
      timer.unref();
    });
    const delivery = await firstTo(flood.url);
    expect(delivery).toMatchObject({ outcome: "delivered", response: { status: 200, bodyIsWhole: false } });
    expect(delivery?.response?.body.length).toBe(16 * 1024);
    expect(JSON.stringify(delivery?.response?.headers).length).toBeLessThan(8 * 1024);
  });

  test("closes the connection, or refuses it, is tried again", async () => {
    using closing = listen((socket) => void socket.end());
    expect(await firstTo(closing.url)).toMatchObject({ outcome: "failed", response: null });
    const refused = await firstTo(`http://127.0.0.1:${freePort()}/`);
    expect(refused).toMatchObject({ outcome: "failed", error: "ECONNREFUSED" });
  });

  test("redirects is not followed", async () => {
    using receiver = startReceiver(() => Response.redirect("http://127.0.0.1:1/", 307));
    expect(await firstTo(receiver.url)).toMatchObject({
      outcome: "failed",
      error: "status 307, a redirect, which is not followed",
      response: { status: 307, headers: { location: "http://127.0.0.1:1/" } },
    });
  });
});

describe("deliveries end", () => {
  test("with a reset, which also empties their list and ends waits", async () => {
    await using space = await makeSpace();
    using receiver = startReceiver();
    await space.deliverTo(receiver.url);
    await space.create();
    await space.deliveries("atLeast=1");
    const waiting = space.deliveries("atLeast=100&waitMs=60000");
    expect((await space.control("POST", "/reset")).status).toBe(204);
    expect(await waiting).toEqual({ targets: [], count: 0, dropped: 0, deliveries: [] });
    await space.create();
    await space.get("/v1/pets");
    expect(receiver.received.length).toBe(1);
  });

  test("with DELETE, which leaves their list, and with their space", async () => {
    await using space = await makeSpace();
    using receiver = startReceiver(() => new Promise<never>(() => {}));
    using silent = listen(() => {});
    await space.deliverTo(silent.url);
    await space.create();
    await until(async () => (await space.deliveries()).count === 1);
    expect((await space.control("DELETE", "/deliveries")).status).toBe(204);
    await until(() => silent.closed() === 1);
    expect(await space.deliveries("atLeast=1")).toMatchObject({
      targets: [],
      deliveries: [{ outcome: "dropped", error: "the deliveries to this address were ended" }],
    });
    await space.deliverTo(receiver.url);
    await space.create();
    await until(() => receiver.received.length === 1);
    await space.remove();
  });

  test("with the sandbox, also in the middle of an attempt", async () => {
    const own = await startSandbox();
    const space = await makeSpace(own);
    using silent = listen(() => {});
    await space.deliverTo(silent.url, { timeoutMs: 60_000 });
    await space.create();
    const waiting = space.deliveries("atLeast=100&waitMs=60000");
    await until(async () => (await space.deliveries()).count === 1);
    await own[Symbol.asyncDispose]();
    await until(() => silent.closed() === 1);
    await waiting.catch(() => {});
  });

  test("never because a snapshot is restored: they go on with what follows", async () => {
    await using space = await makeSpace();
    using receiver = startReceiver();
    await space.control("PUT", "/snapshots/one");
    await space.deliverTo(receiver.url);
    await space.create("before");
    await space.deliveries("atLeast=1");
    await space.plan({ fault: "delivery_swapped", count: 1 });
    await space.create("held");
    await until(async () => (await space.deliveries()).count === 2);
    await space.control("POST", "/snapshots/one");
    await space.create("after");
    // What was held would have come by the time that this one has.
    await space.create("last");
    const { deliveries } = await space.deliveries("atLeast=4");
    expect(deliveries.map(({ body, outcome }) => [JSON.parse(body).animal.name, outcome])).toEqual([
      ["before", "delivered"],
      ["held", "dropped"],
      ["after", "delivered"],
      ["last", "delivered"],
    ]);
    expect(deliveries[1]?.error).toContain("a snapshot was restored");
    expect(receiver.received.map(({ event }) => (event.animal as { name: string }).name)).toEqual([
      "before",
      "after",
      "last",
    ]);
  });
});

test("the list keeps the last 1000 attempts, and gives back the memory of those that have left it", () => {
  const memory = new JournalMemory();
  const list = new DeliveryList(memory);
  const animal = { id: 1n, name: "Rex", categoryId: 1n, status: "available" } as const;
  const message = messageOf({ id: 7n, type: "animal.created", at: "2026-11-27T09:30:00.000Z", animal });
  const first = list.add(1, message, 1);
  for (let attempt = 2; attempt <= 1005; attempt++) list.add(1, message, attempt);
  expect(list.find({}, 0, 1)).toMatchObject({ count: 1000, dropped: 5, deliveries: [{ id: 6 }] });
  const { bytes } = list;
  expect(memory.bytes).toBe(bytes);
  first.answered({ status: 200, headers: new Headers(), body: Buffer.alloc(5000, "x"), isWhole: true });
  expect([list.bytes, memory.bytes]).toEqual([bytes, bytes]);
  list.shrink();
  expect(list.find({}, 0, 0)).toMatchObject({ count: 900, dropped: 105 });
  list.clear();
  expect(list.find({}, 0, 0)).toMatchObject({ count: 0, dropped: 0 });
  expect([list.bytes, memory.bytes]).toEqual([0, 0]);
});

test("the guide says what a receiver sees of each fault", async () => {
  const guide = await Bun.file(join(import.meta.dir, "../../docs/guides/webhooks.md")).text();
  const named = [...guide.matchAll(/^\| `(delivery_\w+)` \|/gm)].map(([, fault]) => fault ?? "");
  expect(named).toEqual(DELIVERY_FAULT_NAMES);
});

test("the document of the control interface has each member of a delivery and its address", async () => {
  await using space = await makeSpace();
  using receiver = startReceiver();
  await space.deliverTo(receiver.url);
  await space.create();
  const { targets, deliveries } = await space.deliveries("atLeast=1");
  const document = (await (await sandbox.control("GET", "/openapi.json")).json()) as {
    components: { schemas: Record<string, { properties: object }> };
  };
  const membersOf = (name: string) => Object.keys(document.components.schemas[name]?.properties ?? {});
  expect(Object.keys(targets[0] ?? {})).toEqual(membersOf("DeliveryTarget"));
  expect(Object.keys(deliveries[0] ?? {})).toEqual(membersOf("Delivery"));
});

test("a space sees neither the deliveries nor the addresses of another", async () => {
  await using space = await makeSpace();
  await using other = await makeSpace();
  using receiver = startReceiver();
  await space.deliverTo(receiver.url);
  await other.create();
  await space.create();
  await space.deliveries("atLeast=1");
  expect(await other.deliveries()).toEqual({ targets: [], count: 0, dropped: 0, deliveries: [] });
  expect(receiver.received.length).toBe(1);
});

describe("refused, with what would be right:", () => {
  const wrong: readonly (readonly [name: string, body: object, message: RegExp])[] = [
    ["no URL", {}, /`url` is required and must be a URL/],
    ["a word", { url: "hooks" }, /must be a URL with http or https/],
    ["another scheme", { url: "ftp://127.0.0.1/" }, /must be a URL with http or https/],
    ["a user name", { url: "http://me:pass@127.0.0.1/" }, /no user name and no password/],
    ["a public address", { url: "http://example.com/" }, /its own machine alone/],
    ["an address of this network", { url: "http://10.0.0.1/" }, /its own machine alone/],
    ["a spelling of it", { url: "http://0xa000001/" }, /its own machine alone/],
    ["every address", { url: "http://0.0.0.0:1/" }, /its own machine/],
    ["a link's address", { url: "http://[fe80::1]/" }, /its own machine/],
    [
      "a short secret",
      { url: "http://127.0.0.1/", secret: "whsec_c2hvcnQ=" },
      /`secret` holds a secret of 5 bytes/,
    ],
    [
      "a former secret",
      { url: "http://127.0.0.1/", formerSecret: "x" },
      /`formerSecret` holds something else/,
    ],
    [
      "the present secret as the former one",
      { url: "http://127.0.0.1/", secret: SECRET, formerSecret: SECRET },
      /`formerSecret` must be none of the present secrets/,
    ],
    [
      "an unknown type",
      { url: "http://127.0.0.1/", types: ["animal.creatd"] },
      /nearest .* `"?animal.created/,
    ],
    ["no types", { url: "http://127.0.0.1/", types: [] }, /with one at least/],
    ["a wait of no time", { url: "http://127.0.0.1/", timeoutMs: 0 }, /from 1 to 60000/],
    [
      "an unknown member",
      { url: "http://127.0.0.1/", secrte: SECRET },
      /`secrte` is none of .*nearest.*`secret`/,
    ],
  ];
  for (const [name, body, message] of wrong) {
    test(name, async () => {
      const response = await sandbox.control("POST", "/deliveries", body);
      expect(response.status).toBe(400);
      expect(((await response.json()) as { message: string }).message).toMatch(message);
    });
  }

  const queries: readonly (readonly [query: string, message: RegExp])[] = [
    ["evnt=animal.created", /nearest .*`event`/],
    ["event=animal.creatd", /nearest .*`animal.created`/],
    ["fault=lost", /`fault` is none of `delivery_twice`, [^;]*`\.$/],
    ["outcome=pending", /`delivered`, `failed`, `dropped`/],
    ["status=99", /from 200 to 599/],
    ["attempt=0", /whole number from 1/],
    ["eventId=x", /id of an event/],
    ["target=x", /number of a target/],
    ["atLeast=1001", /from 0 to 1000/],
    ["waitMs=60001", /from 0 to 60000/],
    ["limit=1001", /from 0 to 1000/],
    ["after=-1", /whole number/],
    ["event=order.placed&event=order.placed", /given once/],
  ];
  for (const [query, message] of queries) {
    test(query, async () => {
      const response = await sandbox.control("GET", `/deliveries?${query}`);
      expect(response.status).toBe(400);
      expect(((await response.json()) as { message: string }).message).toMatch(message);
    });
  }

  const rules: readonly (readonly [rule: object, message: RegExp])[] = [
    [{ fault: "delivery_twise" }, /must be one of .*`delivery_twice`/],
    [
      { fault: "delivery_twice", operation: "createPet" },
      /`faults.0.operation` belongs to faults of requests only/,
    ],
    [{ fault: "lost", event: "order.placed" }, /`faults.0.event` belongs to faults of deliveries only/],
    [{ fault: "delivery_twice", event: "order" }, /must be one of/],
    [{ fault: "delivery_twice", delayMs: 5 }, /belongs to the faults .*`delivery_late`/],
  ];
  for (const [rule, message] of rules) {
    test(JSON.stringify(rule), async () => {
      const response = await sandbox.control("POST", "/faults", { faults: [rule] });
      expect(response.status).toBe(400);
      expect(((await response.json()) as { message: string }).message).toMatch(message);
    });
  }

  test("a request that asks for a fault of deliveries", async () => {
    const response = await sandbox.call("/v1/pets", { headers: { prefer: "fault=delivery_twice" } });
    expect(response.status).toBe(400);
  });
});

test("an address that wants no more makes room for another, and only an id as it is written ends deliveries", async () => {
  await using space = await makeSpace();
  using receiver = startReceiver(() => new Response(null, { status: 410, headers: { "x-key": space.key } }));
  await space.deliverTo(receiver.url);
  for (let n = 2; n <= 10; n++) await space.deliverTo(`http://127.0.0.1:1/${n}`);
  expect((await space.control("POST", "/deliveries", { url: "http://127.0.0.1:1/11" })).status).toBe(409);
  await space.create();
  const { deliveries } = await space.deliveries("target=1&atLeast=1");
  expect(deliveries[0]?.response?.headers["x-key"]).not.toContain(space.key);
  await until(async () => {
    const { targets } = await space.deliveries();
    return targets.some(({ ended }) => ended !== null);
  });
  expect((await space.control("DELETE", "/deliveries/2e0")).status).toBe(404);
  expect((await space.control("POST", "/deliveries", { url: "http://127.0.0.1:1/11" })).status).toBe(201);
});

test("a sandbox that others may use delivers nowhere, and says what would be right", async () => {
  await using open = await startSandbox({ HOST: "0.0.0.0" });
  const refused = await open.control("POST", "/deliveries", { url: "http://127.0.0.1:1/" });
  expect(refused.status).toBe(400);
  expect(((await refused.json()) as { message: string }).message).toMatch(
    /others may use this sandbox.*`--host 127.0.0.1`/,
  );
});
