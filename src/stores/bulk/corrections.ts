import type { Animal, NewAnimal } from "../../domain/animal.ts";
import {
  type AnimalChange,
  assertFound,
  assertOrdersAllow,
  type Correction,
  type CorrectionSource,
  changesStatus,
  correctionsOf,
} from "../../domain/correction.ts";
import { INT64_MAX } from "../../domain/int64.ts";
import { int64, namesOf, number, type RowOf, table, text } from "../table.ts";
import type { BulkDatabase } from "./bulk-database.ts";

/** A correction as it is stored: the animal as it was, and what it became. */
interface Flat extends CorrectionSource, Animal, After {}

/** `null` in each member if the animal was removed. */
type After = {
  readonly [Member in keyof NewAnimal as `new${Capitalize<Member>}`]-?: NewAnimal[Member] | null;
};

const CORRECTION = table<Flat>({
  at: number("made_at"),
  by: text("made_by"),
  id: int64("animal_id"),
  name: text("name_before"),
  categoryId: int64("category_id_before"),
  status: text("status_before"),
  newName: text("name_after"),
  newCategoryId: int64("category_id_after"),
  newStatus: text("status_after"),
});

function flatOf({ at, by, before, after }: Correction): Flat {
  const { name: newName = null, categoryId: newCategoryId = null, status: newStatus = null } = after ?? {};
  const changed: After = { newName, newCategoryId, newStatus };
  return { at, by, ...before, ...changed };
}

function correctionOf({
  at,
  by,
  newName: name,
  newCategoryId: categoryId,
  newStatus: status,
  ...before
}: Flat) {
  if (name === null || categoryId === null || status === null) return { at, by, before, after: undefined };
  const after = { id: before.id, name, categoryId, status } satisfies Record<keyof Animal, unknown>;
  return { at, by, before, after };
}

/** Corrects animals, in one transaction. Triggers count the changes, which invalidates cached pages (migration 0010). */
export function correct(
  database: BulkDatabase,
  ids: readonly bigint[],
  change: AnimalChange | "remove",
  source: CorrectionSource,
): Promise<Correction[]> {
  const { animals, orders, feed } = database;
  return database.transaction(async () => {
    const found = await animals.lock(ids);
    assertFound(ids, found);
    const corrections = correctionsOf(found, change, source);
    assertOrdersAllow(corrections, await orders.ofAnimals(ids));
    await animals.update(corrections.flatMap(({ after }) => after ?? []));
    await animals.remove(corrections.flatMap(({ before, after }) => (after ? [] : before.id)));
    await keepCorrections(database, corrections);
    const changed = corrections.filter(changesStatus).map(({ before }) => before.id);
    await feed.statusesChanged(changed, source.at);
    return corrections;
  });
}

/** The latest corrections, oldest first. Without `last`, all of them. */
export async function listCorrections(
  database: BulkDatabase,
  animalId?: bigint,
  last: bigint | number = INT64_MAX,
): Promise<Correction[]> {
  // A condition that also held without an animal would keep SQLite from its index of animals.
  const whose = animalId === undefined ? "" : "WHERE animal_id = CAST($1 AS bigint)";
  const parameters = animalId === undefined ? [last] : [animalId, last];
  const rows = await database.rows<RowOf<Flat>>(
    `SELECT ${CORRECTION.selection} FROM (
       SELECT id, ${namesOf(CORRECTION.columns)} FROM ${database.schema}stock_correction ${whose}
        ORDER BY id DESC LIMIT CAST($${parameters.length} AS bigint)) AS latest
      ORDER BY latest.id`,
    parameters,
  );
  return rows.map(CORRECTION.parse).map(correctionOf);
}

/** Stores records of corrections, within the transaction that makes or copies them. */
export function keepCorrections(database: BulkDatabase, corrections: readonly Correction[]) {
  return database.insert(`${database.schema}stock_correction`, CORRECTION.columns, corrections.map(flatOf));
}
