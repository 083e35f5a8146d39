import {
  type Animal,
  type Event,
  type EventType,
  type ListEventsQuery,
  listEvents,
  type Order,
} from "./contract.ts";
import { EventStream } from "./event-stream.ts";
import { List } from "./list.ts";
import type { Operation } from "./operation.ts";
import type { CallOptions, StreamOptions } from "./options.ts";
import type { Transport } from "./transport.ts";

/** A change of an animal or an order, with the animal or order as it was afterwards. A newer service may have more types. */
export type StoreEvent = Event &
  (
    | { readonly type: Extract<EventType, `animal.${string}`>; readonly animal: Animal }
    | { readonly type: Extract<EventType, `order.${string}`>; readonly order: Order }
  );

/** The document has one type for all events; each has the member that its `type` says. */
type ListStoreEvents = Operation<StoreEvent[]>;

/** The query of a stream of events. A stream that begins with the latest event is `streamFrom`. */
export interface StreamEventsQuery extends Omit<ListEventsQuery, "limit" | "from"> {
  /** The `id` of the last event that you have: the stream begins after it; without it, with the oldest event kept. */
  readonly since?: bigint | undefined;
}

/**
 * The feed of changes to animals and orders (experimental: its shape may change). A service that does not offer it refuses
 * every call with `PathNotFoundError`.
 */
export class Events {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * The events as they happen, each once and in order. The stream reconnects by itself, and resumes after the last
   * event that the loop got. It ends only with an error, when the loop breaks, or when `signal` aborts.
   *
   * @example
   * for await (const event of store.events.stream({ since })) {
   *   if (event.type === "order.placed") console.log(event.order.petId);
   *   since = event.id; // Keep it where it outlives the program.
   * }
   *
   * The loop throws `EventsExpiredError` if the service no longer keeps the events after `since`: start again as
   * `streamFrom` shows. It throws at once if reconnecting cannot help, for example an `UnauthorizedError`.
   *
   * The events arrive as server-sent events (WHATWG HTML, section 9.2).
   */
  stream(query: StreamEventsQuery = {}, options: StreamOptions = {}): EventStream<StoreEvent> {
    const { since, ...filter } = query;
    const url = this.#transport.address.of(listEvents, {}, filter);
    return new EventStream(this.#transport, listEvents as ListStoreEvents, url, since, options);
  }

  /**
   * The events after a page, as they happen: from the `next` of a `Page`. A program that keeps a copy of the store asks for
   * the latest page first and for the lists after it, so it misses nothing.
   *
   * @example
   * const { next = "" } = await store.events.list({ from: "latest" }).firstPage();
   * for await (const animal of store.pets.list()) keep(animal);
   * for await (const event of store.events.streamFrom(next)) if (event.animal) keep(event.animal);
   *
   * @throws TypeError if the address is not below `baseUrl`
   */
  streamFrom(url: string, options: StreamOptions = {}): EventStream<StoreEvent> {
    return new EventStream(
      this.#transport,
      listEvents as ListStoreEvents,
      this.#transport.address.follow(url),
      undefined,
      options,
    );
  }

  /**
   * Lists the events that the service keeps, oldest first. A loop ends with the newest. To get later events, keep the
   * `next` of the last page, and continue with `listFrom`.
   * @param query `limit` is the page size: 100 by default, the maximum
   */
  list(query: ListEventsQuery = {}, options: CallOptions = {}): List<StoreEvent> {
    return new List(this.#transport, listEvents as ListStoreEvents, query, options);
  }

  /**
   * Continues a list at the address of one of its pages: the `url` or `next` of a `Page` that you kept.
   * @throws TypeError if the address is not below `baseUrl`
   */
  listFrom(url: string, options: CallOptions = {}): List<StoreEvent> {
    return new List(this.#transport, listEvents as ListStoreEvents, url, options);
  }
}
