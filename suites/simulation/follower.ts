import type { Call, Client } from "../../contract/client.ts";
import { nextQueryOf } from "../../contract/headers.ts";
import type { StreamBlock } from "../../contract/server-sent-events.ts";
import { type Contents, describeEvent } from "./contents.ts";

interface Event {
  readonly id: number;
  readonly type: string;
  readonly animal?: { readonly id: number; readonly name: string };
  readonly order?: { readonly id: number; readonly petId: number };
}

/** The same words as `describeEvent`. */
function wordsOf({ id, type, animal, order }: Event): string {
  return animal
    ? `${id} ${type} ${animal.id} ${animal.name}`
    : `${id} ${type} ${order?.id} of ${order?.petId}`;
}

/** The events that a reader of the feed has seen, one after the other. */
class SeenEvents {
  readonly #wasShown: (event: string) => boolean;
  #all: Event[] = [];

  /** @param wasShown whether a primary has ever shown an event */
  constructor(wasShown: (event: string) => boolean) {
    this.#wasShown = wasShown;
  }

  get last(): number {
    return this.#all.at(-1)?.id ?? 0;
  }

  /** What is wrong with events that follow, if anything is. */
  add(events: readonly Event[]): string | undefined {
    for (const event of events) {
      if (event.id <= this.last) return `the feed gives event ${event.id} after event ${this.last}`;
      if (!this.#wasShown(wordsOf(event)))
        return `the feed gives ${wordsOf(event)}, which no primary has shown`;
      this.#all.push(event);
    }
    return undefined;
  }

  /** Events were lost: what follows begins again. */
  forget(): void {
    this.#all = [];
  }

  /** What it lacks of all that the feed has, or has beyond that. */
  misses({ events, expiredThrough }: Contents): string | undefined {
    const expected = events.filter(({ id }) => id > expiredThrough).map(describeEvent);
    const seen = this.#all.filter(({ id }) => id > expiredThrough).map(wordsOf);
    const at = expected.findIndex((event, each) => event !== seen[each]);
    if (at < 0 && seen.length === expected.length) return undefined;
    const where = at < 0 ? expected.length : at;
    return `the feed goes on with ${expected[where] ?? "nothing"}, and its reader saw ${seen[where] ?? "nothing"}`;
  }
}

/** Follows the feed from page to page, at any instance. */
export class PageFollower {
  readonly #clients: readonly Client[];
  readonly #seen: SeenEvents;
  #path = "/events?limit=7";
  #turn = 0;

  /** @param wasShown whether a primary has ever shown an event */
  constructor(clients: readonly Client[], wasShown: (event: string) => boolean) {
    this.#clients = clients;
    this.#seen = new SeenEvents(wasShown);
  }

  /**
   * Reads a page.
   *
   * @param fail receives what is wrong with it
   * @returns how many events were on it, `undefined` if there was no answer that says it
   */
  async read(fail: (what: string) => void): Promise<number | undefined> {
    const client = this.#clients[this.#turn++ % this.#clients.length] as Client;
    const { status, headers, body } = await client.send({ path: this.#path });
    if (status === 410) {
      this.#seen.forget();
      this.#path = "/events?limit=7";
      return undefined;
    }
    if (status !== 200) return undefined;
    const events = JSON.parse(body.toString()) as Event[];
    const wrong = this.#seen.add(events);
    if (wrong !== undefined) fail(wrong);
    const next = nextQueryOf(headers, "/v1/events");
    if (next) this.#path = `/events?${next}`;
    return events.length;
  }

  /** What it has missed, once it has read to the end. */
  misses(contents: Contents): string | undefined {
    return this.#seen.misses(contents);
  }
}

/** What a client of streams needs of an instance: it gives the status, and passes blocks on until that returns `true`. */
export type OpenStream = (call: Call, isEnough: (block: StreamBlock) => boolean) => Promise<number>;

/** Follows the feed as streams; after each end it resumes at another instance, behind the last event. */
export class StreamFollower {
  readonly #open: readonly OpenStream[];
  readonly #seen: SeenEvents;
  #position: string | undefined;
  #turn = 0;
  /** The events that streams have brought. */
  brought = 0;

  /** @param wasShown whether a primary has ever shown an event */
  constructor(open: readonly OpenStream[], wasShown: (event: string) => boolean) {
    this.#open = open;
    this.#seen = new SeenEvents(wasShown);
  }

  /**
   * Reads one stream to its end.
   *
   * @param fail receives what is wrong with it
   * @param enough asked after each block
   * @param lastsMs how long the client stays
   */
  async follow(fail: (what: string) => void, enough: () => boolean, lastsMs: number): Promise<void> {
    const open = this.#open[this.#turn++ % this.#open.length] as OpenStream;
    const from = this.#position !== undefined && { "Last-Event-ID": this.#position };
    const headers = { accept: "text/event-stream", ...from };
    const call = { path: "/events", headers, signal: AbortSignal.timeout(lastsMs) };
    const status = await open(call, ({ id, data }) => {
      this.#position = id ?? this.#position;
      if (data !== undefined) {
        this.brought++;
        const wrong = this.#seen.add([JSON.parse(data)]);
        if (wrong !== undefined) fail(`as a stream, ${wrong}`);
      }
      return enough();
    });
    if (status !== 410) return;
    this.#seen.forget();
    this.#position = undefined;
  }

  /** What it has missed so far. */
  misses(contents: Contents): string | undefined {
    const missed = this.#seen.misses(contents);
    return missed && `as a stream, ${missed}`;
  }
}
