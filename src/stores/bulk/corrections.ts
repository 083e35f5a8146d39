import type { Status } from "../../domain/animal.ts";
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
import { type Column, namesOf } from "../column.ts";
import type { BulkDatabase } from "./bulk-database.ts";

/** A correction as both engines store it. */
interface Row {
  readonly made_at: bigint;
  readonly made_by: string;
  readonly animal_id: bigint;
  readonly name_before: string;
  readonly category_id_before: bigint;
  readonly status_before: Status;
  readonly name_after: string | null;
  readonly category_id_after: bigint | null;
  readonly status_after: Status | null;
}

function correctionOf(row: Row): Correction {
  const id = row.animal_id;
  const { name_after: name, category_id_after: categoryId, status_after: status } = row;
  return {
    at: Number(row.made_at),
    by: row.made_by,
    before: { id, name: row.name_before, categoryId: row.category_id_before, status: row.status_before },
    after:
      name === null || categoryId === null || status === null ? undefined : { id, name, categoryId, status },
  };
}

/** The columns that an insertion of corrections sets. */
const NEW_COLUMNS: readonly (Column<Correction> & {
  readonly name: keyof Row;
})[] = [
  { name: "made_at", type: "bigint", value: ({ at }) => at },
  { name: "made_by", type: "text", value: ({ by }) => by },
  { name: "animal_id", type: "bigint", value: ({ before }) => before.id },
  { name: "name_before", type: "text", value: ({ before }) => before.name },
  { name: "category_id_before", type: "bigint", value: ({ before }) => before.categoryId },
  { name: "status_before", type: "text", value: ({ before }) => before.status },
  { name: "name_after", type: "text", value: ({ after }) => after?.name ?? null },
  { name: "category_id_after", type: "bigint", value: ({ after }) => after?.categoryId ?? null },
  { name: "status_after", type: "text", value: ({ after }) => after?.status ?? null },
];

/** The columns of a correction, as both engines read them. */
const COLUMNS = namesOf(NEW_COLUMNS);

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
  const rows = await database.rows<Row>(
    `SELECT ${COLUMNS} FROM (
       SELECT id, ${COLUMNS} FROM ${database.schema}stock_correction ${whose}
        ORDER BY id DESC LIMIT CAST($${parameters.length} AS bigint)) AS latest
      ORDER BY id`,
    parameters,
  );
  return rows.map(correctionOf);
}

export function keepCorrections(database: BulkDatabase, corrections: readonly Correction[]) {
  return database.insert(`${database.schema}stock_correction`, NEW_COLUMNS, corrections);
}
