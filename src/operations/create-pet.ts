import { EXAMPLE_ANIMAL, EXAMPLE_NEW_ANIMAL } from "../domain/animal.ts";
import { animalSchema, newAnimalSchema, readNewAnimal } from "../domain/animal-schemas.ts";
import { Failure } from "../domain/failure.ts";
import { digestOf } from "../domain/idempotency.ts";
import { idempotencyKey, idempotencyOf } from "./idempotency-key.ts";
import { operation } from "./operation.ts";

export const createPet = operation({
  id: "createPet",
  tag: "Animals",
  method: "POST",
  path: "/pets",
  summary: "Add an animal",
  description:
    "Adds an animal to the stock and assigns its `id`, which is higher than every earlier one. The response is sent " +
    "once the animal is on disk. `status` defaults to `available`. Members that the schema does not name, such as " +
    "`id`, are ignored. A body that names a member twice is refused.",
  stability: "stable",
  scope: "pets:write",
  parameters: { "Idempotency-Key": idempotencyKey },
  body: {
    description: "The animal to add, at most 64 KiB of JSON in UTF-8.",
    schema: newAnimalSchema,
    read: readNewAnimal,
    examples: {
      required: { summary: "Required members only", value: { name: "Rex", categoryId: 12n } },
      whole: {
        summary: "All members",
        value: { ...EXAMPLE_NEW_ANIMAL, name: "Mia", categoryId: 7n, status: "pending" },
      },
    },
  },
  responses: {
    201: {
      description: "The animal as stored, with its `id`.",
      schema: animalSchema,
      headers: ["Location", "Idempotent-Replayed"],
      example: EXAMPLE_ANIMAL,
    },
  },
  failures: ["invalid_header", "idempotency_key_reused"],
  run({ store, ifKeysAt }, { caller, parameters, body }) {
    const idempotency = idempotencyOf(caller, parameters["Idempotency-Key"], () => digestOf(body));
    // An `async` function would take 0.2 µs more, nearly 1 % of a create.
    return store.addAnimal(body, idempotency, ifKeysAt).then((added) => {
      if (added === "key_reused") return new Failure("idempotency_key_reused", {});
      const replayed = "replayed" in added;
      const animal = replayed ? added.replayed : added;
      return { status: 201, value: animal, location: `/pets/${animal.id}`, replayed };
    });
  },
});
