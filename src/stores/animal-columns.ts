import type { NewAnimal } from "../domain/animal.ts";
import type { Column } from "./column.ts";

/** The columns that an insertion of animals sets, besides the id. */
export const NEW_ANIMAL_COLUMNS: readonly Column<NewAnimal>[] = [
  { name: "name", type: "text", value: ({ name }) => name },
  { name: "category_id", type: "bigint", value: ({ categoryId }) => categoryId },
  { name: "status", type: "text", value: ({ status }) => status },
];
