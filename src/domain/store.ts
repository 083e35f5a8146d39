import type { Animal, NewAnimal, ReadAnimal, Status } from "./animal.ts";
import type { ApiKey, KeyUseDays, ListedKey, NewApiKey } from "./api-key.ts";
import type { EventPage, EventQuery } from "./change-event.ts";
import type { Idempotency } from "./idempotency.ts";
import type { MaybePromise } from "./maybe-promise.ts";
import type { Included, NewOrder, Order, OrderQuery, OrderStatus, ReadOrder } from "./order.ts";
import type { Page, PageQuery } from "./page.ts";
import type { Revision } from "./revision.ts";

/**
 * The outcome of a create: the new animal, the animal that an earlier create with the same `Idempotency-Key` added, or
 * `"key_reused"` if that key was used with other content.
 */
export type Added = Animal | { readonly replayed: Animal } | "key_reused";

/** Nothing was written, since the API keys have changed since the caller's key was checked. */
export class KeysChanged extends Error {}

/** What is read of animals, as each engine's `Animals` does it. Methods fail as those of `AnimalStore` do. */
export interface AnimalReads {
  listAnimals(query: PageQuery): MaybePromise<Page<ReadAnimal>>;
  findAnimal(id: bigint): MaybePromise<ReadAnimal | undefined>;
}

/**
 * The animals. Every method is one atomic step. If the store cannot do its work now, a method rejects with a `StoreFailure`,
 * or throws it if it would otherwise return a value. Any other error is a defect.
 */
export interface AnimalStore extends AnimalReads {
  /**
   * Adds an animal; resolves when it is on the disk. Ids ascend in the order in which animals become visible. If the
   * `Idempotency-Key` was used before with the same content, it adds nothing and repeats the first outcome.
   *
   * @param ifKeysAt a revision; if the API keys have changed since, nothing is added, and it rejects with `KeysChanged`
   */
  addAnimal(animal: NewAnimal, idempotency?: Idempotency, ifKeysAt?: Revision): Promise<Added>;
}

/**
 * The outcome of placing an order: the new order, the order that an earlier request with the same `Idempotency-Key` placed
 * (as it was then), `"key_reused"` if that key was used with other content, or why the animal cannot be ordered.
 */
export type Placed =
  | Order
  | { readonly replayed: Order }
  | "key_reused"
  | "animal_not_found"
  | { readonly unavailable: Exclude<Status, "available"> };

/**
 * The outcome of changing an order: the order as it is now, or why it did not change. `differs` is the order where it is
 * not as the caller expected.
 */
export type Updated =
  | Order
  | "order_not_found"
  | { readonly differs: Order }
  | { readonly invalidFrom: OrderStatus };

/**
 * The orders. Every method is one atomic step, and a write also changes the animal's status. Methods fail as those of
 * `AnimalStore` do.
 */
export interface OrderStore {
  /**
   * Orders an available animal, which becomes pending; resolves when the order is on the disk. Ids ascend in the sequence
   * in which orders become visible.
   *
   * @param ifKeysAt as for `addAnimal`
   */
  placeOrder(order: NewOrder, idempotency?: Idempotency, ifKeysAt?: Revision): Promise<Placed>;
  /**
   * Changes the status of an order, if that transition is allowed. Setting the current status again changes nothing.
   *
   * @param ifKeysAt as for `addAnimal`
   * @param expected the order as the caller knows it, or `"unknown"`: if it is not so, nothing changes
   */
  updateOrder(
    id: bigint,
    status: OrderStatus,
    ifKeysAt?: Revision,
    expected?: Order | "unknown",
  ): Promise<Updated>;
  listOrders(query: OrderQuery): MaybePromise<Page<ReadOrder>>;
  /** @param include `"pet"` reads the order together with its animal */
  findOrder(id: bigint, include?: Included): MaybePromise<ReadOrder | undefined>;
}

/** How far the feed goes. */
export interface FeedState {
  /** Whether all instances record events. A new store does not. */
  readonly isRecording: boolean;
  /** The id up to which events have expired. It only grows. */
  readonly expiredThrough: bigint;
}

/**
 * The feed of changes to animals and orders. If events are recorded, the transaction of a change also writes its events:
 * first the event of the order, then that of the animal whose status the order changed.
 */
