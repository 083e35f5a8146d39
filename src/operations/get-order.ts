import { Failure } from "../domain/failure.ts";
import { andThen } from "../domain/maybe-promise.ts";
import { orderSchema } from "../domain/order-schemas.ts";
import { operation } from "./operation.ts";
import { EXAMPLE_ORDER, include, representOrder } from "./order-representation.ts";
import { pathId } from "./path-id.ts";

export const getOrder = operation({
  id: "getOrder",
  tag: "Orders",
  method: "GET",
  path: "/orders/{orderId}",
  summary: "Get an order",
  description: "Returns one order by its id.",
  stability: "beta",
  scope: "orders:read",
  parameters: { orderId: pathId("order"), include },
  responses: {
    200: { description: "The order.", schema: orderSchema, headers: [], example: EXAMPLE_ORDER },
  },
  failures: ["order_not_found", "invalid_parameter"],
  run: ({ store }, { parameters: { orderId, include } }) =>
    andThen(store.findOrder(orderId, include), (order) =>
      order
        ? { status: 200, value: representOrder(order), invalidatedBy: "rewrite" }
        : new Failure("order_not_found", { id: orderId.toString() }),
    ),
});
