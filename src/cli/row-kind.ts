import type { Animal } from "../domain/animal.ts";
import type { Order } from "../domain/order.ts";
import type { BulkStore, IncomingAnimal, IncomingOrder, Snapshot, Staging } from "../domain/transfer.ts";
import { ANIMAL_LAYOUT } from "../formats/animal-row.ts";
import type { Layout, RowCheck } from "../formats/layout.ts";
import { ORDER_LAYOUT } from "../formats/order-row.ts";
import type { IdChoice } from "../formats/row-ids.ts";
import { counted } from "./counts.ts";

/** What a file holds: animals or orders. */
export interface RowKind<Item, Incoming> {
  /** As messages and reports name it. */
  readonly many: "animals" | "orders";
  readonly layout: Layout<Item>;
  /** Whether a row can be judged only together with the contents of the store. */
  readonly needsStore: boolean;
  /** "1 animal", "1,000 orders". */
  count(count: number): string;
  /** Loads the code that checks each row of a file by itself; commands that only write files do not pay for it. */
  checker(ids: IdChoice): Promise<RowCheck<Incoming>>;
  stage(store: BulkStore): Promise<Staging<Incoming>>;
  countOf(snapshot: Snapshot): number;
  /** In the order of their ids. */
  read(snapshot: Snapshot): AsyncIterable<readonly Item[]>;
}

export const ANIMALS: RowKind<Animal, IncomingAnimal> = {
  many: "animals",
  layout: ANIMAL_LAYOUT,
  needsStore: false,
  count: (count) => counted(count, "animal"),
  async checker(ids) {
    const { animalChecker } = await import("../formats/animal-checker.ts");
    return animalChecker(ids);
  },
  stage: (store) => store.stage(),
  countOf: ({ count }) => count,
  read: (snapshot) => snapshot.animals(),
};

export const ORDERS: RowKind<Order, IncomingOrder> = {
  many: "orders",
  layout: ORDER_LAYOUT,
  needsStore: true,
  count: (count) => counted(count, "order"),
  async checker(ids) {
    const { orderChecker } = await import("../formats/order-checker.ts");
    return orderChecker(ids, Date.now());
  },
  stage: (store) => store.stageOrders(),
  countOf: ({ orderCount }) => orderCount,
  read: (snapshot) => snapshot.orders(),
};
