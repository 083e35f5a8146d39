import { expect } from "bun:test";
import { parseExact } from "../../contract/animal.ts";
import { type Client, NoResponse } from "../../contract/client.ts";
import { eventOf, type FeedEvent } from "../../contract/event.ts";
import { until } from "../../test/support/until.ts";
import { checkFeed } from "../../verify/feed.ts";
import { walk, walkOrders } from "../../verify/walk.ts";

/** Follows the feed as a stream; after each end it resumes behind the last event. */
export class FeedFollower {
  readonly seen: FeedEvent[] = [];
  readonly #client: () => Client;

  /** @param client a client of an instance, where it listens now */
  constructor(client: () => Client) {
    this.#client = client;
  }

  /** The headers that resume the stream. */
  get headers(): Readonly<Record<string, string>> {
    const last = this.seen.at(-1)?.id;
    return { Accept: "text/event-stream", ...(last !== undefined && { "Last-Event-ID": `${last}` }) };
  }

  /** Reads until there was enough. */
  async follow(enough: () => boolean): Promise<void> {
    while (!enough()) {
      await this.#client()
        .stream({ path: "/events", headers: this.headers }, ({ data }) => {
          if (data !== undefined) this.seen.push(eventOf(parseExact(Buffer.from(data))));
          return enough();
        })
        .catch((error) => {
          if (!(error instanceof NoResponse)) throw error;
        });
      await Bun.sleep(10);
    }
  }
}

/** Creates animals and orders each of them while `goesOn`; a request that is refused or cut off is not repeated. */
export async function createAndOrder(
  client: () => Client,
  name: string,
  goesOn: () => boolean,
): Promise<void> {
  for (let at = 0; goesOn(); at++) {
    try {
      const create = { path: "/pets", body: `{"name":"${name}.${at}","categoryId":1}` };
      const { status, body } = await client().send(create);
      if (status === 201) {
        const { id } = parseExact(body) as { id: bigint };
        await client().send({ path: "/orders", body: `{"petId":${id}}` });
      } else await Bun.sleep(10);
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error;
      await Bun.sleep(10);
    }
  }
}

/**
 * Expects that readers that have followed a feed from its beginning have every change of the store once and in order.
 *
 * @param readers still reading; they end once they have the last event
 * @param client of a store whose orders are all placed
 * @returns what they have, for people
 */
export async function expectWhole(client: Client, readers: readonly FeedFollower[]): Promise<string> {
  // One more change, so that the end of the feed is known.
  const { body } = await client.send({ path: "/pets", body: '{"name":"the last","categoryId":1}' });
  const { id } = parseExact(body) as { id: bigint };
  const [animals, orders] = [await walk(client), await walkOrders(client)];
  for (const { seen } of readers) {
    await until(() => seen.at(-1)?.subject === id);
    expect(seen.findIndex((event, at) => at > 0 && event.id <= (seen[at - 1] as FeedEvent).id)).toBe(-1);
    checkFeed(seen, animals, orders);
    const changed = seen.filter(({ type }) => type === "animal.status_changed");
    expect(changed.map(({ subject }) => subject)).toEqual(orders.map(({ petId }) => petId));
  }
  return `${readers[0]?.seen.length} events of ${animals.length} animals and ${orders.length} orders`;
}
