import { animalSchema, newAnimalSchema, plainNewAnimal } from "../domain/animal.ts";
import { andThen } from "../domain/eventual.ts";
import { Failure } from "../domain/failure.ts";
import { digestOf, isIdempotencyKey, type Retry } from "../domain/retry.ts";
import { operation, type Parameter } from "./operation.ts";

/** What `isIdempotencyKey` accepts, without the spaces at both ends that HTTP itself takes away. */
const KEY_PATTERN = "^(,|[!-+\\x2d-~]( +[!-+\\x2d-~])*( +,)?)+$";

const idempotencyKey: Parameter<string | undefined> = {
  in: "header",
  description:
    "The client's own name for this create, a new UUID for example, which makes it safe to repeat: for 24 hours " +
    "the same name with the same content gives the first answer again and adds nothing. It is printable ASCII, with no " +
    "comma before a space, since that is how two headers look once they are joined.",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: KEY_PATTERN },
  read: (text) =>
    text === undefined || isIdempotencyKey(text)
      ? text
      : new Failure("invalid_header", {
          name: "Idempotency-Key",
          rule: "must be given once, with 1 to 255 printable ASCII characters and no comma before a space",
        }),
};

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
  parameters: { "Idempotency-Key": idempotencyKey },
  body: {
    description: "The animal to add, at most 64 KiB of JSON in UTF-8.",
    schema: newAnimalSchema,
    plain: plainNewAnimal,
    examples: {
      required: { summary: "What is required", value: { name: "Rex", categoryId: 12n } },
      whole: { summary: "With a status", value: { name: "Mia", categoryId: 7n, status: "pending" } },
    },
  },
  answers: {
    201: {
      description: "The animal as it was stored, with its `id`.",
      schema: animalSchema,
      headers: ["Location", "Idempotent-Replayed"],
      example: { id: 1n, name: "Rex", categoryId: 12n, status: "available" },
    },
  },
  failures: ["invalid_header", "idempotency_key_reused"],
  run({ store }, { caller, parameters, body }) {
    const key = parameters["Idempotency-Key"];
    const retry: Retry | undefined =
      key === undefined ? undefined : { owner: caller.line, key, digest: digestOf(body) };
    return andThen(store.addAnimal(body, retry), (added) => {
      if (added === "key_reused") return new Failure("idempotency_key_reused", {});
      const replayed = "replayed" in added;
      const animal = replayed ? added.replayed : added;
      return { status: 201, value: animal, location: `/pets/${animal.id}`, replayed };
    });
  },
});
