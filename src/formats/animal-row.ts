import { newAnimalSchema, plainNewAnimal } from "../domain/animal.ts";
import { problemsOf } from "../domain/problems.ts";
import { IMPORTED_ID_MAX, type IncomingAnimal } from "../domain/transfer.ts";
import type { Column } from "./format.ts";

/** The values of a row, with the types that a request's body would have: integers are bigints. */
export type AnimalRow = Partial<Record<Column, unknown>>;

const ID_RULE = `must be an integer from 1 to ${IMPORTED_ID_MAX}`;

/** Checks a row by the rules of the interface; a text says what is wrong and what would be right. */
function checkRow(row: AnimalRow): IncomingAnimal | string {
  const { id } = row;
  const plain = plainNewAnimal(row);
  if (plain && id === undefined) return plain;
  if (plain && isId(id)) return { id, ...plain };
  const checked = newAnimalSchema.safeParse(row);
  const problems = checked.success ? [] : problemsOf(checked.error, row);
  if (id !== undefined && !isId(id)) problems.unshift(`\`id\` ${ID_RULE}`);
  if (!checked.success || problems.length > 0) return problems.join("; ");
  return isId(id) ? { id, ...checked.data } : checked.data;
}

function isId(value: unknown): value is bigint {
  return typeof value === "bigint" && value > 0n && value <= IMPORTED_ID_MAX;
}

/** What to do with the ids in a file: keep them, or assign new ones. */
export const ID_CHOICES = ["keep", "new"] as const;
export type IdChoice = (typeof ID_CHOICES)[number];

export type RowCheck = (row: AnimalRow) => IncomingAnimal | string;

/** Checks the rows of one file in order: ids to keep must ascend, and either all rows have one or none has. */
export function rowChecker(ids: IdChoice): RowCheck {
  let lastId = 0n;
  let withIds: boolean | undefined;
  return (row) => {
    const animal = checkRow(row);
    if (typeof animal === "string") return animal;
    const { id, name, categoryId, status } = animal;
    if (ids === "new") return id === undefined ? animal : { name, categoryId, status };
    withIds ??= id !== undefined;
    if (withIds && id === undefined) return "`id` is required, since the earlier rows have one";
    if (id === undefined) return animal;
    if (!withIds) return "`id` must be left out, since the earlier rows have none";
    if (id <= lastId) return `\`id\` must be above ${lastId}, the id of an earlier row`;
    lastId = id;
    return animal;
  };
}
