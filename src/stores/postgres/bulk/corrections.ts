import type { Animal } from "../../../domain/animal.ts";
import {
  type AnimalChange,
  assertFound,
  assertOrdersAllow,
  type Correction,
  type CorrectionSource,
  changesStatus,
  correctionsOf,
  type OrderInTheWay,
} from "../../../domain/correction.ts";
import { CORRECTION_COLUMNS, type CorrectionRow, correctionOf } from "../../correction-row.ts";
import { column, columnsOf } from "../columns.ts";
import { recordStatusChanges } from "./events.ts";
import { insertRows } from "./insert-rows.ts";
import type { BulkSession } from "./session.ts";

/** Corrects animals, in one transaction. Triggers count the changes, which invalidates cached pages (migration 0010). */
export function correct(
  session: BulkSession,
  ids: readonly bigint[],
  change: AnimalChange | "remove",
  source: CorrectionSource,
): Promise<Correction[]> {
  return session.transaction(async () => {
    const corrections = correctionsOf(await lockAnimals(session, ids), change, source);
    assertOrdersAllow(corrections, await findOrders(session, ids));
    const afterwards = corrections.flatMap(({ after }) => after ?? []);
    const removed = corrections.flatMap(({ before, after }) => (after ? [] : before.id));
    await updateAnimals(session, afterwards);
    await removeAnimals(session, removed);
    await keepCorrections(session, corrections);
    const changed = corrections.filter(changesStatus).map(({ before }) => before.id);
    await recordStatusChanges(session, changed, source.at);
    return corrections;
  });
}

/** Called while the animals are locked, so that nobody orders them meanwhile. */
function findOrders(session: BulkSession, ids: readonly bigint[]): Promise<OrderInTheWay[]> {
  return session.run<OrderInTheWay[]>(
    (sql) => sql`
      SELECT id, animal_id AS "petId", status FROM animal_store.store_order
       WHERE animal_id = ANY (${column(sql, ids, String)}::bigint[]) ORDER BY animal_id, id`,
  );
}

/** Locks in the order of the ids, so that two operators who correct the same animals never deadlock. */
async function lockAnimals(session: BulkSession, ids: readonly bigint[]): Promise<Animal[]> {
  const animals = await session.run<Animal[]>(
    (sql) => sql`
      SELECT id, name, category_id AS "categoryId", status FROM animal_store.animal
       WHERE id = ANY (${column(sql, ids, String)}::bigint[]) ORDER BY id FOR UPDATE`,
  );
  assertFound(ids, animals);
  return animals;
}

export async function updateAnimals(session: BulkSession, animals: readonly Animal[]): Promise<void> {
  if (animals.length === 0) return;
  await session.run((sql) => {
    const ids = column(sql, animals, ({ id }) => id);
    const { names, categoryIds, statuses } = columnsOf(sql, animals);
    return sql`
      UPDATE animal_store.animal AS animal
         SET name = new.name, category_id = new.category_id, status = new.status
        FROM unnest(${ids}::bigint[], ${names}::text[], ${categoryIds}::bigint[], ${statuses}::text[])
             AS new (id, name, category_id, status)
       WHERE animal.id = new.id`;
  });
}

export async function removeAnimals(session: BulkSession, ids: readonly bigint[]): Promise<void> {
  if (ids.length === 0) return;
  await session.run(
    (sql) => sql`DELETE FROM animal_store.animal WHERE id = ANY (${column(sql, ids, String)}::bigint[])`,
  );
}

/** The latest corrections, oldest first. Without `last`, all of them. */
export async function listCorrections(
  session: BulkSession,
  animalId: bigint | null = null,
  last: number | null = null,
): Promise<Correction[]> {
  const rows = await session.run<CorrectionRow[]>(
    (sql) => sql`
      SELECT * FROM (
        SELECT * FROM animal_store.stock_correction
         WHERE ${animalId}::bigint IS NULL OR animal_id = ${animalId}::bigint
         ORDER BY id DESC LIMIT ${last}::bigint) AS latest
       ORDER BY id`,
  );
  return rows.map(correctionOf);
}

export function keepCorrections(session: BulkSession, corrections: readonly Correction[]): Promise<void> {
  return insertRows(session, "stock_correction", CORRECTION_COLUMNS, corrections);
}
