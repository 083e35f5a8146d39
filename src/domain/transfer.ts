import type { Animal, NewAnimal } from "./animal.ts";
import type { ApiKey } from "./api-key.ts";
import type { Correction, Corrections } from "./correction.ts";
import type { Order } from "./order.ts";

/**
 * The greatest id that an imported animal may have: 2^62. As many ids remain for later animals; after an import of the
 * greatest int64 the store could never add another animal.
 */
export const IMPORTED_ID_MAX = 2n ** 62n;

/** An animal to import. Without an id, the store gives it one. */
export interface IncomingAnimal extends NewAnimal {
  readonly id?: bigint;
}

/** An order to import. Without an id, the store gives it one. */
export interface IncomingOrder extends Omit<Order, "id"> {
  readonly id?: bigint;
}

/** An API key with its hash, as a store keeps it. */
export interface StoredKey extends ApiKey {
  readonly hash: Uint8Array;
}

/** The outcome of a create or an order with an idempotency key, for retries. */
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

/** The outcome of importing one file. Its content identifies the file. */
export interface ImportRecord {
  /** SHA-256 of the file, in hexadecimal. */
  readonly digest: string;
  /** The number of its animals that are stored, and the number that it has. */
  readonly done: number;
  readonly total: number;
  readonly firstId: bigint;
  readonly lastId: bigint;
  /** Milliseconds since 1970. */
  readonly finishedAt: number;
}

/** The contents of a store except its animals and orders. */
export interface StoreMetadata {
  /** The last ids given, even if their rows are gone. */
  readonly lastAnimalId: bigint;
  readonly lastOrderId: bigint;
  /** The id of the newest event, even if it was deleted; 0 if there never was one. */
  readonly newestEventId: bigint;
  /** Whether changes are recorded as events. */
  readonly recordsEvents: boolean;
  readonly lastKeyId: number;
  readonly keys: readonly StoredKey[];
  readonly imports: readonly ImportRecord[];
  /** In the order in which the corrections were made. */
  readonly corrections: readonly Correction[];
  /** The secret that signs cursors; `undefined` if no service has run yet. */
  readonly cursorSecret: Uint8Array | undefined;
}

/**
 * The snapshot was given up, since its reader accepts no more data. While a snapshot exists, the engine must keep all data
 * that others have replaced since. The reader may hang for ever, so the program ends without waiting for it.
 */
export class Stalled extends Error {}

/** How long the reader of a snapshot may accept no data, in milliseconds. */
export const STALLED_MS = 60_000;

/** The contents of a store at one moment. A snapshot blocks no writer, and later writes do not change it. */
export interface Snapshot extends AsyncDisposable {
  /** The number of animals, and of orders. */
  readonly count: number;
  readonly orderCount: number;
  /** Animals with ids above `after`, in the order of their ids, in chunks of some thousands. */
  animals(after?: bigint): AsyncIterable<readonly Animal[]>;
  /** All orders, in the order of their ids, in chunks of some thousands. */
  orders(): AsyncIterable<readonly Order[]>;
  /** A number that grows with every change of an animal or an order; new animals may leave it unchanged. */
  rewrites(): Promise<bigint>;
  /** The records created after `since` (milliseconds since 1970), in chunks of some thousands. */
  idempotencyRecords(since: number): AsyncIterable<readonly IdempotencyRecord[]>;
  metadata(): Promise<StoreMetadata>;
}

/** How to publish staged items. */
export interface Publication {
  /** Identifies the source of the animals, if they must not be published twice. */
  readonly digest: string | undefined;
  /** The number of items in one transaction, which become visible together. */
  readonly commitEvery: number;
  /** Called with the number published so far. */
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

/** How an item contradicts the other items or the store; completes "the row …". */
export interface RowProblem {
  readonly index: number;
  readonly problem: string;
}

/** Animals or orders that stay invisible until they are published. If the staging ends first, nothing remains. */
export interface Staging<Item> extends AsyncDisposable {
  /** Publishing this many at once makes the creates of services wait only for a moment. */
  readonly smallBatch: number;
  /**
   * Adds the items that agree with the store and the items before them; returns the problems of the other items.
   *
   * @throws IdsTaken as `publish` does, where the first item shows it already
   */
  add(items: readonly Item[]): Promise<readonly RowProblem[]>;
  /**
   * Asserts that `publish` would not find ids taken.
   *
   * @throws IdsTaken
   */
  assertFree(): Promise<void>;
  /**
   * Makes the items part of the store, and records the import in the same transaction. Items that an earlier run with
   * the same digest has published are left out.
   *
   * @throws IdsTaken if items have ids of their own, and the store has already given such ids
   * @throws NoLongerAgrees if the store has changed since, so that an item contradicts it; nothing was stored
   */
  publish(publication: Publication): Promise<Published>;
}

/** An order contradicts data that others have stored since it was read. */
export class NoLongerAgrees extends Error {}

/** The ids of imported animals and orders must be above every id that the store has given; nothing was stored. */
export class IdsTaken extends Error {
  readonly lastId: bigint;

  constructor(lastId: bigint) {
    super(`ids up to ${lastId} have been given`);
    this.name = "IdsTaken";
    this.lastId = lastId;
  }
}

/** A store that another store is copied into. No service opens it until the copy is finished. */
export interface CopyTarget {
  /** The last id that an interrupted attempt has copied; 0 if there was no such attempt. */
  readonly lastId: bigint;
  /** Resolves when the animals are on the disk. */
  add(animals: readonly Animal[]): Promise<void>;
  /** Changes and removes animals that were copied before. Resolves when the changes are on the disk. */
  replace(changed: readonly Animal[], removed: readonly bigint[]): Promise<void>;
  /**
   * Copies the orders and the rest, and opens the store to services, all in one transaction.
   *
   * @param confirm called just before the commit; if it throws, the store stays closed
   */
  finish(
    metadata: StoreMetadata,
    orders: AsyncIterable<readonly Order[]>,
    records: AsyncIterable<readonly IdempotencyRecord[]>,
    confirm: () => Promise<void>,
  ): Promise<void>;
}

/** Another store cannot be copied into this one; the message says why. */
export class NotEmpty extends Error {}

/**
 * How a command uses a store. `read` and `change` need a store that exists and is complete, and `change` the right to
 * write to it. `write` creates the store if there is none.
 */
export type BulkAccess = "read" | "change" | "write";

/** What a store's feed holds. */
export interface FeedStatus {
  /** Whether changes are recorded as events. */
  readonly recording: boolean;
  /** The number of stored events. */
  readonly kept: number;
  /** The time of the oldest stored event, in milliseconds since 1970. */
  readonly oldestAt: number | undefined;
  /** The id of the newest event, even if it was deleted; 0 if there never was one. */
  readonly newestId: bigint;
}

/** The parts of a store that commands use; `Store` serves requests. */
export interface BulkStore extends AsyncDisposable {
  readonly corrections: Corrections;
  snapshot(): Promise<Snapshot>;
  stage(): Promise<Staging<IncomingAnimal>>;
  stageOrders(): Promise<Staging<IncomingOrder>>;
  feedStatus(): Promise<FeedStatus>;
  /** Stops recording changes as events. Events recorded before stay until they expire. */
  stopRecording(): Promise<void>;
  findImport(digest: string): Promise<ImportRecord | undefined>;
  /**
   * Begins to copy another store into this one, or continues an interrupted copy.
   *
   * @param source identifies the other store
   * @throws NotEmpty if the store holds anything else
   */
  receive(source: string): Promise<CopyTarget>;
}
