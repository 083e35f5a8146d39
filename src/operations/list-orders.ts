import { z } from "zod";
import { parsePositiveInt64 } from "../domain/int64.ts";
import { andThen } from "../domain/maybe-promise.ts";
import { ORDER_STATUSES } from "../domain/order.ts";
import { orderSchema } from "../domain/order-schemas.ts";
import { LIMIT_MAX, START } from "../domain/page.ts";
import { cursor, inQuery, invalidCursor, limit, oneOf, optional, queryOf, sort } from "./list-parameters.ts";
import { operation, type Parameter } from "./operation.ts";
import { EXAMPLE_ORDER, include, representOrder } from "./order-representation.ts";

const status = oneOf(ORDER_STATUSES, {
  name: "status",
  description: "Return only orders with this status. Omit it to return all.",
  schema: { $ref: "#/components/schemas/OrderStatus" },
});

const petId: Parameter<bigint | undefined> = {
  in: "query",
  description:
    "Return only orders for this animal: a positive integer in plain decimal. Omit it to return all.",
  schema: { type: "integer", format: "int64", minimum: 1 },
  read: optional(
    "petId",
    "must be the identifier of an animal: a positive int64 in plain decimal",
    parsePositiveInt64,
  ),
};

export const listOrders = operation({
  id: "listOrders",
  tag: "Orders",
  method: "GET",
  path: "/orders",
  summary: "List orders",
  description:
    "Returns a page of orders, in ascending order of `id` unless `sort` says otherwise. If there is a next page, the `Link` header holds its URL with " +
    '`rel="next"`. Following these links visits each order exactly once, even while other clients write. A status that ' +
    "changes during the walk may bring an order into the filter, or out of it.",
  stability: "beta",
  scope: "orders:read",
  parameters: { limit, status, petId, cursor, sort, include },
  responses: {
    200: {
      description: "A page of orders. It is empty if none match.",
      schema: z.array(orderSchema).max(LIMIT_MAX),
      headers: ["Link"],
      example: [EXAMPLE_ORDER],
    },
  },
  failures: ["invalid_parameter"],
  run({ store, cursors }, { parameters: { limit, status, petId, sort, cursor, include } }) {
    const filter = queryOf({ status, petId, sort: inQuery(sort) });
    const scope = { list: "listOrders", filter };
    const after = cursor === undefined ? START[sort] : cursors.read(cursor, scope);
    if (after === undefined) return invalidCursor();
    return andThen(store.listOrders({ status, petId, sort, after, limit, include }), ({ items, more }) => {
      const last = items.at(-1);
      const next =
        more && last
          ? queryOf({
              ...{ limit, status, petId, sort: inQuery(sort), include },
              cursor: cursors.issue(last.id, scope),
            })
          : undefined;
      // A new animal has no order yet, so no append changes an animal that is included.
      return { status: 200, value: items.map(representOrder), next, invalidatedBy: "rewrite" };
    });
  },
});
