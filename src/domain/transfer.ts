import type { Animal, NewAnimal } from "./animal.ts";
import type { ApiKey } from "./api-key.ts";
import type { Correction, Corrections } from "./correction.ts";
import type { Order } from "./order.ts";

/**
 * The greatest id that an animal may be brought in with: 2^62. As many again are left for those to come, where one
 * of the greatest int64 would be the last that the store could ever take.
 */
export const IMPORTED_ID_MAX = 2n ** 62n;

/** An animal to bring in: with the id that it must have, or with none; then the store gives it one. */
export interface IncomingAnimal extends NewAnimal {
  readonly id?: bigint;
}

/** An order to bring in: with the id that it must have, or with none; then the store gives it one. */
export interface IncomingOrder extends Omit<Order, "id"> {
  readonly id?: bigint;
}

/** A key as it is stored. */
export interface StoredKey extends ApiKey {
  readonly hash: Uint8Array;
}

/** What was answered to a create or an order that may be repeated. */
export interface IdempotencyRecord {
  readonly line: number;
  readonly key: string;
  readonly digest: string;
  /** The animal that was added or ordered. */
  readonly animalId: bigint;
  /** The order that was placed; `null` where an animal was added. */
  readonly orderId: bigint | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** What came of importing one file, which is known by its content. */
export interface ImportRecord {
  /** SHA-256 of the file, in hexadecimal. */
  readonly digest: string;
  /** How many of its animals are in the store, and how many are to be. */
  readonly done: number;
  readonly total: number;
  readonly firstId: bigint;
  readonly lastId: bigint;
  /** Milliseconds since 1970. */
  readonly finishedAt: number;
}

/** What a store holds beside its animals and orders. */
export interface StoreMetadata {
  /** The last ids given, whether or not anything still has them. */
  readonly lastAnimalId: bigint;
  readonly lastOrderId: bigint;
  /** The newest event, kept or deleted; 0 where there was none. */
  readonly newestEventId: bigint;
  /** Whether changes are recorded as events. */
  readonly recordsEvents: boolean;
  readonly lastKeyId: number;
  readonly keys: readonly StoredKey[];
  readonly imports: readonly ImportRecord[];
  /** In the order in which they were made. */
  readonly corrections: readonly Correction[];
  /** What signs cursors; `undefined` where no service has run yet. */
  readonly cursorSecret: Uint8Array | undefined;
}

/**
 * What is read from a snapshot goes nowhere, so it was given up: as long as there is one, the engine has to keep what
 * others have replaced since. What takes nothing may hang for ever, so the program ends without waiting for it.
 */
export class Stalled extends Error {}

/** For how long what is read from a snapshot may go nowhere, in milliseconds. */
export const STALLED_MS = 60_000;

/** A store as it is at one moment, whatever is written meanwhile. It keeps no writer waiting. */
export interface Snapshot extends AsyncDisposable {
  /** How many animals and orders there are. */
  readonly count: number;
  readonly orderCount: number;
  /** Animals with ids above this one, in the order of their ids, some thousands at a time. */
  animals(after?: bigint): AsyncIterable<readonly Animal[]>;
  /** All orders, in the order of their ids, some thousands at a time. */
  orders(): AsyncIterable<readonly Order[]>;
  /** A number that grows with every change of an animal or an order, except that new animals may leave it as it is. */
  rewrites(): Promise<bigint>;
  /** Those that began after a time, in milliseconds since 1970, some thousands at a time. */
  idempotencyRecords(since: number): AsyncIterable<readonly IdempotencyRecord[]>;
  belongings(): Promise<StoreMetadata>;
}

/** How staged animals become part of the stock. */
export interface Publication {
  /** What the animals came from, if that must not come twice. */
  readonly digest: string | undefined;
  /** How many go into one transaction; those of one become visible together. */
  readonly commitEvery: number;
  /** Told of how many are done. */
  readonly onProgress: (done: number) => void;
  /**
   * Orders for the published animals, which agree with these: they are stored in the transaction that publishes them all.
   *
   * @param firstId of the animals, whose ids have no gaps
   */
  readonly orders?: (firstId: bigint) => Iterable<readonly Omit<Order, "id">[]>;
}

/** What was published: how many, and the ids of the first and last. */
export interface Published {
  readonly count: number;
  readonly firstId: bigint;
  readonly lastId: bigint;
}

/** What is wrong with an item beside the others and the store; completes "the row …". */
export interface RowProblem {
  readonly index: number;
  readonly problem: string;
}

/** Animals or orders that wait aside, seen by nobody, until they are published; if it ends before, nothing remains. */
export interface Staging<Item> extends AsyncDisposable {
  /** So many published at once keep the creates of services waiting for a moment only. */
  readonly unnoticed: number;
  /** Adds the items that agree with the store and with the items before them; returns what is wrong with the others. */
  add(items: readonly Item[]): Promise<readonly RowProblem[]>;
  /**
   * Makes them part of the store, with a record in the same transaction. What an earlier run with the
   * same digest has published is left out.
   *
   * @throws IdsTaken where items bring ids along, and the store has given such ids already
   * @throws NoLongerAgrees where the store has changed since, so that an item contradicts it; nothing was stored
   */
  publish(publication: Publication): Promise<Published>;
}

/** An order contradicts what others have stored since it was read. */
export class NoLongerAgrees extends Error {}

/** Ids that animals and orders bring along must be above those that the store has given; nothing was stored. */
export class IdsTaken extends Error {
  readonly lastId: bigint;

