import type { Client } from "../../contract/client.ts";
import { nextQueryOf } from "../../contract/headers.ts";
import type { Contents } from "./contents.ts";

interface Seen {
  readonly id: number;
  readonly type: string;
  readonly animal?: { readonly id: number; readonly name: string };
  readonly order?: { readonly id: number; readonly petId: number };
}

/** A reader of the feed, which goes on where it was, at any instance. */
export class Follower {
  readonly #clients: readonly Client[];
  #path = "/events?limit=7";
  #seen: Seen[] = [];
  #turn = 0;

  constructor(clients: readonly Client[]) {
    this.#clients = clients;
  }

  /** Reads a page; returns how many events were on it, `undefined` if there was no answer that says it. */
  async read(): Promise<number | undefined> {
    const client = this.#clients[this.#turn++ % this.#clients.length] as Client;
    const { status, headers, body } = await client.send({ path: this.#path });
    if (status === 410) {
      // Events that it has seen are lost: it begins again.
      this.#seen = [];
      this.#path = "/events?limit=7";
      return undefined;
    }
    if (status !== 200) return undefined;
    const events = JSON.parse(body.toString()) as Seen[];
    this.#seen.push(...events);
    const next = nextQueryOf(headers, "/v1/events");
    if (next) this.#path = `/events?${next}`;
    return events.length;
  }

  /** What it has missed, or seen and should not have, once it has read to the end. */
  misses({ events }: Contents): string | undefined {
    const expected = events.map((event) =>
      event.orderId === null
        ? `${event.id} ${event.type} ${event.animalId} ${event.name}`
        : `${event.id} ${event.type} ${event.orderId} of ${event.animalId}`,
    );
    const seen = this.#seen.map(({ id, type, animal, order }) =>
      animal ? `${id} ${type} ${animal.id} ${animal.name}` : `${id} ${type} ${order?.id} of ${order?.petId}`,
    );
    const at = expected.findIndex((event, each) => event !== seen[each]);
    if (at < 0 && seen.length === expected.length) return undefined;
    const where = at < 0 ? expected.length : at;
    return `the feed goes on with ${expected[where] ?? "nothing"}, and its reader saw ${seen[where] ?? "nothing"}`;
  }
}
