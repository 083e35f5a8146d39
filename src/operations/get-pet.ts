import { EXAMPLE_ANIMAL } from "../domain/animal.ts";
import { animalSchema } from "../domain/animal-schemas.ts";
import { Failure } from "../domain/failure.ts";
import { andThen } from "../domain/maybe-promise.ts";
import { operation } from "./operation.ts";
import { pathId } from "./path-id.ts";

export const getPet = operation({
  id: "getPet",
  tag: "Animals",
  method: "GET",
  path: "/pets/{petId}",
  summary: "Get an animal",
  description:
    "Returns one animal by its id. This operation has been deprecated since 5 December 2025 and will be removed on " +
    "5 December 2030; from then on it returns 410. Use `GET /pets` with the `status` filter instead.",
  stability: "stable",
  scope: "pets:read",
  deprecation: {
    since: new Date("2025-12-05T00:00:00Z"),
    sunset: new Date("2030-12-05T00:00:00Z"),
    successor: "/pets",
    instead: "GET /pets with the status filter",
  },
  parameters: { petId: pathId("animal") },
  responses: {
    200: {
      description: "The animal.",
      schema: animalSchema,
      headers: [],
      example: EXAMPLE_ANIMAL,
    },
  },
  failures: ["animal_not_found"],
  run: ({ store }, { parameters: { petId } }) =>
    andThen(store.findAnimal(petId), (animal) =>
      animal
        ? { status: 200, value: animal, invalidatedBy: "rewrite" }
        : new Failure("animal_not_found", { id: petId.toString() }),
    ),
});
