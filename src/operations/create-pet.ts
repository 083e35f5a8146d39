import { animalSchema, newAnimalSchema, plainNewAnimal } from "../domain/animal.ts";
import { Failure } from "../domain/failure.ts";
import { digestOf, type Idempotency, isIdempotencyKey } from "../domain/idempotency.ts";
import type { Added } from "../domain/store.ts";
import { operation, type Parameter, type Plan } from "./operation.ts";

/** What `isIdempotencyKey` accepts, less the leading and trailing spaces, which HTTP strips. */
const KEY_PATTERN = "^(,|[!-+\\x2d-~]( +[!-+\\x2d-~])*( +,)?)+$";

const idempotencyKey: Parameter<string | undefined> = {
  in: "header",
  description:
    "A unique value for this create, for example a new UUID, which makes it safe to retry. For 24 hours, the same key " +
    "with the same content returns the first response again and creates nothing. The value is printable ASCII. It must " +
    "not contain a comma followed by a space, which is how HTTP joins two headers.",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: KEY_PATTERN },
  read: (text) =>
    text === undefined || isIdempotencyKey(text)
      ? text
      : new Failure("invalid_header", {
          name: "Idempotency-Key",
          rule: "must be given once, with 1 to 255 printable ASCII characters and no comma followed by a space",
        }),
};

export const createPet = operation({
  id: "createPet",
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
    plain: plainNewAnimal,
    examples: {
      required: { summary: "Required members only", value: { name: "Rex", categoryId: 12n } },
      whole: { summary: "With a status", value: { name: "Mia", categoryId: 7n, status: "pending" } },
    },
  },
  answers: {
    201: {
      description: "The animal as stored, with its `id`.",
      schema: animalSchema,
      headers: ["Location", "Idempotent-Replayed"],
      example: { id: 1n, name: "Rex", categoryId: 12n, status: "available" },
    },
  },
  failures: ["invalid_header", "idempotency_key_reused"],
  plan(_, { caller, parameters, body }) {
    const key = parameters["Idempotency-Key"];
    const idempotency: Idempotency | undefined =
      key === undefined ? undefined : { line: caller.line, key, digest: digestOf(body) };
    return {
      ask: (store, ifKeysAt) => store.addAnimal(body, idempotency, ifKeysAt),
      answer(added) {
        if (added === "key_reused") return new Failure("idempotency_key_reused", {});
        const replayed = "replayed" in added;
        const animal = replayed ? added.replayed : added;
        return { status: 201, value: animal, location: `/pets/${animal.id}`, replayed };
      },
    } satisfies Plan<Added>;
  },
});
