import { animalSchema, newAnimalSchema } from "../domain/animal.ts";
import { operation } from "./operation.ts";

export const createPet = operation({
  id: "createPet",
  method: "POST",
  path: "/pets",
  summary: "Add an animal",
  description:
    "Adds an animal to the stock and gives it an `id`, higher than every id before. The answer comes when the " +
    "animal is on the disk. Without a `status` it is `available`. Members that are not named here, `id` " +
    "included, are ignored; a member that stands twice is refused.",
  stability: "stable",
  scope: "pets:write",
  parameters: {},
  body: {
    description: "The animal to add, at most 64 KiB of JSON in UTF-8.",
    schema: newAnimalSchema,
    examples: {
      required: { summary: "What is required", value: { name: "Rex", categoryId: 12n } },
      whole: { summary: "With a status", value: { name: "Mia", categoryId: 7n, status: "pending" } },
    },
  },
  answers: {
    201: {
      description: "The animal as it was stored, with its `id`.",
      schema: animalSchema,
      headers: ["Location"],
      example: { id: 1n, name: "Rex", categoryId: 12n, status: "available" },
    },
  },
  failures: [],
  async run({ store }, { body }) {
    const animal = await store.addAnimal(body);
    return { status: 201, value: animal, location: `/pets/${animal.id}` };
  },
});
