import { expect } from "bun:test";
import { parseExact } from "../../verify/animal.ts";
import { type Client, NoAnswer } from "../../verify/client.ts";
import { walk, walkOrders } from "../../verify/walk.ts";

interface FeedEvent {
  readonly id: bigint;
  readonly type: string;
  readonly animal?: { readonly id: bigint };
  readonly order?: { readonly id: bigint };
}

/** Follows the feed as a stream; after each end it resumes behind the last event. */
export class FeedReader {
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

  /** Reads on until there was enough. */
  async follow(enough: () => boolean): Promise<void> {
    while (!enough()) {
      const learn = this.#learner();
      await this.#client()
        .stream({ path: "/events", headers: this.headers }, (text) => {
          learn(text);
          return enough();
        })
        .catch((error) => {
          if (!(error instanceof NoAnswer)) throw error;
        });
      await Bun.sleep(10);
    }
  }

  /** Takes the events from the text of a stream, which grows from call to call. */
  #learner(): (text: string) => void {
    let read = 0;
    return (text) => {
      const whole = text.slice(0, text.lastIndexOf("\n\n") + 1);
      for (const [, data = ""] of whole.slice(read).matchAll(/^data: (.*)\n/gm))
        this.seen.push(parseExact(Buffer.from(data)) as FeedEvent);
      read = whole.length;
    };
  }
}

/** Creates animals and orders each, until told to stop; what is refused or cut off is not repeated. */
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
      if (!(error instanceof NoAnswer)) throw error;
      await Bun.sleep(10);
    }
  }
}

/**
 * Holds that readers that have followed a feed from its beginning have every change of the store once and in order.
 *
 * @param readers still reading; they end once they have the last event
 */
export async function expectWhole(client: Client, readers: readonly FeedReader[]): Promise<string> {
  // One more change, so that the end of the feed is known.
  const { body } = await client.send({ path: "/pets", body: '{"name":"the last","categoryId":1}' });
  const { id } = parseExact(body) as { id: bigint };
  const [animals, orders] = [await walk(client), await walkOrders(client)];
  for (const { seen } of readers) {
    while (seen.at(-1)?.animal?.id !== id) await Bun.sleep(5);
    const ids = seen.map((event) => event.id);
    expect(ids.findIndex((each, at) => at > 0 && each <= (ids[at - 1] as bigint))).toBe(-1);
    const idsOf = (type: string) =>
      seen.filter((event) => event.type === type).map(({ animal, order }) => animal?.id ?? order?.id);
    expect(idsOf("animal.created")).toEqual(animals.map((animal) => animal.id));
    expect(idsOf("order.placed")).toEqual(orders.map((order) => order.id));
    expect(idsOf("animal.status_changed")).toEqual(orders.map(({ petId }) => petId));
  }
  return `${readers[0]?.seen.length} events of ${animals.length} animals and ${orders.length} orders`;
}