export interface FeedStore {
  /**
   * Returns `"expired"` if events above `after` may be missing: they expired, they were not recorded for a while, or `after`
   * is neither the id of an event nor the `newest` of a page, so that event was lost. The reader must then start again from
   * a list.
   */
  listEvents(query: EventQuery): MaybePromise<EventPage | "expired">;
  /** The id of the newest event, even if it was deleted; 0 if there never was one. */
  newestEventId(): MaybePromise<bigint>;
  feedState(): MaybePromise<FeedState>;
  /** Switches recording on or off. Switching it on expires all earlier positions in the feed. */
  recordEvents(on: boolean): Promise<void>;
  /** Deletes a bounded number of the oldest events recorded before a time (milliseconds since 1970); returns that number. */
  deleteExpiredEvents(before: number): Promise<number>;
}

/** The API keys, by the SHA-256 of each. Times are milliseconds since 1970, UTC. */
interface KeyStore {
  findKey(hash: Uint8Array): MaybePromise<ApiKey | undefined>;
  /** In the order of their creation. */
  listKeys(): Promise<ListedKey[]>;
  /**
   * Records the last uses of keys, which changes no revision. An earlier day than the recorded one changes nothing.
   */
  recordKeyUses(uses: KeyUseDays): Promise<void>;
  addKey(key: NewApiKey): Promise<ApiKey>;
  /** Adds a key only if the store has none, even if several processes try at once; returns whether it did. */
  addFirstKey(key: NewApiKey): Promise<boolean>;
  /** Revokes a key at `at`, unless it was revoked earlier; `undefined` if there is no such key. */
  revokeKey(id: number, at: number): Promise<ApiKey | undefined>;
  /**
   * Adds `successor` to the line of the key `id`, which then expires at `expiresAt` or earlier; `undefined` if there is no
   * such key, or it has a successor already.
   */
  replaceKey(id: number, successor: NewApiKey, expiresAt: number): Promise<ApiKey | undefined>;
}

/** The reply to a read, and a revision that it is not older than. */
export interface DatedReply<Reply> {
  readonly reply: Reply;
  readonly revision: Revision;
  /**
   * Whether the reply may show more than the revision by more than a moment: it is of another server, or was asked for again.
   * What a server reads right after its revision is not marked.
   */
  readonly mayBeLater: boolean;
}

/** A store. `storeOn` in `src/stores/sqlite/store.ts` and in `src/stores/postgres/store.ts` make it. */
export interface Store extends AnimalStore, OrderStore, FeedStore, KeyStore {
  /** The secret that signs cursors. It is created once, and all instances share it. */
  cursorSecret(): Promise<Uint8Array>;
  /** The current revision, if the store knows it without waiting; otherwise `undefined`. */
  revisionAtHand(): Revision | undefined;
  /**
   * Reads, together with all that is read in this turn of the event loop: in one read transaction on SQLite, in one packet
   * on PostgreSQL. While few reads arrive, SQLite does each at once and returns no promise.
   *
   * @param work calls one of the methods above that only read; an exception of it becomes that of this read alone
   * @param sharedAs a name: reads of one turn with the same name run once, and share the reply
   * @returns the reply, and a revision that is current at some time after this call. The reply is not older
   */
  read<Reply>(work: () => MaybePromise<Reply>, sharedAs?: string): MaybePromise<DatedReply<Reply>>;
  /** Resolves if the store can be read; otherwise rejects with a `StoreFailure`. */
  check(): Promise<void>;
  /** Resolves if the store can be written, or could be a moment ago; otherwise rejects with a `StoreFailure`. */
  checkWriting(): Promise<void>;
  /** What a write under way waits for, in words that anybody may read; `undefined` if none waits, or that is unknown. */
  findWriteWait(): Promise<string | undefined>;
  /** Deletes a bounded number of expired rows, for example idempotency records; returns that number. */
  deleteExpired(): Promise<number>;
  /** Finishes pending work, and closes the store. */
  close(): Promise<void>;
}

/**
 * The methods that ask the engine for something, and whether a service calls them: else commands alone do. Telemetry counts
 * them, so a new method of `Store` does not compile until it is here.
 */
export const CALLS = {
  addAnimal: true,
  listAnimals: true,
  findAnimal: true,
  placeOrder: true,
  updateOrder: true,
  listOrders: true,
  findOrder: true,
  listEvents: true,
  newestEventId: true,
  feedState: true,
  recordEvents: true,
  deleteExpiredEvents: true,
  findKey: true,
  listKeys: true,
  recordKeyUses: true,
  addKey: false,
  addFirstKey: true,
  revokeKey: false,
  replaceKey: false,
  cursorSecret: true,
  check: true,
  checkWriting: true,
  deleteExpired: true,
} satisfies Readonly<
  Record<Exclude<keyof Store, "revisionAtHand" | "read" | "findWriteWait" | "close">, boolean>
>;
