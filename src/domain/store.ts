import type { Animal, NewAnimal, ReadAnimal, Status } from "./animal.ts";
import type { ApiKey, NewApiKey } from "./api-key.ts";
import type { EventPage, EventQuery } from "./change-event.ts";
import type { Idempotency } from "./idempotency.ts";
import type { MaybePromise } from "./maybe-promise.ts";
import type { Order, OrderQuery, OrderStatus } from "./order.ts";
import type { Page, PageQuery } from "./page.ts";
import type { Revision } from "./revision.ts";

/**
 * The outcome of a create: the animal that it added, the one that an earlier create with the same `Idempotency-Key`
 * added, or that this key was used with other content.
 */
export type Added = Animal | { readonly replayed: Animal } | "key_reused";

/** Nothing was added, since the API keys have changed since the caller's was looked at. */
export class KeysChanged extends Error {}

/**
 * The stock of animals. Every method is one atomic step. Where the store cannot do its work now, a method
 * rejects with a `StoreFailure`, or throws it where it would answer at once; any other error is a defect.
 */
export interface AnimalStore {
  /**
   * Resolves when the animal is on the disk. Ids ascend in the order in which animals become visible.
   * Where its `Idempotency-Key` was used before with the same content, it adds nothing and repeats the first outcome.
   *
   * @param ifKeysAt a revision: where the keys have changed since, nothing is added, and it rejects
   *   with `KeysChanged`
   */
  addAnimal(animal: NewAnimal, idempotency?: Idempotency, ifKeysAt?: Revision): Promise<Added>;
  listAnimals(query: PageQuery): MaybePromise<Page<ReadAnimal>>;
  findAnimal(id: bigint): MaybePromise<ReadAnimal | undefined>;
}

/**
 * The outcome of placing an order: the new order, the order that an earlier request with the same `Idempotency-Key`
 * placed (as it was then), that this key was used with other content, or why the animal cannot be ordered.
 */
export type Placed =
  | Order
  | { readonly replayed: Order }
  | "key_reused"
  | "animal_not_found"
  | { readonly unavailable: Exclude<Status, "available"> };

/** The outcome of changing an order: the order as it is now, or why it did not change. */
export type Updated = Order | "order_not_found" | { readonly invalidFrom: OrderStatus };

/**
 * The orders. Every method is one atomic step that also changes the ordered animal's status, and fails as those of
 * `AnimalStore` do.
 */
export interface OrderStore {
  /**
   * Orders an animal that is available, which becomes pending. Resolves when the order is on the disk. Ids ascend in the
   * order in which orders become visible.
   *
   * @param ifKeysAt as for `addAnimal`
   */
  placeOrder(petId: bigint, idempotency?: Idempotency, ifKeysAt?: Revision): Promise<Placed>;
  /** Gives an order another status, if it may take that step. With the status that it has, nothing changes. */
  updateOrder(id: bigint, status: OrderStatus, ifKeysAt?: Revision): Promise<Updated>;
  listOrders(query: OrderQuery): MaybePromise<Page<Order>>;
  findOrder(id: bigint): MaybePromise<Order | undefined>;
}

/**
 * The feed of changes to animals and orders. Where events are recorded, each change writes its events in its own
 * transaction: first that of the order, then that of the animal whose status the order changed.
 */
export interface FeedStore {
  /**
   * `"expired"`: events above `after` may be missing. They were deleted for their age, changes were not recorded for a
   * time, or `after` is neither the id of an event nor the `newest` of a page: the event was lost. The reader has to start
   * again from a list.
   */
  listEvents(query: EventQuery): MaybePromise<EventPage | "expired">;
  /** The id of the newest event, kept or deleted; 0 where there was none. */
  newestEventId(): MaybePromise<bigint>;
  /** Whether changes are recorded, by every instance. At first they are not. */
  isRecordingEvents(): MaybePromise<boolean>;
  /** Switches recording on or off. When it is switched on, all earlier positions in the feed expire. */
  recordEvents(on: boolean): Promise<void>;
  /** Deletes the oldest events recorded before a time (milliseconds since 1970): a bounded number, which it returns. */
  deleteExpiredEvents(before: number): Promise<number>;
}

/** The API keys, by the SHA-256 of each. Times are milliseconds since 1970, UTC. */
interface KeyStore {
  findKey(hash: Uint8Array): MaybePromise<ApiKey | undefined>;
  /** In the order of their creation. */
  listKeys(): Promise<ApiKey[]>;
  addKey(key: NewApiKey): Promise<ApiKey>;
  /** Adds a key only where none was ever added, also when many ask at once; tells whether it did. */
  addFirstKey(key: NewApiKey): Promise<boolean>;
  /** Ends a key's life at `at`; one that has ended earlier stays so. `undefined`: there is no such key. */
  revokeKey(id: number, at: number): Promise<ApiKey | undefined>;
  /**
   * Adds `successor`, of the same line, and lets the key `id` expire at `expiresAt`, or earlier where it would have.
   */
  replaceKey(id: number, successor: NewApiKey, expiresAt: number): Promise<ApiKey | undefined>;
}

export interface Store extends AnimalStore, OrderStore, FeedStore, KeyStore {
  /** The secret that signs cursors: made once, shared by all instances. */
  cursorSecret(): Promise<Uint8Array>;
  /** The revision that holds now, where the store knows it without being asked; `undefined` elsewhere. */
  revisionAtHand(): Revision | undefined;
  /**
   * Runs `work`, and makes all that it reads from the store one step: one read transaction on SQLite, one packet on
   * PostgreSQL. It gets a revision that holds at some time after this call, and nothing that it reads is older. The step
   * ends when `work` returns or throws.
   */
  together<Result>(work: (revision: MaybePromise<Revision>) => Result): Result;
  /** Resolves when the store can be read; rejects with a `StoreFailure` otherwise. */
  check(): Promise<void>;
  /** Resolves when animals can be stored, as a moment ago they could; rejects with a `StoreFailure` otherwise. */
  checkWriting(): Promise<void>;
  /** Deletes what has expired, for example idempotency records: a bounded number of rows, which it returns. */
  deleteExpired(): Promise<number>;
  /** Finishes what was begun. */
  close(): Promise<void>;
}
