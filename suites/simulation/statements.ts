import { createHash } from "node:crypto";
import type { Animal } from "../../src/domain/animal.ts";
import {
  mayBecome,
  type NewOrder,
  type Order,
  type OrderStatus,
  placedOrder,
} from "../../src/domain/order.ts";
import { versionOf } from "../../src/stores/order-write.ts";
import { PLAIN, RETRYABLE } from "../../src/stores/postgres/create-statements.ts";
import { SCHEMA_VERSION } from "../../src/stores/postgres/migrate.ts";
import { NEW_ORDER } from "../../src/stores/tables.ts";
import { type Contents, type Record, withAnimals, withOrders } from "./contents.ts";

/** What a statement knows of the server that runs it. */
export interface Side {
  readonly isStandby: boolean;
  readonly timeline: number;
  /** Names the server, its cluster and its timeline, as `server_identity()` does. */
  readonly identity: string;
  /** The end of the log on its disk; `undefined` where it was never a standby. */
  readonly received: number | undefined;
  readonly written: number;
  /** Whether commits wait for a standby. */
  readonly waits: boolean;
}

export type Values = readonly unknown[];
type Rows = (contents: Contents, values: Values, side: Side, text: string) => unknown[];

/** What a write leaves, and the rows that it returns. */
export interface Written {
  readonly next: Contents;
  readonly rows: unknown[];
}
type Write = (contents: Contents, values: Values, side: Side, token: number) => Written;

/** A position in the log as PostgreSQL writes it. */
export function lsn(at: number): string {
  return `0/${(at * 256).toString(16).toUpperCase()}`;
}

/** The key of a table of bytes. */
export function hex(bytes: unknown): string {
  return Buffer.from(bytes as Uint8Array).toString("hex");
}

/** The secret with which all instances sign cursors. */
const SECRET = new Uint8Array(createHash("sha256").update("simulation").digest());