  constructor(lastId: bigint) {
    super(`ids up to ${lastId} have been given`);
    this.name = "IdsTaken";
    this.lastId = lastId;
  }
}

/** Takes in what another store consists of. Until it is finished no service opens the store. */
export interface Receiver {
  /** The last id that is here already, from an attempt that was cut off. */
  readonly lastId: bigint;
  /** Resolves when they are on the disk. */
  add(animals: readonly Animal[]): Promise<void>;
  /** Gives animals that are here already other values, and removes some. Resolves when that is on the disk. */
  replace(changed: readonly Animal[], removed: readonly bigint[]): Promise<void>;
  /**
   * Brings the orders and the rest, and opens the store for services, all in one transaction.
   *
   * @param confirm the last thing before the commit; where it throws, the store stays closed
   */
  finish(
    belongings: StoreMetadata,
    orders: AsyncIterable<readonly Order[]>,
    records: AsyncIterable<readonly IdempotencyRecord[]>,
    confirm: () => Promise<void>,
  ): Promise<void>;
}

/** Why a store cannot take in another. */
export class NotEmpty extends Error {}

/**
 * What a command is to do: `read` and `change` need a store that exists and is whole, and `change` the right to write
 * to it; `write` makes a store where there is none.
 */
export type BulkAccess = "read" | "change" | "write";

/** What a store's feed holds. */
export interface FeedStatus {
  /** Whether changes are recorded as events. */
  readonly recording: boolean;
  /** How many events are kept. */
  readonly kept: number;
  /** Of the oldest event that is kept, in milliseconds since 1970. */
  readonly oldestAt: number | undefined;
  /** The newest event, kept or deleted; 0 where there was none. */
  readonly newestId: bigint;
}

/** What commands need of a store, beside `Store`, which serves requests. */
export interface BulkStore {
  readonly corrections: Corrections;
  snapshot(): Promise<Snapshot>;
  stage(): Promise<Staging<IncomingAnimal>>;
  stageOrders(): Promise<Staging<IncomingOrder>>;
  feedStatus(): Promise<FeedStatus>;
  /** Changes are recorded as events no more; the events that are there stay until they expire. */
  stopRecording(): Promise<void>;
  findImport(digest: string): Promise<ImportRecord | undefined>;
  /**
   * Begins to take in another store, or goes on with that.
   *
   * @param source tells the other store from all others
   * @throws NotEmpty where the store holds anything else
   */
  receive(source: string): Promise<Receiver>;
  close(): Promise<void>;
}
