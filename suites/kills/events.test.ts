import { expect, test } from "bun:test";
import { parseExact } from "../../verify/animal.ts";
import { NoAnswer } from "../../verify/client.ts";
import { walk, walkOrders } from "../../verify/walk.ts";
import { Fleet } from "../orders/fleet.ts";

const KILLS = 6;
const CLIENTS = 6;

interface FeedEvent {
  readonly id: bigint;
  readonly type: string;
  readonly animal?: { readonly id: bigint };
  readonly order?: { readonly id: bigint };
}

/** Creates animals and orders them until told to stop; what a kill cuts off is not repeated. */
async function write(fleet: Fleet, client: number, goesOn: () => boolean): Promise<void> {
  for (let at = 0; goesOn(); at++) {
    try {
      const create = { path: "/pets", body: `{"name":"${client}.${at}","categoryId":1}` };
      const { status, body } = await fleet.client(0).send(create);
      if (status !== 201) continue;
      const { id } = parseExact(body) as { id: bigint };
      await fleet.client(0).send({ path: "/orders", body: `{"petId":${id}}` });
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      await Bun.sleep(10);
    }
  }
}

/** Follows the feed as a stream until there was enough; after each end it resumes behind the last event. */
async function follow(fleet: Fleet, seen: FeedEvent[], enough: () => boolean): Promise<void> {
  while (!enough()) {
    const last = seen.at(-1)?.id;
    const headers = {
      Accept: "text/event-stream",
      ...(last !== undefined && { "Last-Event-ID": `${last}` }),
    };
    let read = 0;
    const learn = (text: string) => {
      const whole = text.slice(0, text.lastIndexOf("\n\n") + 1);
      for (const [, data = ""] of whole.slice(read).matchAll(/^data: (.*)\n/gm))
        seen.push(parseExact(Buffer.from(data)) as FeedEvent);
      read = whole.length;
      return enough();
    };
    await fleet
      .client(0)
      .stream({ path: "/events", headers }, learn)
      .catch(() => Bun.sleep(10));
  }
}

test(`through ${KILLS} kills, a stream that resumes has every change once and in order`, async () => {
  await using fleet = await Fleet.start(1, { STABILITY: "experimental" });
  const seen: FeedEvent[] = [];
  let isWriting = true;
  let last: bigint | undefined;
  const following = follow(fleet, seen, () => last !== undefined && (seen.at(-1)?.id ?? 0n) >= last);
  const writing = Promise.all(Array.from({ length: CLIENTS }, (_, id) => write(fleet, id, () => isWriting)));
  for (let kill = 0; kill < KILLS; kill++) {
    const wanted = seen.length + 30 + 17 * kill;
    while (seen.length < wanted) await Bun.sleep(2);
    await fleet.kill(0);
  }
  isWriting = false;
  await writing;
  const client = fleet.client(0);
  const [animals, orders] = [await walk(client), await walkOrders(client)];
  // One more change, so that the end of the feed is known.
  const { body } = await client.send({ path: "/pets", body: '{"name":"the last","categoryId":1}' });
  const { id } = parseExact(body) as { id: bigint };
  while (seen.at(-1)?.animal?.id !== id) await Bun.sleep(5);
  last = seen.at(-1)?.id;
  await following;
  const ids = seen.map((event) => event.id);
  expect(ids.findIndex((each, at) => at > 0 && each <= (ids[at - 1] as bigint))).toBe(-1);
  const idsOf = (type: string) =>
    seen.filter((event) => event.type === type).map(({ animal, order }) => animal?.id ?? order?.id);
  expect(idsOf("animal.created")).toEqual([...animals.map((animal) => animal.id), id]);
  expect(idsOf("order.placed")).toEqual(orders.map((order) => order.id));
  expect(idsOf("animal.status_changed")).toEqual(orders.map(({ petId }) => petId));
  console.log(
    `${seen.length} events of ${animals.length} animals and ${orders.length} orders, ${KILLS} kills`,
  );
});
