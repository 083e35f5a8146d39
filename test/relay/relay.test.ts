import { expect, test } from "bun:test";
import { AnimalStore } from "../../client/animal-store.ts";
import { SYSTEM_CLOCK } from "../../relay/deliver.ts";
import type { Notice } from "../../relay/notice.ts";
import type { Position } from "../../relay/position-file.ts";
import { type RelayOptions, relay } from "../../relay/relay.ts";
import { readSecrets, type Secret } from "../../relay/secrets.ts";
import { Target } from "../../relay/target.ts";
import { onEveryEngine } from "../support/engines.ts";
import type { Service } from "../support/service.ts";
import { until } from "../support/until.ts";
import { type Receiver, SECRET, startReceiver } from "./receiver.ts";

/** A relay in this process; it stops with `await using`. */
function startRelay(service: Service, receiver: Receiver, options: Partial<RelayOptions> = {}) {
  const stop = new AbortController();
  const [notices, kept]: [Notice[], Position[]] = [[], []];
  const ended = relay({
    store: new AnimalStore({ baseUrl: `${service.address}/v1`, apiKey: service.key }),
    delivery: {
      target: new Target({ url: new URL(receiver.url), allowPrivate: true }),
      secrets: readSecrets(SECRET) as Secret[],
      agent: "animal-store-relay/test",
      notify: (notice) => void notices.push(notice),
      // What waits for hours waits for a moment here.
      clock: { ...SYSTEM_CLOCK, random: () => 0 },
      stop: stop.signal,
      cut: stop.signal,
    },
    atOnce: 1,
    start: "oldest",
    position: undefined,
    restarts: false,
    wants: () => true,
    keep: (position) => void kept.push(position),
    onReady: () => {},
    ...options,
  }).catch((error: unknown) => error);
  return {
    notices,
    kept,
    ended: ended as Promise<Error & { readonly why?: string }>,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

/** An event as the feed has it. */
interface Item {
  readonly id: number;
  readonly animal?: { readonly id: number };
  readonly order?: { readonly petId: number };
}

onEveryEngine(({ startService }) => {
  const start = async (animals: number) => {
    const service = await startService({});
    await service.store.recordEvents(true);
    await create(service, animals);
    return service;
  };
  const create = async (service: Service, animals: number) => {
    for (let at = 0; at < animals; at++) await service.create('{"name":"Rex","categoryId":12}');
  };

  test("with several under way, each event arrives once, and the events of an animal and its orders arrive in order", async () => {
    await using service = await start(40);
    for (let id = 1; id <= 40; id += 3) await service.store.placeOrder({ petId: BigInt(id) });
    let [underWay, most] = [0, 0];
    using receiver = startReceiver(async () => {
      most = Math.max(most, ++underWay);
      await Bun.sleep(Math.random() * 20);
      underWay--;
      return new Response(null, { status: 204 });
    });
    await using relay = startRelay(service, receiver, { atOnce: 8 });
    const feed = (await (await service.call("/v1/events?limit=100")).json()) as Item[];
    await until(() => relay.kept.at(-1)?.event === BigInt(feed.at(-1)?.id ?? 0));
    const received = receiver.received.map(({ body }) => JSON.parse(body) as Item);
    expect(received.map(({ id }) => id).sort((a, b) => a - b)).toEqual(feed.map(({ id }) => id));
    const ofAnimal = (items: readonly Item[]) =>
      Map.groupBy(items, ({ animal, order }) => animal?.id ?? order?.petId);
    const ids = (items: readonly Item[]) =>
      [...ofAnimal(items)].map(([key, each]) => [key, each.map(({ id }) => id)]).sort();
    expect(ids(received)).toEqual(ids(feed));
    expect(most).toBe(8);
  });

  test("every event arrives once and in order, as the feed has it, those of the past and those that follow", async () => {
    await using service = await start(5);
    using receiver = startReceiver();
    await using relay = startRelay(service, receiver);
    await until(() => receiver.received.length === 5);
    await create(service, 1);
    await until(() => receiver.received.length === 6);
    const feed = await (await service.call("/v1/events")).text();
    expect(`[${receiver.received.map(({ body }) => body).join(",")}]`).toBe(feed);
    expect(receiver.isSound).toBe(true);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(6);
    expect(relay.kept.at(-1)?.event).toBe(BigInt(receiver.ids().at(-1) as number));
  });

  test("a relay that begins at any position that was kept delivers exactly what follows", async () => {
    await using service = await start(4);
    using receiver = startReceiver();
    const positions: Position[] = [];
    {
      await using relay = startRelay(service, receiver);
      await until(() => receiver.received.length === 4);
      await until(() => relay.kept.at(-1)?.event === BigInt(receiver.ids().at(-1) as number));
      positions.push(...relay.kept);
    }
    for (const position of positions) {
      await create(service, 1);
      const feed = (await (await service.call("/v1/events?limit=100")).json()) as { id: number }[];
      const expected = feed.map(({ id }) => id).filter((id) => id > Number(position.event));
      using again = startReceiver();
      await using _ = startRelay(service, again, { position });
      await until(() => again.received.length === expected.length);
      expect(again.ids()).toEqual(expected);
    }
  });

  test("the next event leaves after the target has accepted the one before", async () => {
    await using service = await start(3);
    using receiver = startReceiver(
      (_, number) => new Response(null, { status: number % 3 === 0 ? 200 : 503 }),
    );
    await using _ = startRelay(service, receiver);
    await until(() => receiver.received.length === 9);
    const ids = receiver.ids();
    expect(ids).toEqual(ids.toSorted((one, other) => one - other));
    for (const { id, event } of receiver.received) {
      expect(id).toBe(receiver.received.find((other) => other.event.id === event.id)?.id as string);
    }
  });

  test("only the types that are wanted are delivered, and the position goes past the others", async () => {
    await using service = await start(2);
    using receiver = startReceiver();
    await using relay = startRelay(service, receiver, { wants: (type) => type === "order.placed" });
    await service.call("/v1/orders", {
      method: "POST",
      body: '{"petId":2}',
      headers: { "content-type": "application/json" },
    });
    await create(service, 1);
    const [last] = ((await (await service.call("/v1/events")).json()) as { id: number }[]).slice(-1);
    await until(() => relay.kept.at(-1)?.event === BigInt(last?.id as number));
    expect(receiver.received.map(({ event }) => event.type)).toEqual(["order.placed"]);
  });

  test("a relay that begins with now delivers nothing of the past", async () => {
    await using service = await start(3);
    using receiver = startReceiver();
    await using relay = startRelay(service, receiver, { start: "latest" });
    await until(() => relay.kept.length > 0);
    await create(service, 1);
    await until(() => receiver.received.length === 1);
    expect(receiver.received[0]?.event.animal).toMatchObject({ id: 4 });
  });

  test("a replay begins with its event, whatever the position says, and repeats ids", async () => {
    await using service = await start(5);
    using receiver = startReceiver();
    let position: Position | undefined;
    {
      await using relay = startRelay(service, receiver);
      await until(() => receiver.received.length === 5);
      await until(() => relay.kept.at(-1)?.event === BigInt(receiver.ids().at(-1) as number));
      position = relay.kept.at(-1);
    }
    using again = startReceiver();
    const from = receiver.ids()[2] as number;
    await using _ = startRelay(service, again, { position, replayFrom: BigInt(from) });
    await until(() => again.received.length === 3);
    expect(again.received.map(({ id }) => id)).toEqual(receiver.received.slice(2).map(({ id }) => id));
  });

  test("a replay of an event that is not there is refused", async () => {
    await using service = await start(2);
    using receiver = startReceiver();
    await using relay = startRelay(service, receiver, { replayFrom: 1_000_000n });
    expect(await relay.ended).toMatchObject({
      why: "replay_unknown",
      message: expect.stringContaining("no event 1000000 yet"),
    });
    expect(receiver.received).toEqual([]);
  });

  test("a position of another store is refused, even if that store has an event of the number", async () => {
    await using one = await start(3);
    await using other = await start(3);
    using receiver = startReceiver();
    let position: Position | undefined;
    {
      await using relay = startRelay(one, receiver);
      await until(() => receiver.received.length === 3);
      await until(() => relay.kept.length > 0);
      position = relay.kept.at(-1);
    }
    await using relay = startRelay(other, receiver, { position, restarts: true });
    expect(await relay.ended).toMatchObject({ why: "foreign_position" });
    expect(receiver.received.length).toBe(3);
  });

  test("where the feed has lost its position a relay ends, or goes on after the latest event if it was told to", async () => {
    await using service = await start(3);
    using receiver = startReceiver();
    let position: Position | undefined;
    {
      await using relay = startRelay(service, receiver);
      await until(() => receiver.received.length === 3);
      position = relay.kept[0];
    }
    // More events are gone than the relay had delivered.
    await service.store.deleteExpiredEvents(Date.now() + 1);
    await create(service, 1);
    await service.store.deleteExpiredEvents(Date.now() + 1);
    await using ending = startRelay(service, receiver, { position });
    expect(await ending.ended).toMatchObject({
      why: "feed_lost",
      message: expect.stringContaining("--from-now"),
    });
    // The ids of a restored store may be below those that the relay has seen.
    const ahead = { cursor: position?.cursor as string, event: 1_000_000n };
    await using relay = startRelay(service, receiver, { position: ahead, restarts: true });
    await until(() => relay.kept.length > 0);
    await create(service, 1);
    await until(() => receiver.received.length === 4);
    expect(relay.notices.map(({ notice }) => notice)).toContain("started_anew");
  });
});
