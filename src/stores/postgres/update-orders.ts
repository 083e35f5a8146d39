import { mayBecome, ORDER_STATUSES, type Order, type OrderStatus } from "../../domain/order.ts";
import type { Revision } from "../../domain/revision.ts";
import { KeysChanged, type Updated } from "../../domain/store.ts";
import { type StatusChange, VERSION, versionOf } from "../order-write.ts";
import { namesOf, type RowOf } from "../table.ts";
import { ANIMAL, ORDER } from "../tables.ts";
import { column } from "./columns.ts";
import type { NotYet } from "./not-yet.ts";
import { ORDER_EVENTS } from "./order-events.ts";
import { type KeyedWrite, keysAt, type Transactions } from "./transactions.ts";

export type KeyedStatusChange = StatusChange & KeyedWrite;

/** The order as it is now; without a status if there is no such order, or another transaction holds its row. */
type Asked = { readonly held: boolean; readonly changed: boolean } & (
  | RowOf<Order>
  | { readonly status: null }
);

/**
 * `$1` is the revision that the keys must have, `null` for any; `$2` to `$5` have the id of each order, the status that it is
 * to have, the statuses from which it may get there, and the version (`versionOf`) that it must have, if any. The time is `$6`.
 *
 * An order is found by its primary key, whatever the planner expects: `orders` has a column that no other index has, and the
 * update names one id, since PostgreSQL 15 would look a list of ids up in any index that ends with them, all of it.
 */
const STATEMENT = `
  WITH keys AS MATERIALIZED (
    SELECT FROM animal_store.state WHERE single AND keys_revision = coalesce($1::bigint, keys_revision)
     LIMIT 1
  ), asked AS MATERIALIZED (
    SELECT new.* FROM keys, unnest($2::bigint[], $3::text[], $4::text[], $5::text[])
                            WITH ORDINALITY AS new (id, status, allowed, version, n)
  ), orders AS MATERIALIZED (
    SELECT ${namesOf(ORDER.columns)} FROM animal_store.store_order
     WHERE id = ANY ($2::bigint[]) AND EXISTS (SELECT FROM keys) ORDER BY id
       FOR NO KEY UPDATE SKIP LOCKED
  ), animals AS MATERIALIZED (
    SELECT ${namesOf(ANIMAL.columns)} FROM animal_store.animal
     WHERE id = ANY (ARRAY(SELECT animal_id FROM orders)) ORDER BY id
       FOR NO KEY UPDATE SKIP LOCKED
  ), locked AS MATERIALIZED (
    SELECT * FROM orders WHERE animal_id IN (SELECT id FROM animals)
  ), changed AS (
    UPDATE animal_store.store_order o
       SET status = asked.status, updated_at = greatest(o.updated_at, $6::bigint)
      FROM locked JOIN asked USING (id)
     WHERE o.id = locked.id AND locked.status = ANY (string_to_array(asked.allowed, ' '))
       AND (asked.version IS NULL OR
            asked.version = concat_ws(' ', ${VERSION.map(({ name }) => `locked.${name}`)}))
    RETURNING ${ORDER.columns.map(({ name }) => `o.${name}`)}
  ), rewrites AS MATERIALIZED (
    SELECT recording FROM animal_store.rewrite_lock WHERE single AND (SELECT count(*) FROM changed) > 0 LIMIT 1 FOR UPDATE
  ), ${ORDER_EVENTS}
  SELECT ${ORDER.columns.map(({ member, name }) => `coalesce(c.${name}, l.${name}) AS "${member}"`)},
         c.id IS NOT NULL AS changed,
         l.id IS NULL AND (SELECT true FROM animal_store.store_order o WHERE o.id = asked.id) IS TRUE AS held
    FROM asked
    LEFT JOIN locked l ON l.id = asked.id
    LEFT JOIN changed c ON c.id = asked.id
   ORDER BY asked.n`;

/**
 * Changes orders in one statement. It locks the rows of the orders and of their animals, and skips rows that another
 * transaction holds. A locked row shows its latest status, even if the statement's snapshot is older.
 *
 * @param now milliseconds since 1970
 */
export async function updateOrders(
  transactions: Transactions,
  updates: readonly KeyedStatusChange[],
  ifKeysAt: Revision | undefined,
  now: number,
): Promise<(Updated | NotYet | Error)[]> {
  const firsts = new Map<bigint, StatusChange>();
  for (const update of updates) if (!firsts.has(update.id)) firsts.set(update.id, update);
  const asked = [...firsts.values()];
  const rows = await transactions.commit<Asked[]>((sql) => {
    const ids = column(sql, asked, ({ id }) => id.toString());
    const statuses = column(sql, asked, ({ status }) => status);
    const allowed = column(sql, asked, ({ status }) => statusesBefore(status));
    const versions = column(sql, asked, ({ version }) => version ?? null);
    return sql.unsafe(STATEMENT, [keysAt(ifKeysAt), ids, statuses, allowed, versions, now]);
  });
  if (rows.length === 0) return updates.map(() => new KeysChanged());
  const written = new Map(asked.map((first, n) => [first.id, { first, row: rows[n] as Asked }]));
  return updates.map((update) => {
    const { first, row } = written.get(update.id) as { first: StatusChange; row: Asked };
    if (update.status !== first.status || update.version !== first.version) return "retry";
    // A repetition of the first change finds the order as the first has left it.
    return outcomeOf(update, update === first ? row : { ...row, changed: false });
  });
}

/** The statuses from which an order may change to `status`, separated by spaces. */
function statusesBefore(status: OrderStatus): string {
  return ORDER_STATUSES.filter((from) => mayBecome(from, status)).join(" ");
}

function outcomeOf({ status, version }: StatusChange, asked: Asked): Updated | NotYet {
  if (asked.held) return "row_locked";
  if (asked.status === null) return "order_not_found";
  const { held, changed, ...row } = asked;
  const order = ORDER.parse(row);
  if (version !== undefined && !changed && version !== versionOf(order)) return { differs: order };
  return order.status === status ? order : { invalidFrom: order.status };
}
