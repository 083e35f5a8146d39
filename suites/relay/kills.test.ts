import { expect, test } from "bun:test";
import { Client } from "../../contract/client.ts";
import { startReceiver } from "../../test/relay/receiver.ts";
import { startRelayProcess } from "../../test/relay/relay-process.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { freePort } from "../../test/support/free-port.ts";
import { serve } from "../../test/support/program.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { until } from "../../test/support/until.ts";
import type { Child } from "../../verify/child.ts";
import { createAndOrder } from "../orders/feed-follower.ts";
import { shareOfCount } from "../share.ts";

const KILLS = shareOfCount(200, "kills of a relay and its service");
/** How many deliveries come before each kill. */
const DELIVERIES_EACH = 250;
const CLIENTS = 8;

const killed = async (child: Pick<Child, "pid" | "exited">) => {
  process.kill(child.pid, "SIGKILL");
  await child.exited;
};

test(
  `through ${KILLS} kills of relay and service, while clients write, each event arrives in order with one id`,
  killAndCompare,
  LONG_RUN_MS,
);

async function killAndCompare(): Promise<void> {
  using ofService = temporaryFolder();
  using ofRelay = temporaryFolder();
  using receiver = startReceiver();
  const address = `http://127.0.0.1:${freePort()}`;
  const startService = () =>
    serve({ cwd: ofService.path, env: { STABILITY: "experimental" } }, ["--port", new URL(address).port]);
  await using stack = new AsyncDisposableStack();
  let service = stack.use(await startService());
  const { key } = service;
  const startRelay = () =>
    stack.use(startRelayProcess({ cwd: ofRelay.path, address, key, to: receiver.url }));
  let relay = startRelay();
  const client = () => new Client(`${address}/v1`, key);
  let killsLeft = KILLS;
  const writing = Promise.all(
    Array.from({ length: CLIENTS }, (_, id) => createAndOrder(client, `${id}`, () => killsLeft > 0)),
  );
  for (; killsLeft > 0; killsLeft--) {
    const wanted = receiver.received.length + DELIVERIES_EACH;
    await until(() => receiver.received.length >= wanted);
    if (killsLeft % 2 === 0) {
      await killed(relay);
      relay = startRelay();
    } else {
      await killed(service);
      service = stack.use(await startService());
    }
  }
  await writing;
  const feed = await feedOf(address, key);
  await until(() => receiver.ids().at(-1) === feed.at(-1));
  const firsts = [...new Set(receiver.ids())];
  expect(firsts).toEqual(feed);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(feed.length);
  expect(new Set(receiver.received.map(({ id, event }) => `${id} ${event.id}`)).size).toBe(feed.length);
  expect(receiver.isSound).toBe(true);
  const repeated = receiver.received.length - feed.length;
  console.log(`${KILLS} kills, ${feed.length} events, ${repeated} deliveries repeated`);
}

/** The ids of all events, from the oldest. */
async function feedOf(address: string, key: string): Promise<number[]> {
  const ids: number[] = [];
  for (let next = "/v1/events?limit=100"; ; ) {
    const response = await fetch(address + next, { headers: { authorization: `Bearer ${key}` } });
    const page = (await response.json()) as { id: number }[];
    if (page.length === 0) return ids;
    ids.push(...page.map(({ id }) => id));
    next = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1] as string;
  }
}
