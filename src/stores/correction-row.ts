import type { Status } from "../domain/animal.ts";
import type { Correction } from "../domain/correction.ts";

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
