import type { Animal } from "../../domain/animal.ts";
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
import { type Column, namesOf, type Written } from "../table.ts";
import { NEW_ANIMAL } from "../tables.ts";
import type { BulkDatabase } from "./bulk-database.ts";

/** A correction as it is stored: the animal as it was, and what it became. The latter is `null` if it was removed. */
const COLUMNS: readonly Column<Correction>[] = [
  column("made_at", "bigint", ({ at }) => at),
  column("made_by", "text", ({ by }) => by),
  column("animal_id", "bigint", ({ before }) => before.id),
  ...NEW_ANIMAL.map(({ name, type, value }) => column(`${name}_before`, type, ({ before }) => value(before))),
  ...NEW_ANIMAL.map(({ name, type, value }) =>
    column(`${name}_after`, type, ({ after }) => (after ? value(after) : null)),
  ),
];

function column(
  name: string,
  type: Column<Correction>["type"],
  value: Column<Correction>["value"],
): Column<Correction> {
  return { member: name, name, type, value };
}

type Row = Readonly<Record<string, Written>> & {
  readonly made_at: bigint;
  readonly made_by: string;
  readonly animal_id: bigint;
};

function correctionOf(row: Row): Correction {
  const before = animalOf(row, "before") as Animal;
  return { at: Number(row.made_at), by: row.made_by, before, after: animalOf(row, "after") };
}

function animalOf(row: Row, when: "before" | "after"): Animal | undefined {
  const values = NEW_ANIMAL.map(({ member, name }) => [member, row[`${name}_${when}`] ?? undefined] as const);
  if (values.every(([, value]) => value === undefined)) return undefined;
  return { id: row.animal_id, ...Object.fromEntries(values) } as unknown as Animal;
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
  const rows = await database.rows<Row>(
    `SELECT ${namesOf(COLUMNS)} FROM (
       SELECT id, ${namesOf(COLUMNS)} FROM ${database.schema}stock_correction ${whose}
        ORDER BY id DESC LIMIT CAST($${parameters.length} AS bigint)) AS latest
      ORDER BY latest.id`,
    parameters,
  );
  return rows.map(correctionOf);
}

/** Stores records of corrections, within the transaction that makes or copies them. */
export function keepCorrections(database: BulkDatabase, corrections: readonly Correction[]) {
  return database.insert(`${database.schema}stock_correction`, COLUMNS, corrections);
}
