import { LOCK_FEED } from "./feed-lock.ts";

/**
 * Ends a statement that has changed orders: the CTE `changed` returns their rows, `animals` has the rows of their animals,
 * and `rewrites` has locked the row of `rewrite_lock`. Where events are recorded, it records that of each order and then
 * that of the animal, unless the order was only approved. The feed is locked last.
 */
export const ORDER_EVENTS = `feed AS MATERIALIZED (
    SELECT ${LOCK_FEED} FROM rewrites WHERE recording AND (SELECT count(*) FROM changed) > 0
  ), noted AS (
    INSERT INTO animal_store.event (id, type, at, animal_ids, names, category_ids, statuses, order_id, placed_at)
    SELECT nextval('animal_store.event_id_seq'), type, at, ARRAY[animal_id], names, category_ids, ARRAY[status], order_id, placed_at
      FROM feed, (
        SELECT id AS "order", 1 AS part, CASE status WHEN 'placed' THEN 'order.placed' ELSE 'order.status_changed' END AS type,
               updated_at AS at, animal_id, NULL::text[] AS names, NULL::bigint[] AS category_ids, status, id AS order_id,
               placed_at
          FROM changed
        UNION ALL
        SELECT o.id, 2, 'animal.status_changed', o.updated_at, a.id, ARRAY[a.name], ARRAY[a.category_id],
               CASE o.status WHEN 'placed' THEN 'pending' WHEN 'delivered' THEN 'sold' ELSE 'available' END, NULL, NULL
          FROM changed o JOIN animals a ON a.id = o.animal_id WHERE o.status <> 'approved'
         ORDER BY "order", part) AS each
  )`;
