import { newAnimalSchema } from "../domain/animal-schemas.ts";
import { problemsOf } from "../domain/problems.ts";
import type { IncomingAnimal } from "../domain/transfer.ts";
import type { Row, RowCheck } from "./layout.ts";
import { ID_RULE, type IdChoice, isId, RowIds } from "./row-ids.ts";

/** Checks rows by the rules of the interface. */
export function animalChecker(choice: IdChoice): RowCheck<IncomingAnimal> {
  const ids = new RowIds(choice);
  return (row) => {
    const animal = checkRow(row);
    return typeof animal === "string" ? animal : ids.take(animal);
  };
}

function checkRow(row: Row): IncomingAnimal | string {
  const { id } = row;
  const checked = newAnimalSchema.safeParse(row);
  const problems = checked.success ? [] : problemsOf(checked.error, row);
  if (id !== undefined && !isId(id)) problems.unshift(`\`id\` ${ID_RULE}`);
  if (!checked.success || problems.length > 0) return problems.join("; ");
  return isId(id) ? { id, ...checked.data } : checked.data;
}
