import { expect, test } from "bun:test";
import type { AnimalStore } from "../../client/animal-store.ts";
import type { StoreEvent } from "../../client/events.ts";
import { clientOf, collect } from "../../test/client/client-of.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { serve } from "../../test/support/program.ts";
import { startProxy } from "../../test/support/proxy.ts";
import { until } from "../../test/support/until.ts";

// A loop over the feed of a real process that is killed and stopped, behind a proxy that cuts connections anywhere.

const ROUNDS = 12;
const PATIENT = { retries: 1_000, deadlineMs: Number.POSITIVE_INFINITY, onDeprecation: () => {} };

test("through cuts in the middle of events, kills and stops, a loop gets every event once and in order", async () => {
  using folder = temporaryFolder();
  const options = { cwd: folder.path, env: { STABILITY: "experimental" } };
  let service = await serve(options);
  const { key } = service;
  const port = new URL(service.address).port;
  await using stack = new AsyncDisposableStack();
  stack.defer(() => service[Symbol.asyncDispose]());
  const restart = async (signal: NodeJS.Signals) => {
    service.kill(signal);
    await service.exited;
    await service[Symbol.asyncDispose]();
    service = await serve(options, ["--port", port]);
  };

  let cutNext = false;
  let cuts = 0;
  await using proxy = await startProxy(Number(port), {
    toClient: (data, link) => {
      if (!cutNext || !data.includes("data: ")) return undefined;
      cutNext = false;
      cuts++;
      setImmediate(() => link.cut());
      return data.subarray(0, data.indexOf("data: ") + 3 + Math.floor(Math.random() * 80));
    },
  });

  const writer = clientOf(service, PATIENT);
  let retries = 0;
  let isConnected = false;
  const reader = clientOf(service, {
    ...PATIENT,
    baseUrl: `http://127.0.0.1:${proxy.port}/v1`,
    apiKey: key,
    onResponse: () => {
      isConnected = true;
    },
    onRetry: () => {
      isConnected = false;
      retries++;
    },
  });
  const seen: StoreEvent[] = [];
  const ended = new AbortController();
  const loop = (async () => {
    for await (const event of reader.events.stream({}, { signal: ended.signal })) seen.push(event);
  })().catch((error) => error);

  for (let round = 0; round < ROUNDS; round++) {
    await until(() => isConnected);
    const before = retries;
    const fault = round % 3;
    if (fault === 0) cutNext = true;
    const changes = change(writer);
    if (fault === 1) await restart("SIGKILL");
    if (fault === 2) await restart("SIGTERM");
    await changes;
    await until(() => retries > before);
  }
  const kept = await collect(writer.events.list());
  await until(() => seen.length >= kept.length);
  ended.abort("done");
  expect(await loop).toBe("done");

  expect(seen).toEqual(kept);
  expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
  const created = seen.flatMap((event) => (event.type === "animal.created" ? [event.animal.id] : []));
  expect(created).toEqual((await collect(writer.pets.list())).map(({ id }) => id));
  expect(seen.filter(({ type }) => type === "order.placed").length).toBe(ROUNDS * 5);
  expect(cuts).toBe(ROUNDS / 3);
});

/** Five animals, each with an order that is cancelled: 25 events. */
async function change({ pets, orders }: AnimalStore): Promise<void> {
  const each = async () => {
    const { id } = await pets.create({ name: "Rex", categoryId: 9223372036854775807n });
    const order = await orders.place(id);
    await orders.update(order.id, "cancelled");
  };
  await Promise.all(Array.from({ length: 5 }, each));
}
