import { z } from "zod";
import { EXAMPLE_ANIMAL, STATUSES } from "../domain/animal.ts";
import { animalSchema } from "../domain/animal-schemas.ts";
import { andThen } from "../domain/maybe-promise.ts";
import { LIMIT_MAX, START } from "../domain/page.ts";
import { cursor, inQuery, invalidCursor, limit, oneOf, queryOf, sort } from "./list-parameters.ts";
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
    "Returns a page of the stock, in ascending order of `id` unless `sort` says otherwise. If there is a next page, the `Link` header holds its " +
    'URL with `rel="next"`. Following these links visits each animal exactly once, even while other clients write.',
  stability: "stable",
  scope: "pets:read",
  parameters: { limit, status, cursor, sort },
  responses: {
    200: {
      description: "A page of animals. It is empty if none match.",
      schema: z.array(animalSchema).max(LIMIT_MAX),
      headers: ["Link"],
      example: [EXAMPLE_ANIMAL, { ...EXAMPLE_ANIMAL, id: 2n, name: "Mia", categoryId: 7n, status: "sold" }],
    },
  },
  failures: ["invalid_parameter"],
  run({ store, cursors }, { parameters: { limit, status, sort, cursor } }) {
    const scope = { list: "listPets", filter: [status, inQuery(sort)].filter(Boolean).join(" ") };
    const after = cursor === undefined ? START[sort] : cursors.read(cursor, scope);
    if (after === undefined) return invalidCursor();
    return andThen(store.listAnimals({ status, sort, after, limit }), ({ items, more }) => {
      const last = items.at(-1);
      const next =
        more && last
          ? queryOf({ limit, status, sort: inQuery(sort), cursor: cursors.issue(BigInt(last.id), scope) })
          : undefined;
      // A new animal has the highest id, so an ascending page that others follow does not change.
      return { status: 200, value: items, next, invalidatedBy: more && sort === "id" ? "rewrite" : "append" };
    });
  },
});
