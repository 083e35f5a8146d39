import type { Status } from "../../domain/animal.ts";
import { IDEMPOTENCY_TTL_MS } from "../../domain/idempotency.ts";
import { type NewOrder, type Order, placedOrder } from "../../domain/order.ts";
import type { Revision } from "../../domain/revision.ts";
import { KeysChanged, type Placed } from "../../domain/store.ts";
import type { Placement } from "../order-write.ts";
import { namesOf } from "../table.ts";
import { ANIMAL, NEW_ORDER, ORDER } from "../tables.ts";
import { arraysOf, column } from "./columns.ts";
import { distinct } from "./distinct.ts";
import { claimExpired } from "./idempotency-keys.ts";
import type { NotYet } from "./not-yet.ts";
import { ORDER_EVENTS } from "./order-events.ts";
import { type KeyedWrite, keysAt, type Transactions } from "./transactions.ts";

export type KeyedPlacement = Placement & KeyedWrite;

interface Asked {
  /** The id of the new order, if it was placed. */
  readonly id: bigint | null;
  /** The animal's status before; null if there is no such animal, or another transaction holds its row. */
  readonly status: Status | null;
  readonly held: boolean;
  /** Whether the animal changed after the statement's snapshot, which may then lack an idempotency record too. */
  readonly newer: boolean;
  /** The record of an earlier request with the same `Idempotency-Key`, if there was one. */
  readonly digest: string | null;
  readonly recordedOrder: bigint | null;
  readonly recordedAt: bigint | null;
}

/** The columns that a client sets, and the parameters with an array for each: `$7` and the following. */
const NAMES = namesOf(NEW_ORDER);
const VALUES = NEW_ORDER.map(({ type }, at) => `$${7 + at}::${type}[]`);
/** The animals of the orders. */
const [ANIMALS] = VALUES;

/** What a new order has in the columns that no client sets. */
const BEGINNING: Readonly<Record<string, string>> = {
  id: "id",
  status: "'placed'",
  placedAt: "$6::bigint",
  updatedAt: "$6::bigint",
} satisfies Record<Exclude<keyof Order, keyof NewOrder>, string>;

/**
 * `$1` is the revision that the keys must have, `null` for any; `$2` to `$4` have the line, key and digest of the
 * `Idempotency-Key` of each order or NULL. Records from `$5` or before have expired. The time is `$6`.
 *
 * `CASE` for a condition: of `AND` the planner expects a single row. It would then join by nested loops, which compare each
 * order with each other one.
 */
const STATEMENT = `
  WITH keys AS MATERIALIZED (
    SELECT FROM animal_store.state WHERE single AND keys_revision = coalesce($1::bigint, keys_revision)
     LIMIT 1
  ), animals AS MATERIALIZED (
    SELECT ${namesOf(ANIMAL.columns)}, xmin AS version FROM animal_store.animal
     WHERE id = ANY (${ANIMALS}) AND EXISTS (SELECT FROM keys) ORDER BY id
       FOR NO KEY UPDATE SKIP LOCKED
  ), asked AS MATERIALIZED (
    SELECT new.*, animals.status, animals.version,
           CASE WHEN animals.status = 'available' THEN animals.version
                ELSE (SELECT a.xmin FROM animal_store.animal a WHERE a.id = new.animal_id) END AS shown,
           (SELECT r FROM animal_store.idempotency_key r
             WHERE r.line = new.line AND r.key = new.key AND r.created_at + 0 > $5::bigint) AS known
      FROM keys, unnest(${VALUES}, $2::bigint[], $3::text[], $4::text[])
                 WITH ORDINALITY AS new (${NAMES}, line, key, digest, n)
      LEFT JOIN animals ON animals.id = new.animal_id
  ), first AS MATERIALIZED (
    SELECT min(n) AS n FROM asked
     WHERE CASE WHEN (known).digest IS NULL THEN status = 'available' ELSE false END GROUP BY animal_id
  ), rewrites AS MATERIALIZED (
    SELECT recording FROM animal_store.rewrite_lock WHERE single AND EXISTS (SELECT FROM first) LIMIT 1 FOR UPDATE
  ), granted AS MATERIALIZED (
    SELECT nextval('animal_store.store_order_id_seq') AS id, each.*
      FROM rewrites, (SELECT n, ${NAMES}, line, key, digest FROM asked WHERE n IN (SELECT n FROM first) ORDER BY n) each
  ), claimed AS (
    INSERT INTO animal_store.idempotency_key AS r (line, key, digest, animal_id, order_id, created_at)
    SELECT line, key, digest, animal_id, id, $6::bigint FROM granted WHERE key IS NOT NULL
     ORDER BY line, key COLLATE "C"
    ${claimExpired("$5::bigint")}
    RETURNING line, key, digest, order_id, created_at
  ), changed AS (
    INSERT INTO animal_store.store_order (${namesOf(ORDER.columns)})
    SELECT ${ORDER.columns.map(({ member, name }) => BEGINNING[member] ?? name)} FROM granted
     WHERE key IS NULL OR id IN (SELECT order_id FROM claimed)
    RETURNING ${namesOf(ORDER.columns)}
  ), ${ORDER_EVENTS}
  SELECT CASE WHEN g.key IS NULL OR c.order_id = g.id THEN g.id END AS id, a.status,
         a.status IS NULL AND a.shown IS NOT NULL AS held, a.version IS DISTINCT FROM a.shown AS newer,
         coalesce((a.known).digest, c.digest) AS digest,
         CASE WHEN a.known IS NULL THEN c.order_id ELSE (a.known).order_id END AS "recordedOrder",
         coalesce((a.known).created_at, c.created_at) AS "recordedAt"
    FROM asked a
    LEFT JOIN granted g USING (n)
    LEFT JOIN claimed c ON c.line = g.line AND c.key = g.key
   ORDER BY a.n`;

