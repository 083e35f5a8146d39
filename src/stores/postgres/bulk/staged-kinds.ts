import type { IncomingAnimal, IncomingOrder, RowProblem } from "../../../domain/transfer.ts";
import { NEW_ANIMAL_COLUMNS } from "../../animal-columns.ts";
import { findOrderProblems, type OrderedAnimal } from "../../order-problems.ts";
import { NEW_ORDER_COLUMNS } from "../../order-row.ts";
import { logAppend } from "../change-logs.ts";
import { column } from "../columns.ts";
import { expirePositions, recordCreatedAnimals } from "./events.ts";
import type { BulkSession } from "./session.ts";
import type { StagedKind } from "./staging.ts";

export const STAGED_ANIMALS: StagedKind<IncomingAnimal> = {
  table: "animal",
  columns: NEW_ANIMAL_COLUMNS,
  lockIds: "animal_store.lock_animal_ids()",
  note: logAppend,
  record: recordCreatedAnimals,
};

export const STAGED_ORDERS: StagedKind<IncomingOrder> = {
  table: "store_order",
  columns: NEW_ORDER_COLUMNS,
  setUp: "CREATE INDEX staged_order ON staged (animal_id) WHERE status <> 'cancelled'",
  findProblems,
  // Imported orders may have changed so long ago that their events would have expired. Readers start again from a list.
  record: expirePositions,
  lockFor: lockAnimals,
  lockIds: "animal_store.lock_order_ids()",
};

async function findProblems(session: BulkSession, orders: readonly IncomingOrder[]): Promise<RowProblem[]> {
  const ids = [...new Set(orders.map(({ petId }) => petId))];
  const animals = await session.run<OrderedAnimal[]>(
    (sql) => sql`
      SELECT given.id, a.status, o.id AS "orderId", o.status AS "orderStatus",
             EXISTS (SELECT 1 FROM staged s WHERE s.animal_id = given.id AND s.status <> 'cancelled') AS staged
        FROM unnest(${column(sql, ids, String)}::bigint[]) AS given (id)
        LEFT JOIN animal_store.animal a ON a.id = given.id
        LEFT JOIN animal_store.store_order o ON o.animal_id = given.id AND o.status <> 'cancelled'`,
  );
  return findOrderProblems(orders, animals);
}

/** Locks in the same order as the service, so that they never deadlock: animals by id, then the ids of orders. */
async function lockAnimals(session: BulkSession, from: number, to: number): Promise<void> {
  await session.run(
    (sql) => sql`
      SELECT count(*) FROM (
        SELECT 1 FROM animal_store.animal
         WHERE id IN (SELECT animal_id FROM staged WHERE position > ${from}::bigint AND position <= ${to}::bigint)
         ORDER BY id FOR UPDATE) AS locked`,
  );
}
