import { ANIMAL, EVENT_ARRAYS } from "../tables.ts";
import { OF_ORDERS } from "./event-row.ts";
import { LOCK_FEED } from "./feed-lock.ts";

/** What an event of an animal has, and that of an order lacks. */
const OF_ANIMALS = ANIMAL.columns
  .filter(({ member }) => member !== "id" && member !== "status")
  .map(({ member, name, type }) => ({ array: EVENT_ARRAYS[member], name, type }));
const ARRAYS = OF_ANIMALS.map(({ array }) => array);
const COLUMNS = OF_ORDERS.map(({ column }) => column);

/**
 * Ends a statement that has changed orders: the CTE `changed` returns their rows, `animals` has the rows of their animals,
 * and `rewrites` has locked the row of `rewrite_lock`. Where events are recorded, it records that of each order and then
 * that of the animal, unless the order was only approved. The feed is locked last.
 */
export const ORDER_EVENTS = `feed AS MATERIALIZED (
    SELECT ${LOCK_FEED} FROM rewrites WHERE recording AND (SELECT count(*) FROM changed) > 0
  ), noted AS (
    INSERT INTO animal_store.event (id, type, at, animal_ids, ${ARRAYS}, statuses, ${COLUMNS})
    SELECT nextval('animal_store.event_id_seq'), type, at, ARRAY[animal_id], ${ARRAYS}, ARRAY[status], ${COLUMNS}
      FROM feed, (
        SELECT id AS "order", 1 AS part, CASE status WHEN 'placed' THEN 'order.placed' ELSE 'order.status_changed' END AS type,
               updated_at AS at, animal_id, ${OF_ANIMALS.map(({ array, type }) => `NULL::${type}[] AS ${array}`)}, status,
               ${OF_ORDERS.map(({ name, column }) => `${name} AS ${column}`)}
          FROM changed
        UNION ALL
        SELECT o.id, 2, 'animal.status_changed', o.updated_at, a.id, ${OF_ANIMALS.map(({ name }) => `ARRAY[a.${name}]`)},
               CASE o.status WHEN 'placed' THEN 'pending' WHEN 'delivered' THEN 'sold' ELSE 'available' END, ${COLUMNS.map(() => "NULL")}
          FROM changed o JOIN animals a ON a.id = o.animal_id WHERE o.status <> 'approved'
         ORDER BY "order", part) AS each
  )`;
