import { z } from "zod";
import { STATUSES } from "../domain/animal.ts";
import { animalSchema } from "../domain/animal-schemas.ts";
import { andThen } from "../domain/maybe-promise.ts";
import { LIMIT_MAX } from "../domain/page.ts";
import { cursor, invalidCursor, limit, oneOf, queryOf } from "./list-parameters.ts";
import { operation } from "./operation.ts";

const status = oneOf(STATUSES, {
  name: "status",
  description: "Return only animals with this availability. Omit it to return all.",
  schema: { $ref: "#/components/schemas/Status" },
});

export const listPets = operation({
  id: "listPets",
  tag: "Animals",
  method: "GET",
  path: "/pets",
  summary: "List animals",
  description:
    "Returns a page of the stock, in ascending order of `id`. If there is a next page, the `Link` header holds its " +
    'URL with `rel="next"`. Following these links visits each animal exactly once, even while other clients write.',
  stability: "stable",
  scope: "pets:read",
  parameters: { limit, status, cursor },
  answers: {
    200: {
      description: "A page of animals. It is empty if none match.",
      schema: z.array(animalSchema).max(LIMIT_MAX),
      headers: ["Link"],
      example: [
        { id: 1n, name: "Rex", categoryId: 12n, status: "available" },
        { id: 2n, name: "Mia", categoryId: 7n, status: "sold" },
      ],
    },
  },
  failures: ["invalid_parameter"],
  run({ store, cursors }, { parameters: { limit, status, cursor } }) {
    const scope = { list: "listPets", filter: status ?? "" };
    const after = cursor === undefined ? 0n : cursors.read(cursor, scope);
    if (after === undefined) return invalidCursor();
    return andThen(store.listAnimals({ status, after, limit }), ({ items, more }) => {
      const last = items.at(-1);
      const next =
        more && last ? queryOf({ limit, status, cursor: cursors.issue(BigInt(last.id), scope) }) : undefined;
      // New animals always come last, so a page that others follow does not change.
      return { status: 200, value: items, next, invalidatedBy: more ? "rewrite" : "append" };
    });
  },
});
