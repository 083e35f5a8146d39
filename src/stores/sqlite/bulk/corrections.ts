import type { Database } from "bun:sqlite";
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
import { EventLog } from "../event-log.ts";
import { insertRows } from "./insert-rows.ts";

/** Corrects animals, within a transaction. Triggers count the changes, which invalidates cached pages (migration 0010). */
export function correct(
  database: Database,
  ids: readonly bigint[],
  change: AnimalChange | "remove",
  source: CorrectionSource,
): Correction[] {
  const corrections = correctionsOf(findAnimals(database, ids), change, source);
  assertOrdersAllow(corrections, findOrders(database, ids));
  const afterwards = corrections.flatMap(({ after }) => after ?? []);
  const removed = corrections.flatMap(({ before, after }) => (after ? [] : before.id));
  replaceAnimals(database, afterwards, removed);
  keepCorrections(database, corrections);
  const log = new EventLog(database);
  if (log.isRecording()) {
    for (const { before } of corrections.filter(changesStatus)) log.animalStatusChanged(before.id, source.at);
  }
  return corrections;
}

/** Changes and removes animals, within a transaction. */
export function replaceAnimals(
  database: Database,
  changed: readonly Animal[],
  removed: readonly bigint[],
): void {
  const update = database.query("UPDATE animal SET name = ?, category_id = ?, status = ? WHERE id = ?");
  const remove = database.query("DELETE FROM animal WHERE id = ?");
  for (const { id, name, categoryId, status } of changed) update.run(name, categoryId, status, id);
  for (const id of removed) remove.run(id);
}

function findOrders(database: Database, ids: readonly bigint[]): OrderInTheWay[] {
  const ofOne = database.query<OrderInTheWay, [bigint]>(
    "SELECT id, animal_id AS petId, status FROM store_order WHERE animal_id = ? ORDER BY id",
  );
  return ids.flatMap((id) => ofOne.all(id));
}

function findAnimals(database: Database, ids: readonly bigint[]): Animal[] {
  const one = database.query<Animal, [bigint]>(
    "SELECT id, name, category_id AS categoryId, status FROM animal WHERE id = ?",
  );
  const animals = ids.flatMap((id) => one.get(id) ?? []);
  assertFound(ids, animals);
  return animals;
}

/** The latest corrections, oldest first. Without `last`, all of them. */
export function listCorrections(database: Database, animalId?: bigint, last = -1): Correction[] {
  const whose = animalId === undefined ? "" : "WHERE animal_id = $animalId";
  return database
    .query<CorrectionRow, { animalId?: bigint; last: number }>(
      `SELECT * FROM (SELECT * FROM stock_correction ${whose} ORDER BY id DESC LIMIT $last) ORDER BY id`,
    )
    .all(animalId === undefined ? { last } : { animalId, last })
    .map(correctionOf);
}

export function keepCorrections(database: Database, corrections: readonly Correction[]): void {
  insertRows(database, "stock_correction", CORRECTION_COLUMNS, corrections);
}
