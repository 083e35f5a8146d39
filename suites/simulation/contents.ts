import type { Animal, NewAnimal } from "../../src/domain/animal.ts";
import type { Order } from "../../src/domain/order.ts";
import type { EventRow } from "../../src/stores/postgres/event-row.ts";

/** What came of a request with an `Idempotency-Key`. */
export interface Record {
  readonly digest: string;
  readonly animal: bigint;
  readonly order: bigint | null;
  readonly at: number;
}

/** A key that requests come with. */
export interface StoredKey {
  readonly id: number;
  readonly hash: string;
  readonly revokedAt: number | null;
}

/** What a database contains at one moment: each commit makes another one. */
export interface Contents {
  /** The identity of the store, and its table: see `Marks.store`. Each store has a database of its own. */
  readonly store: string;
  /** The tokens of the two logs, from the number 1. */
  readonly appends: readonly number[];
  readonly rewrites: readonly number[];
  readonly keysRevision: number;
  readonly keys: readonly StoredKey[];
  readonly animals: readonly Animal[];
  readonly orders: readonly Order[];
  /** By line and `Idempotency-Key`. */
  readonly records: ReadonlyMap<string, Record>;
  /** Whether changes are recorded as events. */
  readonly recording: boolean;
  readonly events: readonly EventRow[];
  readonly expiredThrough: bigint;
  readonly lastEvent: bigint;
  /** The server where the latest ids of events were given, from a store's first commit on: see `lock_feed`. */
  readonly feedServer: string;
}

/** The `Side.identity` of the primary that a run begins with. */
const FIRST_PRIMARY = "7001 1";

/** A store with some animals, and without a row in its logs, as a copy leaves it. */
export function copiedStore(store: string, animals: number, keys: readonly StoredKey[]): Contents {
  return {
    store: `${store}.1`,
    appends: [],
    rewrites: [],
    keysRevision: 1,
    keys,
    animals: Array.from({ length: animals }, (_, at) => ({
      id: BigInt(at + 1),
      name: `${store} ${at + 1}`,
      categoryId: 1n,
      status: "available" as const,
    })),
    orders: [],
    records: new Map(),
    recording: false,
    events: [],
    expiredThrough: 0n,
    lastEvent: 0n,
    feedServer: FIRST_PRIMARY,
  };
}

/** Adds animals, with their events if they are recorded. */
export function withAnimals(contents: Contents, added: readonly NewAnimal[], token: number, now: number) {
  let id = contents.animals.at(-1)?.id ?? 0n;
  const animals = added.map((animal): Animal => ({ ...animal, id: ++id }));
  const events = animals.map(
    ({ id, name, categoryId, status }) =>
      ({
        type: "animal.created",
        at: BigInt(now),
        animalId: id,
        name,
        categoryId,
        status,
        orderId: null,
      }) as const,
  );
  const next = withEvents(
    { ...contents, animals: [...contents.animals, ...animals], appends: [...contents.appends, token] },
    events,
  );
  return { next, ids: animals.map((animal) => animal.id) };
}

/** An event, in words that say nothing of its time. */
export function describeEvent(event: EventRow): string {
  const { id, type, animalId } = event;
  return event.orderId === null
    ? `${id} ${type} ${animalId} ${event.name}`
    : `${id} ${type} ${event.orderId} of ${animalId}`;
}

type NewEvent = EventRow extends infer Row ? (Row extends EventRow ? Omit<Row, "id"> : never) : never;

function withEvents(contents: Contents, events: readonly NewEvent[]): Contents {
  if (!contents.recording) return contents;
  let { lastEvent } = contents;
  const rows = events.map((event) => ({ ...event, id: ++lastEvent }) as EventRow);
  return { ...contents, lastEvent, events: [...contents.events, ...rows] };
}

/** Places or changes orders, whose animals follow them, with their events if they are recorded. */
export function withOrders(
  contents: Contents,
  changed: readonly Order[],
  token: number,
  now: number,
): Contents {
  const orders = new Map(contents.orders.map((order) => [order.id, order]));
  const animals = new Map(contents.animals.map((animal) => [animal.id, animal]));
  const events: NewEvent[] = [];
  for (const order of changed) {
    const { id, petId, status, placedAt } = order;
    orders.set(id, order);
    const type = status === "placed" ? "order.placed" : "order.status_changed";
    const at = BigInt(now);
    events.push({ type, at, animalId: petId, status, orderId: id, placedAt: BigInt(placedAt) });
    if (status === "approved") continue;
    const follows = { placed: "pending", delivered: "sold", cancelled: "available" } as const;
    const animal = { ...(animals.get(petId) as Animal), status: follows[status] };
    animals.set(petId, animal);
    const { name, categoryId } = animal;
    events.push({
      type: "animal.status_changed",
      at,
      animalId: petId,
      name,
      categoryId,
      status: animal.status,
      orderId: null,
    });
  }
  const next = { ...contents, orders: [...orders.values()], animals: [...animals.values()] };
  return withEvents({ ...next, rewrites: [...contents.rewrites, token] }, events);
}

/** Gives an animal another name, as an operator may. */
export function withName(contents: Contents, id: bigint, name: string, token: number): Contents {
  const animals = contents.animals.map((animal) => (animal.id === id ? { ...animal, name } : animal));
  return { ...contents, animals, rewrites: [...contents.rewrites, token] };
}

/**
 * Revokes a key, or makes it valid again, as a restored table of keys may.
 *
 * @param step by which the revision of the keys grows
 */
export function withKey(contents: Contents, id: number, now: number, step: number): Contents {
  const keys = contents.keys.map((key) =>
    key.id === id ? { ...key, revokedAt: key.revokedAt === null ? now : null } : key,
  );
  return { ...contents, keys, keysRevision: contents.keysRevision + step };
}
