import { type Animal, newAnimalSchema } from "../domain/animal.ts";
import { problemsOf } from "../domain/problems.ts";
import type { IncomingAnimal } from "../domain/transfer.ts";
import type { Layout, Row, RowCheck } from "./layout.ts";
import { ID_RULE, type IdChoice, isId, RowIds } from "./row-ids.ts";

/** How files hold animals: as the interface does. */
export const ANIMAL_LAYOUT: Layout<Animal> = {
  columns: [
    { name: "id", type: "integer", emptyIsValue: true },
    { name: "name", type: "text", required: true, emptyIsValue: true },
    { name: "categoryId", type: "integer", required: true },
    { name: "status", type: "text" },
  ],
  toJson: ({ id, name, categoryId, status }) =>
    `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`,
  toCsv({ id, name, categoryId, status }) {
    // Quotes only around a field that needs them.
    const field = /[",\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
    return `${id},${field},${categoryId},${status}`;
  },
};

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
