import type { Status } from "../domain/animal.ts";
import type { Correction } from "../domain/correction.ts";
import type { Column } from "./column.ts";

/** A correction as both engines store it. */
export interface CorrectionRow {
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

export function correctionOf(row: CorrectionRow): Correction {
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

/** The columns of a correction, except its id. */
export const CORRECTION_COLUMNS: readonly (Column<Correction> & { readonly name: keyof CorrectionRow })[] = [
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
