import type { Database } from "bun:sqlite";
import type { IncomingAnimal, IncomingOrder, RowProblem } from "../../../domain/transfer.ts";
import { NEW_ANIMAL_COLUMNS } from "../../animal-columns.ts";
import { findOrderProblems, type OrderedAnimal } from "../../order-problems.ts";
import { NEW_ORDER_COLUMNS } from "../../order-row.ts";
import { expirePositions } from "../feed.ts";
import type { StagedKind } from "./staging.ts";

export const STAGED_ANIMALS: StagedKind<IncomingAnimal> = {
  table: "animal",
  columns: NEW_ANIMAL_COLUMNS,
  record: (_, log, firstId, lastId, at) => log.animalsCreated(firstId, lastId, at),
  // The trigger looks for ids that are not the highest; published ids always are.
  needlessTrigger: "animal_inserted",
};

export const STAGED_ORDERS: StagedKind<IncomingOrder> = {
  table: "store_order",
  columns: NEW_ORDER_COLUMNS,
  setUp: "CREATE INDEX staged_order ON staged (animal_id) WHERE status <> 'cancelled'",
  findProblems,
  // Imported orders may have changed so long ago that their events would have expired. Readers start again from a list.
  record: expirePositions,
};

interface Row extends Omit<OrderedAnimal, "staged"> {
  readonly staged: bigint;
}

function findProblems(database: Database, orders: readonly IncomingOrder[]): RowProblem[] {
  const find = database.query<Row, [bigint]>(
    `SELECT given.id, a.status, o.id AS orderId, o.status AS orderStatus,
            EXISTS (SELECT 1 FROM staged s WHERE s.animal_id = given.id AND s.status <> 'cancelled') AS staged
     FROM (SELECT ? AS id) AS given
     LEFT JOIN animal a ON a.id = given.id
     LEFT JOIN store_order o ON o.animal_id = given.id AND o.status <> 'cancelled'`,
  );
  const ids = [...new Set(orders.map(({ petId }) => petId))];
  const animals = ids.flatMap((id) => {
    const row = find.get(id);
    return row ? { ...row, staged: row.staged > 0n } : [];
  });
  return findOrderProblems(orders, animals);
}