/**
 * Places orders in one statement. It locks the rows of the animals, and skips rows that another transaction holds. A locked
 * row shows its latest status, even if the statement's snapshot is older. Of several orders for one animal, the first is
 * placed. An idempotency record that is newer than the snapshot is found as for creates.
 *
 * @param now milliseconds since 1970
 */
export async function placeOrders(
  transactions: Transactions,
  all: readonly KeyedPlacement[],
  ifKeysAt: Revision | undefined,
  now: number,
): Promise<(Placed | NotYet | Error)[]> {
  const { firsts, positions } = distinct(all);
  const rows = await transactions.commit<Asked[]>((sql) => {
    const orders = firsts.map(({ order }) => order);
    const lines = column(sql, firsts, ({ idempotency }) => idempotency?.line.toString() ?? null);
    const keys = column(sql, firsts, ({ idempotency }) => idempotency?.key ?? null);
    const digests = column(sql, firsts, ({ idempotency }) => idempotency?.digest ?? null);
    const past = now - IDEMPOTENCY_TTL_MS;
    return sql.unsafe(STATEMENT, [
      keysAt(ifKeysAt),
      lines,
      keys,
      digests,
      past,
      now,
      ...arraysOf(sql, NEW_ORDER, orders),
    ]);
  });
  if (rows.length === 0) return all.map(() => new KeysChanged());
  const ordered = new Set(firsts.flatMap(({ order }, n) => (rows[n]?.id == null ? [] : [order.petId])));
  return all.map((placement, at) => {
    const position = positions[at] as number;
    const first = firsts[position] as Placement;
    const outcome = outcomeOf(first, rows[position] as Asked, ordered, now);
    return placement === first ? outcome : repeated(placement, first, outcome);
  });
}

/** @param ordered the animals that were ordered by the same statement */
function outcomeOf(
  { order, idempotency }: Placement,
  asked: Asked,
  ordered: ReadonlySet<bigint>,
  now: number,
): Placed | NotYet {
  if (asked.id !== null) return { id: asked.id, ...placedOrder(order, now) };
  if (asked.digest !== null) {
    if (asked.digest !== idempotency?.digest || asked.recordedOrder === null) return "key_reused";
    return { replayed: { id: asked.recordedOrder, ...placedOrder(order, Number(asked.recordedAt)) } };
  }
  if (asked.held) return "row_locked";
  if (asked.status === null) return "animal_not_found";
  if (asked.status !== "available") {
    // Perhaps the first request with this key ordered it a moment ago.
    return idempotency && asked.newer ? "retry" : { unavailable: asked.status };
  }
  // The first order for this animal was a replay after all, of a request that the snapshot did not show.
  return ordered.has(order.petId) ? { unavailable: "pending" } : "retry";
}

/** The outcome of a request with the same `Idempotency-Key` as an earlier request of the batch. */
function repeated(placement: Placement, first: Placement, outcome: Placed | NotYet): Placed | NotYet {
  const isSame = placement.idempotency?.digest === first.idempotency?.digest;
  if (typeof outcome === "object" && "id" in outcome) return isSame ? { replayed: outcome } : "key_reused";
  // What was refused has not used up the key.
  return isSame ? outcome : "retry";
}