/** The statements that read, by a part of their texts. The first that fits counts. */
export const READS: readonly (readonly [string, Rows])[] = [
  // readStandbyMarks, readMarkedRevision
  [
    "AS shown",
    ({ store, appends, rewrites, keysRevision }, _, { isStandby }, text) => {
      const rest = text.includes("pg_is_in_recovery") ? (isStandby ? "t" : "f") : keysRevision;
      const marks = [appends, rewrites].flatMap((log) => [log.length, log.at(-1) ?? ""]);
      return [{ shown: [store ?? "", ...marks, rest].join(" ") }];
    },
  ],
  // readTokensAt
  [
    "AS append,",
    ({ store, appends, rewrites }, [append, rewrite]) => [
      { store, append: appends[Number(append) - 1] ?? null, rewrite: rewrites[Number(rewrite) - 1] ?? null },
    ],
  ],
  // readPosition, readPromotion
  [
    "AS received",
    (_, __, { isStandby, timeline, received }, text) => [
      {
        timeline: isStandby && text.includes("THEN 0") ? 0 : timeline,
        received: received === undefined ? null : lsn(received),
      },
    ],
  ],
  // isPromoted
  ["pg_is_in_recovery() AS standby", (_, __, { isStandby }) => [{ standby: isStandby }]],
  // Fencing
  ["AS waits", (_, __, { waits, written }) => [{ waits, lsn: lsn(written) }]],
  // findWait, findRowHolders
  ["pg_blocking_pids", () => []],
  ["FROM pg_locks", () => []],
  // schemaVersion, assertRights, openPostgresStore, cursorSecret
  ["AS made", () => [{ made: true }]],
  ["AS done", () => [{ done: SCHEMA_VERSION }]],
  ["AS hidden", () => [{ user: "u", role: "u", owner: "u", missing: null, hidden: null }]],
  ["FROM animal_store.secret", () => [{ value: SECRET }]],
  ["FROM animal_store.incomplete_copy", () => []],
  ["FROM animal_store.state WHERE single", () => [{}]],
  // Keys.find
  [
    "FROM animal_store.api_key WHERE hash = $1",
    ({ keys }, [hash]) =>
      keys
        .filter((key) => key.hash === hex(hash))
        .map(({ id, revokedAt }) => ({
          id: BigInt(id),
          line: BigInt(id),
          environment: "production",
          name: "simulation",
          scopes: '["pets:read","pets:write","orders:read","orders:write","events:read"]',
          createdAt: 0n,
          expiresAt: null,
          revokedAt: revokedAt === null ? null : BigInt(revokedAt),
        })),
  ],
  // Animals, Orders
  [
    "FROM animal_store.animal WHERE id = $1",
    ({ animals }, [id]) =>
      animals.filter((animal) => animal.id === BigInt(id as bigint)).map((animal) => ({ ...animal })),
  ],
  [
    "FROM animal_store.store_order WHERE id = $1",
    ({ orders, animals }, [id], _, text) =>
      withPets(
        orders.filter((order) => order.id === BigInt(id as bigint)),
        animals,
        text,
      ),
  ],
  [
    "FROM animal_store.animal",
    ({ animals }, values, _, text) => {
      const [, status] = /> \('(\w+)'|<= \('(\w+)'/.exec(text)?.filter((part) => part !== undefined) ?? [];
      const shown = animals.filter((animal) => status === undefined || animal.status === status);
      return pageOf(shown, values, text).map((animal) => ({ ...animal }));
    },
  ],
  [
    "FROM animal_store.store_order",
    ({ orders, animals }, values, _, text) => {
      const byAnimal = text.includes("wanted.status");
      const shown = orders.filter(
        ({ petId, status }) =>
          values[2] === undefined ||
          (byAnimal
            ? petId === BigInt(values[2] as bigint) && (values[3] as string[]).includes(status)
            : status === values[2]),
      );
      return withPets(pageOf(shown, values, text), animals, text);
    },
  ],
  // Feed.list
  [
    'AS "hasAfter"',
    (contents, [after, limit, types]) => {
      const { events } = contents;
      const positions = { ...positionsOf(contents), hasAfter: events.some(({ id }) => id === after) };
      const from = (after as bigint | null) ?? contents.expiredThrough;
      const wanted = (type: string) => types === undefined || (types as string[]).includes(type);
      const page = events.filter(({ id, type }) => id > from && wanted(type)).slice(0, Number(limit));
      return page.length === 0
        ? [{ ...positions, id: null }]
        : page.map((event) => ({ ...positions, ...event }));
    },
  ],
  ['AS "expiredThrough"', (contents) => [positionsOf(contents)]],
];

function rowOfOrder({ placedAt, updatedAt, ...order }: Order) {
  return { ...order, placedAt: BigInt(placedAt), updatedAt: BigInt(updatedAt) };
}

/** The rows of orders, with their animals if the statement joins them. */
function withPets(orders: readonly Order[], animals: readonly Animal[], text: string): object[] {
  if (!text.includes('"pet.id"')) return orders.map(rowOfOrder);
  return orders.map((order) => {
    const pet = Object.entries(animals.find(({ id }) => id === order.petId) as Animal);
    return {
      ...rowOfOrder(order),
      ...Object.fromEntries(pet.map(([name, value]) => [`pet.${name}`, value])),
    };
  });
}

function pageOf<Item extends { readonly id: bigint }>(
  items: readonly Item[],
  [bound, limit]: Values,
  text: string,
) {
  const backward = text.includes("DESC");
  const inRange = items.filter(({ id }) => (backward ? id <= (bound as bigint) : id > (bound as bigint)));
  const ordered = inRange.toSorted((one, other) => Number(backward ? other.id - one.id : one.id - other.id));
  return ordered.slice(0, Number(limit));
}

function positionsOf({ expiredThrough, events, recording }: Contents) {
  return { expiredThrough, newest: events.at(-1)?.id ?? expiredThrough, recording };
}

/** What a write holds until its commit shows: the row of `state`, that of `rewrite_lock`, and the feed. */
export type Lock = "state" | "rewrites" | "feed";
export const ALL_LOCKS: readonly Lock[] = ["state", "rewrites", "feed"];

interface WriteStatement {
  /** A part of its text. */
  readonly part: string;
  readonly write: Write;
  readonly locks: readonly Lock[];
  /** Whether it writes nothing unless the revision of the keys is its first value. */
  readonly ifKeysAt?: true;
}

/** The statements that write, by a part of their texts. The first that fits counts. */
export const WRITES: readonly WriteStatement[] = [
  ...[PLAIN, RETRYABLE].flatMap(({ unrecorded, recorded }): WriteStatement[] => [
    { part: unrecorded, write: addUnrecorded, locks: ["state", "feed"], ifKeysAt: true },
    { part: recorded, write: addAnimals, locks: ["state", "feed"], ifKeysAt: true },
  ]),
  { part: "store_order_id_seq", write: placeOrders, locks: ["rewrites", "feed"], ifKeysAt: true },
  {
    part: "UPDATE animal_store.store_order o",
    write: changeOrders,
    locks: ["rewrites", "feed"],
    ifKeysAt: true,
  },
  // continueOnServer, repairSequences
  { part: "lock_feed() FROM animal_store.feed", write: lockFeed, locks: ["feed"] },
  { part: "animal_store.repair_sequences()", write: lockFeed, locks: ALL_LOCKS },
  { part: "animal_store.record_events", write: recordEvents, locks: ALL_LOCKS },
  { part: "INTO animal_store.key_use", write: nothing, locks: [] },
  { part: "FROM animal_store.state WHERE single FOR UPDATE", write: nothing, locks: ["state"] },
];

export function nothing(next: Contents): Written {
  return { next, rows: [] };
}

/** Lets ids go on above all that an earlier timeline may have given. */
function lockFeed(contents: Contents, _: Values, { identity, timeline }: Side): Written {
  if (contents.feedServer === identity) return nothing(contents);
  return nothing({ ...contents, lastEvent: BigInt(timeline) * 10n ** 15n, feedServer: identity });
}

/** Switches recording on or off: see `record_events`. */
function recordEvents(contents: Contents, [on]: Values, side: Side, token: number): Written {
  const { next } = lockFeed(contents, [], side);
  if (next.recording === on) return nothing(next);
  const lastEvent = next.lastEvent + 1n;
  const begun = on ? { lastEvent, expiredThrough: lastEvent } : {};
  return nothing({ ...next, ...begun, recording: on as boolean, rewrites: [...next.rewrites, token] });
}

export function haveKeysChanged({ keysRevision }: Contents, wanted: unknown): boolean {
  return wanted !== null && BigInt(keysRevision) !== wanted;
}

/** Adds nothing where events are recorded. */
function addUnrecorded(contents: Contents, ...of: [Values, Side, number]): Written {
  return contents.recording ? nothing(contents) : addAnimals(contents, ...of);
}

function addAnimals(contents: Contents, values: Values, _: Side, token: number): Written {
  const [, names, categories, statuses] = values as [unknown, string[], string[], Animal["status"][]];
  const isRetryable = values.length > 5;
  const [lines = [], keys = [], digests = [], past = 0] = (isRetryable ? values.slice(4) : []) as [
    string[],
    string[],
    string[],
    number,
  ];
  // Without events nothing needs the time.
  const now = Number(values.length > 4 ? values.at(-1) : 0);
  const known = names.map((__, at) => recordOf(contents, lines[at], keys[at], past));
  const fresh = [...names.keys()].filter((at) => !known[at]);
  const added = fresh.map((at) => ({
    name: names[at] as string,
    categoryId: BigInt(categories[at] as string),
    status: statuses[at] as Animal["status"],
  }));
  const { next, ids } =
    added.length > 0 ? withAnimals(contents, added, token, now) : { next: contents, ids: [] };
  const records = new Map(next.records);
  const rows = names.map((__, at) => {
    const earlier = known[at];
    const { recording } = contents;
    if (earlier) return { id: earlier.animal, digest: earlier.digest, earlier: true, recording };
    const id = ids[fresh.indexOf(at)] as bigint;
    const digest = digests[at] ?? null;
    if (keys[at] != null)
      records.set(`${lines[at]} ${keys[at]}`, { digest: digest as string, animal: id, order: null, at: now });
    return { id, digest, earlier: false, recording };
  });
  return { next: { ...next, records }, rows };
}

function recordOf({ records }: Contents, line: unknown, key: unknown, past: number): Record | undefined {
  const record = key == null ? undefined : records.get(`${line} ${key}`);
  return record && record.at > past ? record : undefined;
}

function placeOrders(contents: Contents, values: Values, _: Side, token: number): Written {
  const [, lines, keys, digests, past, now, ...members] = values as [
    unknown,
    string[],
    string[],
    string[],
    number,
    number,
    ...(string | null)[][],
  ];
  const placed: Order[] = [];
  const records = new Map(contents.records);
  const rows = lines.map((__, at) => {
    const order = newOrderOf(members.map((values) => values[at] as string | null));
    const { petId } = order;
    const status = contents.animals.find(({ id }) => id === petId)?.status ?? null;
    const known = recordOf(contents, lines[at], keys[at], past);
    const asked = { id: null, status, held: false, newer: false };
    const recorded = {
      digest: known?.digest ?? null,
      recordedOrder: known?.order ?? null,
      recordedAt: known ? BigInt(known.at) : null,
    };
    if (known || status !== "available" || placed.some((each) => each.petId === petId))
      return { ...asked, ...recorded };
    const id = BigInt(contents.orders.length + placed.length + 1);
    placed.push({ id, ...placedOrder(order, now) });
    const digest = digests[at] ?? null;
    if (keys[at] != null)
      records.set(`${lines[at]} ${keys[at]}`, {
        digest: digest as string,
        animal: petId,
        order: id,
        at: now,
      });
    return { ...asked, ...recorded, id, digest };
  });
  const next = placed.length > 0 ? withOrders(contents, placed, token, now) : contents;
  return { next: { ...next, records }, rows };
}

/** A new order, by its values in the order of `NEW_ORDER`. */
function newOrderOf(values: readonly (string | null)[]): NewOrder {
  const members = NEW_ORDER.flatMap(({ member, type }, at) => {
    const value = values[at] ?? null;
    return value === null ? [] : [[member, type === "bigint" ? BigInt(value) : value]];
  });
  return Object.fromEntries(members);
}

function changeOrders(contents: Contents, values: Values, _: Side, token: number): Written {
  const [, ids, statuses, , versions, now] = values as [
    unknown,
    string[],
    OrderStatus[],
    string[],
    (string | null)[],
    number,
  ];
  const changed: Order[] = [];
  const rows = ids.map((id, at) => {
    const order = contents.orders.find((each) => each.id === BigInt(id));
    if (!order) return { id: null, status: null, changed: false, held: false };
    const version = versions[at] ?? null;
    const status = statuses[at] as OrderStatus;
    const isAsExpected = version === null || version === versionOf(order);
    if (!mayBecome(order.status, status) || !isAsExpected)
      return { ...rowOfOrder(order), changed: false, held: false };
    const next = { ...order, status, updatedAt: Math.max(order.updatedAt, now) };
    changed.push(next);
    return { ...rowOfOrder(next), changed: true, held: false };
  });
  return { next: changed.length > 0 ? withOrders(contents, changed, token, now) : contents, rows };
}
