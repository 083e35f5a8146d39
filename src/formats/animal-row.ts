import { newAnimalSchema, STATUSES, type Status } from "../domain/animal.ts";
import { problemsOf } from "../domain/problems.ts";
import { BROUGHT_ID_MAX, type IncomingAnimal } from "../domain/transfer.ts";
import type { Column } from "./format.ts";

/** What a row says of an animal, each value as the interface would have it: integers are bigints. */
export type AnimalRow = Partial<Record<Column, unknown>>;

/** Begins with what is surely no white space, and has no U+0000: most names do. */
const PLAIN_NAME = /^[!-~\u00a1-\u167f\u3001-\ud7ff][^\0]*$/;
const PLAIN_LENGTH_MAX = 255;
const ID_RULE = `must be an integer from 1 to ${BROUGHT_ID_MAX}`;

/** Checks a row by the rules of the interface; a text says what is wrong, and what would be right. */
export function checkRow(row: AnimalRow): IncomingAnimal | string {
  const { id, name, categoryId, status = "available" } = row;
  if (
    typeof name === "string" &&
    name.length <= PLAIN_LENGTH_MAX &&
    PLAIN_NAME.test(name) &&
    name.isWellFormed() &&
    typeof categoryId === "bigint" &&
    STATUSES.includes(status as Status)
  ) {
    const animal = { name, categoryId, status: status as Status };
    if (id === undefined) return animal;
    if (isId(id)) return { id, ...animal };
  }
  return checkSlowly(row);
}

function checkSlowly(row: AnimalRow): IncomingAnimal | string {
  const checked = newAnimalSchema.safeParse(row);
  const problems = checked.success ? [] : problemsOf(checked.error, row);
  const { id } = row;
  if (id !== undefined && !isId(id)) problems.unshift(`\`id\` ${ID_RULE}`);
  if (!checked.success || problems.length > 0) return problems.join("; ");
  return isId(id) ? { id, ...checked.data } : checked.data;
}

function isId(value: unknown): value is bigint {
  return typeof value === "bigint" && value > 0n && value <= BROUGHT_ID_MAX;
}

/** What is done with ids that a file holds: the animals keep them, or get new ones. */
export const ID_CHOICES = ["keep", "new"] as const;
export type IdChoice = (typeof ID_CHOICES)[number];

export type RowCheck = (row: AnimalRow) => IncomingAnimal | string;

/** Checks the rows of one file, in their order: ids that are kept must ascend, and all rows have one or none. */
export function rowChecker(ids: IdChoice): RowCheck {
  let lastId = 0n;
  let withIds: boolean | undefined;
  return (row) => {
    const animal = checkRow(row);
    if (typeof animal === "string") return animal;
    const { id, name, categoryId, status } = animal;
    if (ids === "new") return id === undefined ? animal : { name, categoryId, status };
    withIds ??= id !== undefined;
    if (withIds && id === undefined) return "`id` is required, since the rows before have one";
    if (id === undefined) return animal;
    if (!withIds) return "`id` must be left out, since the rows before have none";
    if (id <= lastId) return `\`id\` must be above ${lastId}, which a row before has`;
    lastId = id;
    return animal;
  };
}
