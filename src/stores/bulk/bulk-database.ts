import type { Animal } from "../../domain/animal.ts";
import type { OrderInTheWay } from "../../domain/correction.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import type { Order } from "../../domain/order.ts";
import type { FeedStatus } from "../../domain/transfer.ts";
import type { Column } from "../table.ts";
import type { OrderedAnimal } from "./order-problems.ts";

/** The tables whose ids are never given twice. */
type TableWithIds = "animal" | "store_order" | "api_key";

/** Some of the staged items, by their positions, which start at 1: all after `from`, up to `to`. */
export interface Part {
  readonly from: number;
  readonly to: number;
}

/**
 * A connection for bulk work: all that differs between the engines. Other code shares its statements. Each statement has
 * parameters `$1`, `$2` and so on, in the order of their first use, and casts them with `CAST`. Every change is made in a
 * `transaction`.
 */
export interface BulkDatabase {
  /** The name of the store in messages. */
  readonly name: string;
  /** Precedes the name of a table in SQL. */
  readonly schema: "" | "animal_store.";
  /** Follows a column in SQL whose texts are compared byte by byte. */
  readonly byteOrder: string;
  /** A query for `number`, which grows with every change of an animal or an order. */
  readonly rewrites: string;
  /** Makes that number grow, for a change that does not by itself. */
  countRewrite(): MaybePromise<void>;
  /** See `Staging`. */
  readonly smallBatch: number;
  readonly ids: BulkIds;
  readonly animals: BulkAnimals;
  readonly orders: BulkOrders;
  readonly feed: BulkFeed;
  readonly staged: StagedRows;
  rows<Row>(text: string, parameters?: Parameter[]): MaybePromise<Row[]>;
  /** @param onConflict a clause that ends the statement */
  insert<Row>(
    table: string,
    columns: readonly Column<Row>[],
    rows: readonly Row[],
    onConflict?: string,
  ): MaybePromise<void>;
  transaction<Result>(work: () => MaybePromise<Result>): Promise<Result>;
  /** Whether a transaction failed because the engine refused a row. */
  isRefusal(error: unknown): boolean;
  /** Begins a transaction on a connection of its own, which sees the store as it is now and blocks no writer. */
  beginSnapshot(): Promise<BulkDatabase>;
  close(): Promise<void>;
}

export type Parameter = bigint | number | string | Uint8Array | null;

interface BulkIds {
  /** The last id that a table has given, even if its row is gone; 0 if there was none. */
  last(table: TableWithIds): MaybePromise<bigint>;
  /** Keeps all others from taking ids of a table until the transaction ends; returns the last one given. */
  lock(table: "animal" | "store_order"): MaybePromise<bigint>;
  /** Makes a table give ids above `id`. It never lowers the next id. */
  raise(table: TableWithIds, id: bigint): MaybePromise<void>;
}

export interface BulkAnimals {
  /** Adds animals whose ids are above all ids given before, in a transaction of their own. */
  add(animals: readonly Animal[]): MaybePromise<void>;
  /** The animals with these ids, in ascending order. Other transactions cannot change or order them before this one ends. */
  lock(ids: readonly bigint[]): MaybePromise<Animal[]>;
  update(animals: readonly Animal[]): MaybePromise<void>;
  remove(ids: readonly bigint[]): MaybePromise<void>;
}

export interface BulkOrders {
  /** Adds orders that agree with their animals. */
  add(chunks: Iterable<readonly Order[]>): MaybePromise<void>;
  /** The orders for animals, by the ids of the animals and their own. */
  ofAnimals(ids: readonly bigint[]): MaybePromise<OrderInTheWay[]>;
}

/** The feed of events. The middle three do nothing unless the store records events. Times are milliseconds since 1970. */
interface BulkFeed {
  status(): MaybePromise<FeedStatus>;
  /** Records that all animals from one id to another were added. */
  animalsAdded(from: bigint, to: bigint, at: number): MaybePromise<void>;
  /** Records that animals have another status. */
  statusesChanged(ids: readonly bigint[], at: number): MaybePromise<void>;
  /** Lets every position expire: readers start again from a list. */
  expirePositions(): MaybePromise<void>;
  /** Makes this store, which has no events, continue the feed of the store that was copied. */
  continueAfter(newestId: bigint, recording: boolean): MaybePromise<void>;
  stopRecording(): MaybePromise<void>;
}

/** The temporary table `staged`. */
export interface StagedRows {
  /**
   * The engine numbers the rows in the order of their insertion: `position`, from 1, without gaps.
   *
   * @param setUp a statement that follows the creation of the table
   */
  create(columns: readonly Column<never>[], setUp: string): MaybePromise<void>;
  drop(): MaybePromise<void>;
  /** The animals of orders, given the ids of the animals. */
  orderedAnimals(ids: readonly bigint[]): MaybePromise<readonly OrderedAnimal[]>;
  /** Locks the animals of staged orders. */
  lockAnimals(part: Part): MaybePromise<void>;
  /** Runs the statement that copies staged rows into the table that they are for. */
  copy(table: TableWithIds, text: string, parameters: Parameter[]): MaybePromise<void>;
}
