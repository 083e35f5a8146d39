import { csvField } from "../csv/field.ts";
import type { Animal } from "../domain/animal.ts";
import type { Layout } from "./layout.ts";

/** How files represent animals, as the interface does. */
export const ANIMAL_LAYOUT: Layout<Animal> = {
  columns: [
    { name: "id", type: "integer", emptyIsValue: true },
    { name: "name", type: "text", required: true, emptyIsValue: true },
    { name: "categoryId", type: "integer", required: true },
    { name: "status", type: "text" },
  ],
  toJson: ({ id, name, categoryId, status }) =>
    `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`,
  toCsv: ({ id, name, categoryId, status }) => `${id},${csvField(name)},${categoryId},${status}`,
};
