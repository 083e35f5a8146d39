import type { Animal, NewAnimal } from "../domain/animal.ts";
import type { ApiKey, ListedKey, NewApiKey } from "../domain/api-key.ts";
import type { NewOrder, Order, ReadOrder } from "../domain/order.ts";
import type { IdempotencyRecord, ImportRecord, StoredKey } from "../domain/transfer.ts";
import { bytes, type Column, int64, number, type RowOf, table, text, withoutId } from "./table.ts";

// What both engines store. Each engine has its own form of events (`event-row.ts`), which follows from the animal's columns.

/** In the order of `ANIMAL_MEMBERS`, so a new column comes last: events keep animals in this order. */
export const ANIMAL = table<Animal>({
  id: int64("id"),
  name: text("name"),
  categoryId: int64("category_id"),
  status: text("status"),
});

/** The columns that a create sets. */
export const NEW_ANIMAL = withoutId<NewAnimal>(ANIMAL.columns);

/** The columns of PostgreSQL's events that hold an array of each member, for the animals of a row. */
export const EVENT_ARRAYS: Readonly<Record<string, string>> = {
  id: "animal_ids",
  name: "names",
  categoryId: "category_ids",
  status: "statuses",
} satisfies Record<keyof Animal, string>;

export const ORDER = table<Order>({
  id: int64("id"),
  petId: int64("animal_id"),
  status: text("status"),
  placedAt: number("placed_at"),
  updatedAt: number("updated_at"),
});

/** What the store sets of an order that is placed. */
const SET_BY_STORE: Readonly<Record<string, true>> = {
  id: true,
  status: true,
  placedAt: true,
  updatedAt: true,
} satisfies Record<Exclude<keyof Order, keyof NewOrder>, true>;

/** The columns of what a client says of an order. */
export const NEW_ORDER: readonly Column<NewOrder>[] = ORDER.columns.filter(
  ({ member }) => !(member in SET_BY_STORE),
);

/**
 * What SQLite's events hold of an order, whose `updatedAt` is the time of its event. A new column comes last: events keep orders
 * in this order.
 */
export const EVENT_ORDER = ORDER.columns.filter(({ member }) => member !== "updatedAt");

const PET = "pet";

/**
 * A statement that reads orders, with each order's animal. Every order has one: the database refuses to delete it.
 *
 * @param orders selects `ORDER`
 * @param animal the table
 * @param direction of the ids, which a join may lose
 */
export function withPet(orders: string, animal: string, direction: "" | "DESC" = ""): string {
  return `SELECT listed.*, ${ANIMAL.selectionOf(PET)} FROM (${orders}) AS listed
            JOIN ${animal} AS ${PET} ON ${PET}.id = listed."petId" ORDER BY listed.id ${direction}`;
}

/** The order in a row, with its animal if the statement was made `withPet`. */
export function readOrderOf(row: RowOf<Order>): ReadOrder {
  const isJoined = `${PET}.id` in row;
  const pet = isJoined ? ANIMAL.takeFrom(row, PET) : undefined;
  const order = ORDER.parse(row);
  return pet === undefined ? order : { ...order, pet };
}

export const IDEMPOTENCY_RECORD = table<IdempotencyRecord>({
  line: number("line"),
  key: text("key"),
  digest: text("digest"),
  animalId: int64("animal_id"),
  orderId: int64("order_id"),
  createdAt: number("created_at"),
});

export const IMPORT = table<ImportRecord>({
  digest: text("digest"),
  done: number("done"),
  total: number("total"),
  firstId: int64("first_id"),
  lastId: int64("last_id"),
  finishedAt: number("finished_at"),
});

const HASH = { hash: bytes("hash") };

/** What a key is made with. */
const GIVEN = {
  environment: text("environment"),
  name: text("name"),
  scopes: {
    ...text("scopes"),
    parse: JSON.parse,
    write: ({ scopes }: Pick<ApiKey, "scopes">) => JSON.stringify(scopes),
  },
  createdAt: number("created_at"),
  expiresAt: number("expires_at"),
};

const API_KEY_MEMBERS = {
  id: number("id"),
  // The first key of a line has none in the table.
  line: {
    ...number("line"),
    expression: "coalesce(line, id)",
    write: ({ id, line }: ApiKey) => (line === id ? null : line),
  },
  ...GIVEN,
  revokedAt: number("revoked_at"),
};

/** What is written of a new key. Without a line, it is the first of its own. */
export const NEW_KEY = table<NewApiKey & { readonly line: bigint | null }>({
  ...GIVEN,
  ...HASH,
  line: int64("line"),
});
/** What is read of a key: its hash is known to the reader. */
export const API_KEY = table<ApiKey>(API_KEY_MEMBERS);
/** All of a key, for copies. */
export const STORED_KEY = table<StoredKey>({ ...API_KEY_MEMBERS, ...HASH });

/** A key, joined with `key_use`. */
export const LISTED_KEY = table<ListedKey>({ ...API_KEY_MEMBERS, lastUsedDay: number("day") });
