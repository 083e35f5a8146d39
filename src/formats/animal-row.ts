import { csvField } from "../../csv/field.ts";
import { ANIMAL_MEMBERS, type Animal, type Member } from "../domain/animal.ts";
import { laterMembers } from "./later-members.ts";
import type { Column, Layout } from "./layout.ts";

const COLUMNS: readonly Column[] = [
  { name: "id", type: "integer", emptyIsValue: true },
  ...Object.entries(ANIMAL_MEMBERS).map(columnOf),
];

const LATER = laterMembers(COLUMNS, ["id", "name", "categoryId", "status"]);

/** How files represent animals, as the interface does. */
export const ANIMAL_LAYOUT: Layout<Animal> = {
  columns: COLUMNS,
  toJson: (animal) => {
    const { id, name, categoryId, status } = animal;
    return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"${LATER.toJson(animal)}}`;
  },
  toCsv: (animal) => {
    const { id, name, categoryId, status } = animal;
    return `${id},${csvField(name)},${categoryId},${status}${LATER.toCsv(animal)}`;
  },
};

/** An empty field would hide a mistake in a text that is required; elsewhere it says that there is none. */
function columnOf([name, { type, required }]: [string, Member]): Column {
  if (!required) return { name, type };
  return type === "text" ? { name, type, required, emptyIsValue: true } : { name, type, required };
}
