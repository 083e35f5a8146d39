import type { Status } from "../../contract/animal.ts";
import type { Random } from "../random.ts";
import type { History, Intent, PageQuery } from "./history.ts";
import type { Shown } from "./reads.ts";

/** A page that a client remembers, to ask later whether it has changed. */
interface SavedPage extends PageQuery, Shown<Status> {
  readonly path: string;
  readonly etag: string;
  readonly limit: number;
  readonly more: boolean;
}

/** The position at which a list continues. */
export interface Position extends PageQuery {
  readonly cursor: string;
}

/** Adds an item to a list of what clients remember; once the list is full, the item replaces a random one. */
export function remember<Item>(items: Item[], item: Item, max: number, random: Random): void {
  items[items.length < max ? items.length : random.below(max)] = item;
}

/** What the clients of a run know, shared between them. */
export class Knowledge {
  readonly history: History;
  /** Creates with an `Idempotency-Key`. */
  readonly keyed: { readonly key: string; readonly intent: Intent }[] = [];
  readonly positions: Position[] = [];
  readonly pages: SavedPage[] = [];
  latest: SavedPage | undefined;
  highest = 0;
  /** Some acknowledged animals, most of them available, for clients that buy animals. */
  readonly unordered: number[] = [];
  /** Where the last known page of the whole list begins. */
  frontier: Position | undefined;
  /** The number of requests of each kind. */
  readonly counts: Record<string, number> = {};
  /** Requests that the service answered with 503. */
  putOff = 0;

  constructor(history: History) {
    this.history = history;
  }

  count(kind: string, times = 1): void {
    this.counts[kind] = (this.counts[kind] ?? 0) + times;
  }
}
