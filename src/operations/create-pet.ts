import { animalSchema, newAnimalSchema } from "../domain/animal.ts";
import { operation } from "./operation.ts";

export const createPet = operation({
  id: "createPet",
  method: "POST",
  path: "/pets",
  summary: "Add an animal",
  description:
    "Adds an animal to the stock. The answer comes when the animal is on the disk. " +
    "Members that the contract does not name, `id` included, are ignored.",
  stability: "stable",
  scope: "pets:write",
  parameters: {},
  body: { schema: newAnimalSchema, example: { name: "Rex", categoryId: 12n, status: "available" } },
  answers: {
    201: {
      description: "The animal that was added, with its `id`.",
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
